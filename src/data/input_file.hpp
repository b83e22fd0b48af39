// A file read from front to back, plain or gzip; its first two bytes tell which, not its name.
// Bytes come out as far as they are sound; what ended them early is kept as the error, so that a
// checker can still look at the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "base/result.hpp"

namespace quadrille::data {

class InputFile {
 public:
  // NotFound where there is no regular file, Mismatch where the path can be none (look_error.hpp),
  // Io where the system refuses it. Errors, here and
  // below, do not name the file: the caller knows it.
  static Result<InputFile> open(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;

  bool compressed() const;
  std::uint64_t file_bytes() const;  // on the disk
  // read() gives no more than this in all: deflate cannot shrink beyond a factor of 1032.
  std::uint64_t content_bytes_max() const;

  // Fills `to` from the front and returns how many bytes it filled: fewer at the end of the
  // content, or where it is broken.
  std::size_t read(std::span<std::uint8_t> to);
  // Why read() stopped early: a read error, a gzip stream that is cut short or corrupt, bytes
  // after its end. None at a proper end.
  const std::optional<Error>& error() const;

 private:
  struct State;
  explicit InputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace quadrille::data
