#include "train/score/classifier_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/all_finite.hpp"
#include "base/check.hpp"

namespace quadrille::train {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> magic{'Q', 'D', 'R', 'L', 'C', 'L', 'S', 'F'};
constexpr std::size_t checksum_bytes = sizeof(std::uint64_t);
constexpr std::size_t header_bytes = 60;
constexpr std::size_t fingerprint_bytes_max = 128;
constexpr std::size_t sample_size_max = std::size_t{1} << 24;
constexpr std::size_t class_count_min = 2;
constexpr std::size_t class_count_max = 256;
constexpr std::size_t epochs_max = 10'000;

std::uint64_t checksum(Bytes bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// Fills a buffer of the right size from the front.
class Writer {
 public:
  explicit Writer(std::size_t bytes) : out_(bytes) {}

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(bytes_of(std::span<const T>(&value, 1)));
  }
  void put_bytes(Bytes bytes) {
    CHECK(bytes.size() <= out_.size() - at_, bytes.size(), at_);
    std::ranges::copy(bytes, out_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += bytes.size();
  }
  Bytes written() const { return Bytes(out_).first(at_); }
  ByteBuffer finish() {
    CHECK(at_ == out_.size(), at_, out_.size());
    return std::move(out_);
  }

 private:
  ByteBuffer out_;
  std::size_t at_ = 0;
};

// Takes values from the front; whoever uses it has checked that they are there.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  Bytes take_bytes(std::size_t count) {
    CHECK(count <= rest_.size(), count, rest_.size());
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::size_t rest() const { return rest_.size(); }

 private:
  Bytes rest_;
};

struct Header {
  std::uint32_t fingerprint_bytes;
  std::uint64_t sample_size;
  std::uint32_t class_count;
  std::uint32_t epochs;
  double accuracy;
  std::uint64_t tested_count;
  std::uint32_t held_out;
  std::uint64_t parameter_count;
};

Header read_header(Reader& reader) {
  Header header{};
  header.fingerprint_bytes = reader.take<std::uint32_t>();
  header.sample_size = reader.take<std::uint64_t>();
  header.class_count = reader.take<std::uint32_t>();
  header.epochs = reader.take<std::uint32_t>();
  header.accuracy = reader.take<double>();
  header.tested_count = reader.take<std::uint64_t>();
  header.held_out = reader.take<std::uint32_t>();
  header.parameter_count = reader.take<std::uint64_t>();
  return header;
}

Failure corrupt(const std::string& what) {
  return failure(ErrorCode::Corrupt, "not a classifier file: " + what);
}

// `rest` bytes follow the header, the checksum not counted.
Result<void> check_header(const Header& header, std::size_t rest) {
  if (header.fingerprint_bytes == 0 || header.fingerprint_bytes > fingerprint_bytes_max)
    return corrupt("a fingerprint of " + std::to_string(header.fingerprint_bytes) + " bytes");
  if (header.sample_size == 0 || header.sample_size > sample_size_max)
    return corrupt("a sample size of " + std::to_string(header.sample_size));
  if (header.class_count < class_count_min || header.class_count > class_count_max)
    return corrupt(std::to_string(header.class_count) + " classes");
  if (header.epochs == 0 || header.epochs > epochs_max)
    return corrupt(std::to_string(header.epochs) + " epochs");
  if (!(header.accuracy >= 0 && header.accuracy <= 1)) return corrupt("an accuracy beyond 0 to 1");
  if (header.tested_count == 0 || header.held_out > 1) return corrupt("how it was tested");
  const nn::Network network(
      classifier_spec({.sample = header.sample_size, .classes = header.class_count}));
  if (header.parameter_count != network.parameter_count())
    return corrupt(std::to_string(header.parameter_count) + " parameters where the network has " +
                   std::to_string(network.parameter_count()));
  if (rest != header.fingerprint_bytes + header.parameter_count * sizeof(float))
    return corrupt(std::to_string(rest) + " bytes after its header");
  return {};
}

}  // namespace

std::uint64_t classifier_id(const ClassifierModel& model) {
  return checksum(bytes_of(std::span<const float>(model.parameters)));
}

ByteBuffer serialise(const ClassifierModel& model) {
  CHECK(model.fingerprint.size() <= fingerprint_bytes_max, model.fingerprint.size());
  const Bytes fingerprint = bytes_of(std::span<const char>(model.fingerprint));
  const Bytes parameters = bytes_of(std::span<const float>(model.parameters));
  Writer out(header_bytes + fingerprint.size() + parameters.size() + checksum_bytes);
  out.put(magic);
  out.put(classifier_file_version);
  out.put(static_cast<std::uint32_t>(fingerprint.size()));
  out.put(std::uint64_t{model.sample_size});
  out.put(static_cast<std::uint32_t>(model.class_count));
  out.put(static_cast<std::uint32_t>(model.epochs));
  out.put(model.accuracy);
  out.put(std::uint64_t{model.tested_count});
  out.put(std::uint32_t{model.held_out ? 1U : 0U});
  out.put(std::uint64_t{model.parameters.size()});
  CHECK(out.written().size() == header_bytes, out.written().size());
  out.put_bytes(fingerprint);
  out.put_bytes(parameters);
  out.put(checksum(out.written()));
  return out.finish();
}

Result<ClassifierModel> parse_classifier(Bytes bytes) {
  if (bytes.size() < header_bytes + checksum_bytes)
    return corrupt(std::to_string(bytes.size()) + " bytes are less than its header");
  Reader reader(bytes.first(bytes.size() - checksum_bytes));
  if (reader.take<std::array<char, 8>>() != magic) return corrupt("it does not begin as one");
  if (const auto version = reader.take<std::uint32_t>(); version != classifier_file_version)
    return failure(ErrorCode::Mismatch, "a classifier file of version " + std::to_string(version) +
                                            ", where this program writes version " +
                                            std::to_string(classifier_file_version));
  if (checksum(bytes.first(bytes.size() - checksum_bytes)) !=
      Reader(bytes.last(checksum_bytes)).take<std::uint64_t>())
    return corrupt("its checksum does not fit");
  const Header header = read_header(reader);
  TRY_VOID(check_header(header, reader.rest()));
  ClassifierModel model;
  model.sample_size = header.sample_size;
  model.class_count = header.class_count;
  model.epochs = header.epochs;
  model.accuracy = header.accuracy;
  model.tested_count = header.tested_count;
  model.held_out = header.held_out == 1;
  for (const std::byte letter : reader.take_bytes(header.fingerprint_bytes))
    model.fingerprint.push_back(static_cast<char>(letter));
  model.parameters.resize(header.parameter_count);
  std::memcpy(model.parameters.data(), reader.take_bytes(reader.rest()).data(),
              header.parameter_count * sizeof(float));
  if (!all_finite(model.parameters)) return corrupt("a parameter is not a finite number");
  return model;
}

}  // namespace quadrille::train
