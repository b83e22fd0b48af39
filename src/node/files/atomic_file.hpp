// Files that are whole or not there: written under a temporary name in the same directory, synced,
// renamed. Whatever stops the write half-way (a full disk, kill -9, a power cut), the file under
// the final name is the old one or the new one.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace quadrille::node {

// Writes the parts one after the other. An existing file is replaced, through
// a symbolic link too; what is there and is no file (a directory, a device)
// is left alone. Io, with the system's reason and what to do.
Result<void> write_file_atomically(const std::filesystem::path& path, std::span<const Bytes> parts);
Result<void> write_file_atomically(const std::filesystem::path& path, Bytes contents);

// The whole of a file, at most `bytes_max` of it. NotFound, Io, or Limit.
Result<ByteBuffer> read_file(const std::filesystem::path& path, std::uint64_t bytes_max);

// Creates the directory and its parents; fine when it is there already.
Result<void> make_directories(const std::filesystem::path& path);

// Gives a finished directory its final name, durably.
// Io; what has that name already is an error, too.
Result<void> publish_directory(const std::filesystem::path& partial,
                               const std::filesystem::path& final_path);

// Is it a temporary name of these writes, and where `final_name` is given, of that file?
bool is_partial_file(const std::filesystem::path& path, std::string_view final_name = {});

// Removes the temporary files that killed processes
// left in a directory which the caller alone writes to.
Result<void> remove_partial_files(const std::filesystem::path& directory);

// "No space left on device: 4096 bytes were needed ..." for an errno value of a write to `path`;
// the path itself comes first.
Error write_error(const std::filesystem::path& path, int error_number, std::uint64_t bytes_needed);

}  // namespace quadrille::node
