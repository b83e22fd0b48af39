#include "node/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view partial_prefix = ".";
constexpr std::string_view partial_infix = ".partial-";
constexpr mode_t file_mode = 0666;  // less the umask, as for any other file a program writes
constexpr int name_attempts_max = 1000;

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int value() const { return value_; }
  // 0, or errno. Some file systems report a full disk only here.
  int close() {
    if (value_ < 0) return 0;
    return ::close(std::exchange(value_, -1)) == 0 ? 0 : errno;
  }

 private:
  int value_;
};

// A new file beside the final one, removed again unless it was renamed.
class PartialFile {
 public:
  PartialFile(fs::path path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  ~PartialFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  PartialFile(PartialFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), descriptor_(std::move(other.descriptor_)) {}
  PartialFile& operator=(PartialFile&&) = delete;

  // All of these return 0 or errno.
  int write(Bytes bytes);
  int sync_and_close();
  int rename_to(const fs::path& final_path);

 private:
  fs::path path_;
  Descriptor descriptor_;
};

int PartialFile::write(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.value(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

int PartialFile::sync_and_close() {
  if (::fsync(descriptor_.value()) != 0) return errno;
  return descriptor_.close();
}

int PartialFile::rename_to(const fs::path& final_path) {
  if (::rename(path_.c_str(), final_path.c_str()) != 0) return errno;
  path_.clear();
  return 0;
}

std::string partial_begin(std::string_view final_name) {
  return std::string(partial_prefix).append(final_name).append(partial_infix);
}

// The process's id and a count make the name unique among this host's living writers; one that is
// taken all the same was left by a killed process whose id came round again, and is skipped.
Result<PartialFile> create_partial(const fs::path& final_path, std::uint64_t bytes_needed) {
  static std::atomic<std::uint32_t> serial{0};
  for (int attempt = 0; attempt < name_attempts_max; ++attempt) {
    fs::path path = directory_of(final_path);
    path /= partial_begin(final_path.filename().string()) + std::to_string(::getpid()) + "-" +
            std::to_string(serial.fetch_add(1));
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, file_mode);
    if (descriptor >= 0) return PartialFile(std::move(path), Descriptor(descriptor));
    if (errno != EEXIST) return Failure(write_error(final_path, errno, bytes_needed));
  }
  return failure(ErrorCode::Io, final_path.string() +
                                    ": too many temporary files beside it; remove those named *" +
                                    std::string(partial_infix) + "*");
}

// Makes the rename itself durable. A file system that
// cannot sync a directory keeps no such promise to break.
int sync_directory(const fs::path& directory) {
  const Descriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.value() < 0)
    return errno == EACCES ? 0 : errno;  // writable, not readable: allowed
  if (::fsync(descriptor.value()) != 0 && errno != EINVAL && errno != EROFS) return errno;
  return 0;
}

// 0 or errno.
int fill_and_rename(PartialFile partial, std::span<const Bytes> parts, const fs::path& target) {
  for (const Bytes part : parts) {
    if (const int error = partial.write(part)) return error;
  }
  if (const int error = partial.sync_and_close()) return error;
  if (const int error = partial.rename_to(target)) return error;
  return sync_directory(directory_of(target));
}

// The path that a rename may replace: the target of a symbolic link rather than the link.
Result<fs::path> replaceable(const fs::path& path) {
  if (!path.has_filename()) {
    return failure(ErrorCode::Io, "'" + path.string() + "' names no file; give a file name");
  }
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(path, error) && fs::exists(path, error)) target = fs::canonical(path, error);
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return failure(ErrorCode::Io, path.string() + " is " +
                                      (fs::is_directory(status) ? "a directory" : "not a file") +
                                      "; give the name of a file");
  }
  return target;
}

