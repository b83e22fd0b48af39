// Finding and reading a run file: what a person typed
// may be no file, a directory, or nearly a name.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "base/look_error.hpp"
#include "base/nearest.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

// A directory is searched for what was meant no further than this.
constexpr std::size_t files_looked_at_max = 1000;

std::vector<fs::path> run_files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entry(directory.empty() ? fs::path(".") : directory, error);
  for (std::size_t looked_at = 0; !error && entry != fs::directory_iterator(); ++looked_at) {
    if (looked_at == files_looked_at_max) break;
    if (entry->path().extension() == ".toml") files.push_back(directory / entry->path().filename());
    entry.increment(error);
  }
  std::ranges::sort(files);
  return files;
}

// "fashon" is near fashion-2x2.toml: its name, its
// name without .toml, and its first word all count.
std::optional<fs::path> nearest_file(const fs::path& meant, const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    const std::string stem = file.stem().string();
    names.insert(names.end(), {file.filename().string(), stem, stem.substr(0, stem.find('-'))});
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string& name : {meant.filename().string(), meant.stem().string()}) {
    const auto near = nearest_name(name, views);
    if (!near) continue;
    const auto at = std::ranges::find(views, *near) - views.begin();
    return files[static_cast<std::size_t>(at) / 3];
  }
  return std::nullopt;
}

Failure no_such_file(const fs::path& path) {
  const std::string shown = path.string();
  for (const fs::path& directory : {path.parent_path(), fs::path(), fs::path("examples")}) {
    if (const auto near = nearest_file(path, run_files_in(directory)))
      return failure(ErrorCode::NotFound,
                     shown + ": no such file; did you mean " + near->string() + "?");
  }
  return failure(ErrorCode::NotFound,
                 shown + ": no such file; `peer --help` shows how to start a run.");
}

Failure is_a_directory(const fs::path& path) {
  const fs::path inside = path / "run.toml";
  std::error_code error;
  const std::string next = fs::exists(inside, error)
                               ? "to go on with its run: peer " + inside.string() + " --resume"
                               : "give the run file, RUN.toml";
  return failure(ErrorCode::NotFound, path.string() + ": is a directory; " + next + ".");
}

}  // namespace

Result<RunSpec> read_run_spec(const fs::path& path, std::span<const Override> overrides) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none)
    return Failure(look_error(path, error, "give the run file, RUN.toml"));
  if (!fs::exists(status)) return no_such_file(path);
  if (fs::is_directory(status)) return is_a_directory(path);
  // A pipe without a writer would be waited for.
  if (!fs::is_regular_file(status))
    return failure(ErrorCode::NotFound,
                   path.string() + ": is not a regular file; give the run file, RUN.toml.");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // One byte more than allowed tells a longer file.
  std::string text(run_file_bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return failure(ErrorCode::Io,
                   path.string() + ": cannot be read: " + std::strerror(errno) + ".");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_run_spec(text, path.string(), overrides);
}

}  // namespace quadrille::node
