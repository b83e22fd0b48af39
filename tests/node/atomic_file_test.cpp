// Atomic files: what is under the final name is the old file or the new one, whatever goes wrong.
#include "node/files/atomic_file.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <string>
#include <string_view>

#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(atomic_file)

using test::contents_of;
using test::put_contents;
using test::ScratchDirectory;

namespace {

Bytes bytes(std::string_view text) {
  return bytes_of(std::span<const char>(text));
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// No file may grow past `bytes` while this lives: a write fails half-way, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    BOOST_REQUIRE_EQUAL(::getrlimit(RLIMIT_FSIZE, &old_), 0);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    BOOST_REQUIRE_EQUAL(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_parts_stand_in_the_file_one_after_the_other) {
  const ScratchDirectory directory;
  const std::array<Bytes, 3> parts{bytes("one "), bytes(""), bytes("two")};
  BOOST_REQUIRE(write_file_atomically(directory / "f", parts).has_value());
  BOOST_TEST(contents_of(directory / "f") == "one two");
  BOOST_TEST(directory.entry_count() == 1u);
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_replaced_as_a_whole) {
  const ScratchDirectory directory;
  put_contents(directory / "f", "a much longer text than the new one");
  BOOST_REQUIRE(write_file_atomically(directory / "f", bytes("new")).has_value());
  BOOST_TEST(contents_of(directory / "f") == "new");
}

BOOST_AUTO_TEST_CASE(a_relative_name_is_written_in_the_working_directory) {
  const ScratchDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const auto written = write_file_atomically("f", bytes("here"));
  std::filesystem::current_path(before);
  BOOST_REQUIRE(written.has_value());
  BOOST_TEST(contents_of(directory / "f") == "here");
}

BOOST_AUTO_TEST_CASE(a_failed_write_keeps_the_old_file_and_leaves_no_other) {
  const ScratchDirectory directory;
  put_contents(directory / "f", "old");
  const std::string large(1 << 20, 'x');
  const FileSizeLimit limit(64 * 1024);
  const auto written = write_file_atomically(directory / "f", bytes(large));
  BOOST_REQUIRE(!written.has_value());
  BOOST_TEST((written.error().code == ErrorCode::Io));
  BOOST_TEST(contains(written.error().detail, "1048576 bytes were needed"));
  BOOST_TEST(contents_of(directory / "f") == "old");
  BOOST_TEST(directory.entry_count() == 1u);
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_named_with_what_was_needed_and_what_to_do) {
  const ScratchDirectory directory;
  const Error error = write_error(directory / "f", ENOSPC, 4711);
  BOOST_TEST((error.code == ErrorCode::Io));
  BOOST_TEST(contains(error.detail, (directory / "f").string()));
  BOOST_TEST(contains(error.detail, "No space left on device: 4711 bytes were needed"));
  BOOST_TEST(contains(error.detail, "are free; make room"));
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_not_there_is_named) {
  const ScratchDirectory directory;
  const auto written = write_file_atomically(directory / "none/f", bytes("x"));
  BOOST_REQUIRE(!written.has_value());
  BOOST_TEST(contains(written.error().detail, "No such file or directory"));
  BOOST_TEST(contains(written.error().detail, "create the directory"));
}

boost::test_tools::assertion_result not_root(boost::unit_test::test_unit_id) {
  return ::geteuid() != 0;
}

BOOST_AUTO_TEST_CASE(an_unwritable_directory_is_an_error_that_changes_nothing,
                     *boost::unit_test::precondition(not_root)) {  // root writes everywhere
  const ScratchDirectory directory;
  put_contents(directory / "f", "old");
  ::chmod(directory.path().c_str(), 0555);
  const auto written = write_file_atomically(directory / "f", bytes("new"));
  ::chmod(directory.path().c_str(), 0755);
  BOOST_REQUIRE(!written.has_value());
  BOOST_TEST(contains(written.error().detail, "Permission denied; allow this user to write"));
  BOOST_TEST(contents_of(directory / "f") == "old");
}

BOOST_AUTO_TEST_CASE(a_directory_or_a_device_is_never_replaced) {
  const ScratchDirectory directory;
  const auto over_directory = write_file_atomically(directory.path(), bytes("x"));
  BOOST_REQUIRE(!over_directory.has_value());
  BOOST_TEST(contains(over_directory.error().detail, "is a directory"));
  BOOST_REQUIRE_EQUAL(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  const auto over_pipe = write_file_atomically(directory / "pipe", bytes("x"));
  BOOST_REQUIRE(!over_pipe.has_value());
  BOOST_TEST(contains(over_pipe.error().detail, "is not a file"));
  BOOST_TEST(std::filesystem::is_fifo(directory / "pipe"));
  BOOST_TEST(!write_file_atomically(directory / "", bytes("x")).has_value());
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_stays_and_its_target_is_replaced) {
  const ScratchDirectory directory;
  put_contents(directory / "target", "old");
  std::filesystem::create_symlink("target", directory / "link");
  BOOST_REQUIRE(write_file_atomically(directory / "link", bytes("new")).has_value());
  BOOST_TEST(std::filesystem::is_symlink(directory / "link"));
  BOOST_TEST(contents_of(directory / "target") == "new");
}

BOOST_AUTO_TEST_CASE(temporary_files_of_killed_processes_are_passed_over_and_removed_on_request) {
  const ScratchDirectory directory;
  for (int serial = 0; serial < 100; ++serial) {
    put_contents(
        directory / (".f.partial-" + std::to_string(::getpid()) + "-" + std::to_string(serial)),
        "torn");
  }
  BOOST_REQUIRE(write_file_atomically(directory / "f", bytes("whole")).has_value());
  BOOST_REQUIRE(remove_partial_files(directory.path()).has_value());
  BOOST_TEST(directory.entry_count() == 1u);
  BOOST_TEST(contents_of(directory / "f") == "whole");
  BOOST_TEST(!remove_partial_files(directory / "none").has_value());
}

BOOST_AUTO_TEST_CASE(a_temporary_name_is_known_and_whose_it_is) {
  BOOST_TEST(is_partial_file("a/.f.partial-7-0"));
  BOOST_TEST(is_partial_file("a/.f.partial-7-0", "f"));
  BOOST_TEST(!is_partial_file("a/.f.partial-7-0", "g"));
  for (const char* name : {"f", ".f", "f.partial-7-0", "f.partial"})
    BOOST_TEST(!is_partial_file(name), name);
}

BOOST_AUTO_TEST_CASE(a_file_is_read_whole_up_to_the_limit) {
  const ScratchDirectory directory;
  put_contents(directory / "f", "12345");
  const auto whole = read_file(directory / "f", 5);
  BOOST_REQUIRE(whole.has_value());
  BOOST_TEST(whole->size() == 5u);
  BOOST_TEST((read_file(directory / "f", 4).error().code == ErrorCode::Limit));
  BOOST_TEST((read_file(directory / "none", 5).error().code == ErrorCode::NotFound));
  BOOST_TEST((read_file(directory.path(), 5).error().code == ErrorCode::Io));
}

BOOST_AUTO_TEST_CASE(directories_are_created_with_their_parents_and_a_file_in_the_way_is_named) {
  const ScratchDirectory directory;
  BOOST_TEST(make_directories(directory / "a/b/c").has_value());
  BOOST_TEST(make_directories(directory / "a/b/c").has_value());
  put_contents(directory / "file", "");
  for (const char* name : {"file", "file/below"}) {
    const auto created = make_directories(directory / name);
    BOOST_REQUIRE(!created.has_value());
    BOOST_TEST(contains(created.error().detail, "a file is in the way"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
