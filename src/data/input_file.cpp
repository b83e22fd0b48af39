#include "data/input_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "base/look_error.hpp"

namespace quadrille::data {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;
constexpr std::uint64_t deflate_ratio_max = 1032;
constexpr std::size_t inflate_pass_bytes = std::size_t{1} << 30;  // zlib counts in 32 bits

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string system_message(int number) {
  return std::generic_category().message(number);
}

}  // namespace

// Kept behind a pointer: zlib's stream must not move.
struct InputFile::State {
  std::unique_ptr<std::FILE, CloseFile> file;
  std::uint64_t file_bytes = 0;
  bool compressed = false;
  bool stream_ended = false;  // at the end mark of a gzip member
  std::optional<Error> error;
  z_stream stream{};
  std::array<std::uint8_t, buffer_bytes> buffer{};  // compressed bytes not yet inflated

  ~State() {
    if (compressed) inflateEnd(&stream);
  }

  std::size_t read_file(std::span<std::uint8_t> to) {
    const std::size_t got = std::fread(to.data(), 1, to.size(), file.get());
    if (got < to.size() && std::ferror(file.get()) != 0 && !error)
      error = Error{ErrorCode::Io, "cannot be read: " + system_message(errno)};
    return got;
  }

  // Whether the stream has input left, after reading more where there is none.
  bool refill() {
    if (stream.avail_in > 0) return true;
    stream.next_in = buffer.data();
    stream.avail_in = static_cast<uInt>(read_file(buffer));
    return stream.avail_in > 0;
  }

  void start_inflating() {
    // 16: a gzip wrapper, whose checksum and length zlib verifies.
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    compressed = true;
  }

  void refuse(ErrorCode code, std::string detail) {
    if (!error) error = Error{code, std::move(detail)};
  }

  // A gzip file may be several members in a row (as `cat a.gz b.gz` makes), nothing else.
  void start_next_member() {
    if (stream.avail_in == 1) {  // the magic's two bytes may lie across the buffer's end
      buffer[0] = *stream.next_in;
      stream.next_in = buffer.data();
      stream.avail_in = 1 + static_cast<uInt>(read_file(std::span(buffer).subspan(1)));
    }
    if (stream.avail_in < 2 || stream.next_in[0] != 0x1F || stream.next_in[1] != 0x8B) {
      refuse(ErrorCode::Corrupt, "has bytes after the end of its gzip stream");
      return;
    }
    CHECK(inflateReset(&stream) == Z_OK);
    stream_ended = false;
  }

  void explain(int code) {
    const std::string said = stream.msg != nullptr ? stream.msg : "";
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (said == "incorrect data check" || said == "incorrect length check")
      return refuse(ErrorCode::Corrupt, "is a corrupt gzip file: its checksum does not match");
    refuse(ErrorCode::Corrupt,
           "is a corrupt gzip file" + (said.empty() ? std::string() : " (" + said + ")"));
  }

  std::size_t inflate_into(std::span<std::uint8_t> to) {
    std::size_t done = 0;
    // The checksum is verified when the end mark is reached:
    // the reader asks for one byte more than it expects.
    while (done < to.size() && !error) {
      if (!refill()) {
        if (!stream_ended)
          refuse(ErrorCode::Corrupt, "is cut short: its gzip stream ends before its end mark");
        break;
      }
      if (stream_ended) {
        start_next_member();
        continue;
      }
      const std::size_t room = std::min(to.size() - done, inflate_pass_bytes);
      stream.next_out = to.data() + done;
      stream.avail_out = static_cast<uInt>(room);
      const int code = inflate(&stream, Z_NO_FLUSH);
      done += room - stream.avail_out;
      if (code == Z_STREAM_END)
        stream_ended = true;
      else if (code != Z_OK && code != Z_BUF_ERROR)
        explain(code);
    }
    return done;
  }
};

InputFile::InputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
InputFile::~InputFile() = default;
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::none)
    return Failure(look_error(problem, "put the set's own file there"));
  if (!std::filesystem::exists(status)) return failure(ErrorCode::NotFound, "is not there");
  // A pipe would block, and a device has no size to hold claims against.
  if (!std::filesystem::is_regular_file(status))
    return failure(ErrorCode::NotFound, std::filesystem::is_directory(status)
                                            ? "is a directory, not a file"
                                            : "is not a regular file");
  auto state = std::make_unique<State>();
  state->file_bytes = std::filesystem::file_size(path, problem);
  state->file.reset(std::fopen(path.c_str(), "rb"));
  if (problem || !state->file)
    return failure(ErrorCode::Io,
                   "cannot be opened: " + (problem ? problem.message() : system_message(errno)));
  const std::size_t got = state->read_file(std::span(state->buffer).first(2));
  if (state->error) return Failure(*state->error);
  if (got == 2 && state->buffer[0] == 0x1F && state->buffer[1] == 0x8B) {
    state->start_inflating();
  }
  std::rewind(state->file.get());
  return InputFile(std::move(state));
}

bool InputFile::compressed() const {
  return state_->compressed;
}

std::uint64_t InputFile::file_bytes() const {
  return state_->file_bytes;
}

std::uint64_t InputFile::content_bytes_max() const {
  return state_->compressed ? state_->file_bytes * deflate_ratio_max : state_->file_bytes;
}

std::size_t InputFile::read(std::span<std::uint8_t> to) {
  if (state_->error) return 0;
  return state_->compressed ? state_->inflate_into(to) : state_->read_file(to);
}

const std::optional<Error>& InputFile::error() const {
  return state_->error;
}

}  // namespace quadrille::data
