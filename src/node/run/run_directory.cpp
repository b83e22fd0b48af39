#include "node/run/run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "base/look_error.hpp"
#include "node/files/atomic_file.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

// Whether every entry of the directory, if it is one, passes.
template <class Test>
Result<bool> all_entries(const fs::path& directory, Test test) {
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error))
    if (!test(entries->path())) return false;
  if (!error || error == std::errc::no_such_file_or_directory ||
      error == std::errc::not_a_directory)
    return true;
  return failure(ErrorCode::Io, directory.string() + ": cannot be read: " + error.message() +
                                    ": see to it, or choose another --out");
}

// A link in the place of a file would be written through, to a file of somebody else. Folders may
// be linked to where there is room for them.
bool is_own_kind(const fs::path& path, bool folder) {
  std::error_code error;
  return folder ? fs::is_directory(path, error)
                : fs::is_regular_file(fs::symlink_status(path, error));
}

// Nothing that a run made is in there, nor anything else: it ended before its first generation did,
// or was killed while the directory was being made. A run.toml alone may be somebody's own, and so
// may be what lies in folders of common names.
Result<bool> is_vacant(const RunDirectory& directory) {
  std::error_code error;
  const auto made_by_us = [&](const fs::path& path) {
    const std::string name = path.filename().string();
    const bool folder = name == "samples" || name == "checkpoints";
    const bool named = folder || name == "run.toml" || name == ".lock" || name == "metrics.jsonl" ||
                       is_partial_file(path, "run.toml");
    return named && is_own_kind(path, folder);
  };
  TRY(ours, all_entries(directory.path(), made_by_us));
  if (!ours) return false;
  const bool begun = fs::is_directory(directory.checkpoints(), error);
  if (!begun && fs::exists(directory.run_file(), error)) return false;
  if (size_of(directory.metrics()) != 0) return false;
  TRY(no_sheets,
      all_entries(directory.samples(), [](const fs::path& path) { return is_partial_file(path); }));
  if (!no_sheets) return false;
  return all_entries(directory.checkpoints(), is_partial_checkpoint);
}

// Whether there can be a directory: every part of the path is one, or is not there.
Result<void> check_path(const fs::path& path) {
  for (fs::path part = path; !part.empty(); part = part.parent_path()) {
    std::error_code error;
    const fs::file_status status = fs::status(part, error);
    if (status.type() == fs::file_type::none)
      return Failure(look_error(part, error, "choose another --out"));
    if (fs::is_directory(status)) return {};
    const std::string is = path.string() + ": " + (part == path ? "" : part.string() + " ");
    if (fs::exists(status))
      return failure(ErrorCode::Mismatch, is + "is not a directory: choose another --out");
    if (fs::is_symlink(fs::symlink_status(part, error)))
      return failure(ErrorCode::Mismatch,
                     is + "is a link to what is not there: mend it, or choose another --out");
  }
  return {};
}

// May a run begin here, or go on with `resume`?
Result<void> check_what_is_there(const RunDirectory& directory, const RunSpec& spec, bool resume) {
  const std::string path = directory.path().string();
  std::error_code error;
  TRY_VOID(check_path(directory.path()));
  const fs::file_status run_file = fs::status(directory.run_file(), error);
  if (run_file.type() == fs::file_type::none)
    return Failure(look_error(directory.run_file(), error, "choose another --out"));
  const bool has_run = fs::exists(run_file);
  if (!has_run && resume)
    return failure(ErrorCode::NotFound, path +
                                            ": there is no run to resume here: leave --resume "
                                            "away to start one, or give its --out");
  if (!resume) {
    TRY(vacant, is_vacant(directory));
    if (vacant) return {};
  }
  if (!has_run || !fs::is_directory(directory.checkpoints(), error))
    return failure(ErrorCode::Mismatch,
                   path + ": is not empty and holds no run: choose another --out");
  for (const fs::path& file : {directory.run_file(), directory.metrics(), directory.summary()})
    if (const auto type = fs::symlink_status(file, error).type();
        type != fs::file_type::not_found && type != fs::file_type::regular)
      return failure(ErrorCode::Mismatch,
                     file.string() +
                         ": is a link or no file at all, and a run writes to it: put "
                         "the file itself there, or choose another --out");
  TRY(present, directory.spec());
  if (run_id(present) != run_id(spec))
    return failure(ErrorCode::Mismatch, path + ": holds another run (" +
                                            id_difference(present, spec) +
                                            "): choose another --out, or give that run's file");
  if (resume) return {};
  const auto generation = newest_generation(directory.checkpoints());
  return failure(
      ErrorCode::Mismatch,
      path + ": holds this run already" +
          (generation ? ", at generation " + std::to_string(*generation) : std::string()) +
          ": add --resume to go on with it, or --out DIR to start anew elsewhere");
}

}  // namespace

