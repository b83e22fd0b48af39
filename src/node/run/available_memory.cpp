#include "node/run/available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

std::uint64_t free_bytes_of_machine(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string name, unit;
  std::uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes << 10;
    std::getline(file, unit);
  }
  return unlimited;
}

// What `ulimit -v` leaves.
std::uint64_t free_bytes_of_process(const fs::path& root) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::ifstream file(root / "proc/self/statm");
  std::uint64_t pages = 0;
  if (!(file >> pages)) return unlimited;
  return left_of(limit.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

// The two versions of control groups differ in where they are mounted and how they call things.
struct GroupNames {
  std::string_view mount, limit, usage, inactive_files, active_files;
};

constexpr GroupNames version_2{.mount = "sys/fs/cgroup",
                               .limit = "memory.max",
                               .usage = "memory.current",
                               .inactive_files = "inactive_file",
                               .active_files = "active_file"};
constexpr GroupNames version_1{.mount = "sys/fs/cgroup/memory",
                               .limit = "memory.limit_in_bytes",
                               .usage = "memory.usage_in_bytes",
                               .inactive_files = "total_inactive_file",
                               .active_files = "total_active_file"};

// None where there is no such file, and where it says "max".
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// Pages of files count as used, and are given up before a group is out of memory.
std::uint64_t cached_bytes(const fs::path& group, const GroupNames& names) {
  std::ifstream file(group / "memory.stat");
  std::string name;
  std::uint64_t bytes = 0, sum = 0;
  while (file >> name >> bytes)
    if (name == names.inactive_files || name == names.active_files) sum += bytes;
  return sum;
}

std::uint64_t free_bytes_of_group(const fs::path& group, const GroupNames& names) {
  const auto limit = number_in(group / names.limit);
  const auto usage = number_in(group / names.usage);
  if (!limit || !usage) return unlimited;
  return left_of(*limit, left_of(*usage, cached_bytes(group, names)));
}

// Every group above has a limit, too. In a container the path may be the host's, and what is
// mounted the container's own group: there nothing is found until the mount itself.
std::uint64_t free_bytes_up_from(const fs::path& root, const fs::path& path,
                                 const GroupNames& names) {
  const fs::path mount = root / names.mount;
  std::uint64_t bytes = free_bytes_of_group(mount, names);
  fs::path group = mount;
  for (const fs::path& name : path.lexically_normal().relative_path()) {
    group /= name;
    bytes = std::min(bytes, free_bytes_of_group(group, names));
  }
  return bytes;
}

// A line is "4:memory:/docker/2f0c" of version 1, and "0::/user.slice" of version 2.
std::uint64_t free_bytes_of_groups(const fs::path& root) {
  std::ifstream file(root / "proc/self/cgroup");
  std::uint64_t bytes = unlimited;
  std::string line, controllers, path;
  while (std::getline(file, line, ':') && std::getline(file, controllers, ':') &&
         std::getline(file, path)) {
    if (controllers.empty()) bytes = std::min(bytes, free_bytes_up_from(root, path, version_2));
    if (("," + controllers + ",").find(",memory,") != std::string::npos)
      bytes = std::min(bytes, free_bytes_up_from(root, path, version_1));
  }
  return bytes;
}

}  // namespace

std::uint64_t available_memory_bytes(const fs::path& root) {
  return std::min(
      {free_bytes_of_machine(root), free_bytes_of_process(root), free_bytes_of_groups(root)});
}

}  // namespace quadrille::node
