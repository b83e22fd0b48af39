// Memory that new work can take: what the machine has, less where this process is allowed less, by
// `ulimit -v` or by a container's control groups.
#pragma once

#include <cstdint>
#include <filesystem>

namespace quadrille::node {

// The largest number when nothing is known. What is known is read below proc and sys of `root`; an
// address limit is this process's own wherever its statm stands there.
std::uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace quadrille::node