Result<RunDirectory> RunDirectory::open(const fs::path& path, const RunSpec& spec, bool resume) {
  RunDirectory directory(path);
  TRY_VOID(check_what_is_there(directory, spec, resume));
  TRY_VOID(make_directories(path));
  TRY_VOID(directory.lock());
  // Another peer may have made a run of it meanwhile, and ended.
  TRY_VOID(check_what_is_there(directory, spec, resume));
  TRY_VOID(make_directories(directory.samples()));
  TRY_VOID(make_directories(directory.checkpoints()));
  // A killed process may have left some.
  TRY_VOID(remove_partial_files(path));
  TRY_VOID(remove_partial_files(directory.samples()));
  directory.resumed_ = resume;
  // A resumed run may still be refused; then its file stays as it is.
  if (!resume) TRY_VOID(directory.write_spec(spec));
  return directory;
}

Result<RunDirectory> RunDirectory::look(const fs::path& path) {
  RunDirectory directory(path);
  std::error_code error;
  const fs::file_status run_file = fs::status(directory.run_file(), error);
  if (run_file.type() == fs::file_type::none)
    return Failure(look_error(directory.run_file(), error, "give a directory that training named"));
  if (fs::exists(run_file)) return directory;
  std::vector<fs::path> peers;
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::error_code absent;
    if (fs::exists(entries->path() / "run.toml", absent)) peers.push_back(entries->path());
  }
  if (peers.size() == 1) return RunDirectory(peers.front());
  if (peers.empty())
    return failure(ErrorCode::NotFound, path.string() +
                                            ": there is no run here (no run.toml): give "
                                            "the directory that training named, such as "
                                            "runs/NAME/peer-1");
  std::string names;
  for (const fs::path& peer : peers) names += " " + peer.string();
  return failure(ErrorCode::Usage, path.string() + ": holds several peers; name one:" + names);
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      place_(std::exchange(other.place_, -1)),
      resumed_(other.resumed_) {}

RunDirectory& RunDirectory::operator=(RunDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(place_, other.place_);
  std::swap(resumed_, other.resumed_);
  return *this;
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
  if (place_ >= 0) ::close(place_);
}

Result<RunSpec> RunDirectory::spec(std::span<const Override> overrides) const {
  return read_run_spec(run_file(), overrides);
}

Result<void> RunDirectory::write_spec(const RunSpec& spec) const {
  const std::string text = effective_run_file(spec);
  return write_file_atomically(run_file(), bytes_of(std::span<const char>(text)));
}

CheckpointStore RunDirectory::checkpoint_store(const RunSpec& spec,
                                               const data::Dataset& dataset) const {
  return {checkpoints(),
          {.run_id = run_id(spec),
           .trained_on = {.data = dataset.name,
                          .fingerprint = dataset.fingerprint,
                          .grid = spec.run.grid}},
          spec.output.checkpoints_kept};
}

Result<void> RunDirectory::lock() {
  const fs::path file = path_ / ".lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (lock_ < 0 && errno == ELOOP)
    return failure(ErrorCode::Mismatch, file.string() +
                                            ": is a link, and would lock what it leads "
                                            "to: remove it");
  if (lock_ < 0) return Failure(write_error(file, errno, 0));
  int refused = 0;
  do {
    refused = ::flock(lock_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  } while (refused == EINTR);
  if (refused == EWOULDBLOCK)
    return failure(ErrorCode::Limit, path_.string() +
                                         ": another peer works in this directory: stop "
                                         "it first, or choose another --out or --name");
  if (refused != 0)
    return failure(ErrorCode::Io, file.string() + ": cannot be locked: " + std::strerror(refused) +
                                      "; choose an --out on another file system");
  place_ = ::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (place_ < 0) return Failure(write_error(path_, errno, 0));
  return {};
}

Result<void> RunDirectory::check_in_place() const {
  struct stat own{}, there{};
  if (::fstat(place_, &own) != 0) return {};
  const bool found = ::stat(path_.c_str(), &there) == 0;
  if (found && own.st_dev == there.st_dev && own.st_ino == there.st_ino) return {};
  // Other errors need not mean that it is gone.
  if (!found && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) return {};
  return failure(ErrorCode::Io, path_.string() +
                                    ": was removed or renamed while this peer worked in it, so "
                                    "that nothing more is saved: put it back and resume, or start "
                                    "anew");
}

fs::path default_run_directory(const RunSpec& spec, const std::string& peer_name) {
  return fs::path("runs") / spec.name / ("peer-" + peer_name);
}

}  // namespace quadrille::node