// What would help, by the system's reason.
std::string advice(const fs::path& path, int error_number, std::uint64_t bytes_needed) {
  const std::string directory = directory_of(path).string();
  switch (error_number) {
    case ENOSPC:
    case EDQUOT: {
      std::string text = ": " + std::to_string(bytes_needed) + " bytes were needed";
      struct statvfs space{};
      if (error_number == ENOSPC && ::statvfs(directory.c_str(), &space) == 0) {
        text += ", " + std::to_string(space.f_bavail * space.f_frsize) + " are free";
      }
      return text + "; make room, or write to another disk";
    }
    case EFBIG:
      return ": " + std::to_string(bytes_needed) +
             " bytes were needed; raise the limit on file sizes (ulimit -f)";
    case EACCES:
    case EPERM:
      return "; allow this user to write in " + directory + ", or write elsewhere";
    case ENOENT:
      return "; create the directory " + directory + " first";
    case EROFS:
      return "; write to another file system";
    default:
      return "; see to " + directory + ", or write elsewhere";
  }
}

}  // namespace

Error write_error(const fs::path& path, int error_number, std::uint64_t bytes_needed) {
  return {ErrorCode::Io, path.string() + " cannot be written: " + reason(error_number) +
                             advice(path, error_number, bytes_needed)};
}

Result<void> write_file_atomically(const fs::path& path, std::span<const Bytes> parts) {
  std::uint64_t bytes_needed = 0;
  for (const Bytes part : parts) bytes_needed += part.size();
  TRY(target, replaceable(path));
  TRY(partial, create_partial(target, bytes_needed));
  // The partial file is gone again before the error says how much room there is.
  if (const int error = fill_and_rename(std::move(partial), parts, target)) {
    return Failure(write_error(path, error, bytes_needed));
  }
  return {};
}

Result<void> write_file_atomically(const fs::path& path, Bytes contents) {
  return write_file_atomically(path, std::span<const Bytes>(&contents, 1));
}

Result<ByteBuffer> read_file(const fs::path& path, std::uint64_t bytes_max) {
  const auto refused = [&](int error_number) {
    const bool missing = error_number == ENOENT || error_number == ENOTDIR;
    return failure(missing ? ErrorCode::NotFound : ErrorCode::Io,
                   path.string() + " cannot be read: " + reason(error_number));
  };
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (descriptor.value() < 0 || ::fstat(descriptor.value(), &status) != 0) return refused(errno);
  if (S_ISDIR(status.st_mode)) return refused(EISDIR);
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::Io, path.string() + " is not a file; give the name of a file");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > bytes_max) {
    return failure(ErrorCode::Limit, path.string() + " has " + std::to_string(size) +
                                         " bytes; the limit is " + std::to_string(bytes_max));
  }
  ByteBuffer contents(static_cast<std::size_t>(size));
  std::size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t got =
        ::read(descriptor.value(), contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused(errno);
    if (got == 0) break;  // it was cut short meanwhile
    filled += static_cast<std::size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

Result<void> make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return {};
  if (!error || error == std::errc::not_a_directory || error == std::errc::file_exists) {
    return failure(ErrorCode::Io, path.string() +
                                      " cannot be created: a file is in the way; remove it, or "
                                      "choose another directory");
  }
  return failure(ErrorCode::Io, path.string() + " cannot be created: " + reason(error.value()) +
                                    advice(path, error.value() == ENOENT ? EIO : error.value(), 0));
}

Result<void> publish_directory(const fs::path& partial, const fs::path& final_path) {
  if (::rename(partial.c_str(), final_path.c_str()) != 0)
    return Failure(write_error(final_path, errno, 0));
  if (const int error = sync_directory(directory_of(final_path)); error != 0)
    return Failure(write_error(final_path, error, 0));
  return {};
}

bool is_partial_file(const fs::path& path, std::string_view final_name) {
  const std::string name = path.filename().string();
  if (final_name.empty())
    return name.starts_with(partial_prefix) && name.find(partial_infix) != std::string::npos;
  return name.starts_with(partial_begin(final_name));
}

Result<void> remove_partial_files(const fs::path& directory) {
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    if (is_partial_file(entries->path())) fs::remove(entries->path(), error);
  }
  if (error) {
    return failure(ErrorCode::Io, directory.string() +
                                      " cannot be cleaned of temporary files: " + error.message());
  }
  return {};
}

}  // namespace quadrille::node
