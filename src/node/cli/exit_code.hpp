// How a peer ends, for scripts and service managers.
#pragma once

#include "base/result.hpp"

namespace quadrille::node {

enum class ExitCode : int {
  Done = 0,           // the run is done, or was left cleanly
  Failed = 1,         // the machine or the training failed
  Usage = 2,          // the command line cannot be understood
  NoSeed = 69,        // EX_UNAVAILABLE of sysexits.h: no seed answered
  Configuration = 78  // EX_CONFIG: a run file, data set or run directory is not what is needed
};

constexpr ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::Usage:
      return ExitCode::Usage;
    case ErrorCode::Config:
    case ErrorCode::NotFound:
    case ErrorCode::Corrupt:
    case ErrorCode::Mismatch:
    case ErrorCode::Limit:  // a file or set that is too large, a directory in use
      return ExitCode::Configuration;
    case ErrorCode::Io:
    case ErrorCode::Memory:
    case ErrorCode::NotFinite:
      break;
  }
  return ExitCode::Failed;
}

}  // namespace quadrille::node
