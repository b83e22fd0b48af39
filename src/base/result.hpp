// Result<T>: a value, or what the world did wrong.
// Branch on the code; show the detail to the person.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace quadrille {

enum class ErrorCode {
  Usage,      // the command line cannot be understood
  Config,     // a run file, key or combination of options is wrong
  NotFound,   // a file, directory or data set is not there
  Corrupt,    // bytes are there and are not what they claim to be
  Mismatch,   // well-formed, but of another run, version, size or shape
  Io,         // the system refused: no permission, disk full, read error
  Limit,      // more than a stated limit allows
  Memory,     // the process gets no more of it
  NotFinite,  // NaN or infinity where numbers were expected
};

struct Error {
  ErrorCode code;
  std::string detail;                  // one line: the thing, the value, the next step
  std::vector<std::string> more = {};  // further problems found along with it, a line each

  bool operator==(const Error&) const = default;
};

template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

using Failure = std::unexpected<Error>;

inline Failure failure(ErrorCode code, std::string detail) {
  return Failure(Error{code, std::move(detail)});
}

// The same error with the place it happened in front: "weights.bin: " + detail.
inline Failure failure_in(const std::string& where, const Error& error) {
  Error placed{error.code, where + ": " + error.detail};
  for (const std::string& line : error.more) placed.more.push_back(where + ": " + line);
  return Failure(std::move(placed));
}

// All problems as one error, the first in front; there is at least one.
inline Failure failures(ErrorCode code, const std::vector<std::string>& problems) {
  CHECK(!problems.empty());
  return Failure(Error{code, problems.front(), {problems.begin() + 1, problems.end()}});
}

}  // namespace quadrille

#define QUADRILLE_CONCAT_INNER(a, b) a##b
#define QUADRILLE_CONCAT(a, b) QUADRILLE_CONCAT_INNER(a, b)

// TRY(frame, read_frame(in)) declares `frame`, or returns the error to the caller.
#define TRY(name, ...)                                                               \
  auto QUADRILLE_CONCAT(name, _result) = (__VA_ARGS__);                              \
  if (!QUADRILLE_CONCAT(name, _result))                                              \
    return ::quadrille::Failure(std::move(QUADRILLE_CONCAT(name, _result)).error()); \
  auto name = std::move(*QUADRILLE_CONCAT(name, _result))

// TRY_VOID(write(file)) returns the error of a Result<void> to the caller.
#define TRY_VOID(...)                                             \
  do {                                                            \
    if (auto try_result = (__VA_ARGS__); !try_result)             \
      return ::quadrille::Failure(std::move(try_result).error()); \
  } while (false)
