// One record, one memory, however many hold it; what is no record is refused.
#include "peer/membership/record_pool.hpp"

#include <boost/test/unit_test.hpp>

#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(record_pool)

BOOST_AUTO_TEST_CASE(the_same_bytes_are_one_record) {
  RecordPool pool;
  const ByteBuffer bytes = encode(record_of(7));
  const RecordRef first = pool.intern(bytes).value();
  const RecordRef second = pool.intern(ByteBuffer(bytes)).value();
  BOOST_TEST((first == second));
  BOOST_TEST(first->bytes == bytes);
  BOOST_TEST((first->record == record_of(7)));
  BOOST_TEST(pool.size() == 1u);
}

BOOST_AUTO_TEST_CASE(another_version_is_another_record) {
  RecordPool pool;
  const RecordRef first = stored(pool, record_of(7));
  const RecordRef second = stored(pool, record_of(7, {.incarnation = 100, .version = 1}));
  BOOST_TEST((first != second));
  BOOST_TEST(pool.size() == 2u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_record_are_corrupt_and_not_kept) {
  RecordPool pool;
  ByteBuffer bytes = encode(record_of(7));
  bytes.resize(bytes.size() / 2);
  const Result<RecordRef> result = pool.intern(bytes);
  BOOST_REQUIRE(!result.has_value());
  BOOST_TEST(int(result.error().code) == int(ErrorCode::Corrupt));
  BOOST_TEST(!pool.intern({}).has_value());
  BOOST_TEST(pool.size() == 0u);
}

BOOST_AUTO_TEST_CASE(records_that_nobody_holds_are_forgotten) {
  RecordPool pool;
  const RecordRef held = stored(pool, record_of(7));
  for (std::uint32_t version = 0; version < 5000; ++version)
    stored(pool, record_of(8, {.incarnation = 100, .version = version}));
  BOOST_TEST(pool.size() <= 1024u);
  BOOST_TEST((pool.intern(held->bytes).value() == held));
}

BOOST_AUTO_TEST_CASE(a_record_that_was_let_go_of_comes_back) {
  RecordPool pool;
  const ByteBuffer bytes = encode(record_of(7));
  BOOST_TEST((pool.intern(bytes).value()->record == record_of(7)));
  BOOST_TEST((pool.intern(bytes).value()->record == record_of(7)));
}

BOOST_AUTO_TEST_CASE(a_record_lasts_as_long_as_somebody_holds_it) {
  RecordRef outlives;
  {
    RecordPool pool;
    RecordRef first = stored(pool, record_of(7));
    RecordRef copy = first;
    RecordRef moved = std::move(first);
    BOOST_TEST(!first);  // NOLINT(bugprone-use-after-move): a moved one holds nothing
    copy = nullptr;
    outlives = moved;
    outlives = *&outlives;
    BOOST_TEST(!outlives.is_only_holder());
  }
  BOOST_TEST(outlives.is_only_holder());
  BOOST_TEST((outlives->record == record_of(7)));
}

BOOST_AUTO_TEST_SUITE_END()
