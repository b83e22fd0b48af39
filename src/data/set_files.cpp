#include "data/set_files.hpp"

#include "base/look_error.hpp"
#include "base/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <system_error>
#include <utility>

namespace quadrille::data {
namespace {

namespace fs = std::filesystem;

using std::string_view_literals::operator""sv;

constexpr std::size_t listed_files_max = 6;

enum class Part { TrainImages, TrainLabels, TestImages, TestLabels };

struct PartName {
  std::string_view ending;
  Part part;
};

constexpr std::array part_names{
    PartName{"train-images-idx3-ubyte", Part::TrainImages},
    PartName{"train-labels-idx1-ubyte", Part::TrainLabels},
    PartName{"t10k-images-idx3-ubyte", Part::TestImages},
    PartName{"t10k-labels-idx1-ubyte", Part::TestLabels},
    PartName{"test-images-idx3-ubyte", Part::TestImages},
    PartName{"test-labels-idx1-ubyte", Part::TestLabels},
};

struct NamedPart {
  std::string prefix;
  Part part;
};

// "emnist-letters-train-images-idx3-ubyte.gz" -> ("emnist-letters-", TrainImages).
std::optional<NamedPart> parse_file_name(std::string name) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  // Some copies are called train-images.idx3-ubyte.
  if (const std::size_t dot = name.rfind(".idx"); dot != std::string::npos) name[dot] = '-';
  for (const PartName& candidate : part_names) {
    if (!name.ends_with(candidate.ending)) continue;
    std::string prefix = name.substr(0, name.size() - candidate.ending.size());
    if (prefix.empty() || prefix.ends_with('-'))
      return NamedPart{std::move(prefix), candidate.part};
  }
  return std::nullopt;
}

fs::path& part_of(SetFiles& set, Part part) {
  switch (part) {
    case Part::TrainImages:
      return set.train.images;
    case Part::TrainLabels:
      return set.train.labels;
    case Part::TestImages:
      return set.test.images;
    default:
      return set.test.labels;
  }
}

bool is_a_directory(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Failure no_directory(const fs::path& path, const std::string& next_step) {
  std::error_code problem;
  if (fs::status(path, problem).type() == fs::file_type::none)
    return Failure(look_error(path, problem, next_step));
  return failure(ErrorCode::NotFound, path.string() + ": no such directory; " + next_step);
}

Result<std::vector<fs::path>> files_in(const fs::path& directory) {
  std::error_code problem;
  std::vector<fs::path> files;
  fs::directory_iterator entry(directory, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
    files.push_back(entry->path());
  if (problem)
    return failure(ErrorCode::Io, directory.string() + ": cannot be listed: " + problem.message());
  std::ranges::sort(files);  // so that the plain file comes before its .gz and is preferred
  return files;
}

std::string listed(const std::vector<fs::path>& files) {
  if (files.empty()) return "it is empty";
  std::string text = "it holds ";
  for (std::size_t i = 0; i < std::min(files.size(), listed_files_max); ++i)
    text += (i > 0 ? ", " : "") + files[i].filename().string();
  if (files.size() > listed_files_max)
    text += " and " + std::to_string(files.size() - listed_files_max) + " more";
  return text;
}

std::string without_dash(std::string prefix) {
  if (prefix.ends_with('-')) prefix.pop_back();
  return prefix;
}

// Of "data/mnist/" too, and of ".".
std::string last_name(const fs::path& directory) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(directory, ignored).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

Failure several_sets(const fs::path& directory, const std::vector<SetFiles>& sets) {
  std::string names;
  for (const SetFiles& set : sets)
    names += (names.empty() ? "" : ", ") +
             (set.prefix.empty() ? std::string("one without a prefix") : without_dash(set.prefix));
  const std::string example = (directory / without_dash(sets.back().prefix)).string();
  return failure(ErrorCode::Config, directory.string() + ": holds several sets (" + names +
                                        "); name one, for example " + example);
}

// The next step for who gave a directory of folders, each of which may be a set.
std::string folder_to_give(const std::vector<fs::path>& entries) {
  std::string folders;
  std::size_t count = 0;
  for (const fs::path& entry : entries) {
    if (count == listed_files_max) break;
    if (!is_a_directory(entry)) continue;
    const auto sets = list_sets(entry);
    if (!sets ||
        std::ranges::all_of(*sets, [](const SetFiles& set) { return set.train.images.empty(); }))
      continue;
    folders += (count++ > 0 ? ", " : "") + entry.string();
  }
  if (count == 0) return "give a directory with IDX files";
  return count == 1 ? "give " + folders : "give one of its sets: " + folders;
}

// The set in `directory` whose files begin with `prefix`, or its only one when that is empty.
Result<SetFiles> choose_set(const fs::path& directory, const std::string& prefix) {
  TRY(sets, list_sets(directory));
  std::erase_if(sets, [&](const SetFiles& set) {
    return set.train.images.empty() || (!prefix.empty() && set.prefix != prefix);
  });
  if (sets.size() > 1) return several_sets(directory, sets);
  if (sets.size() == 1) return std::move(sets.front());
  TRY(files, files_in(directory));
  return failure(ErrorCode::NotFound, directory.string() + ": holds no " + prefix +
                                          "train-images-idx3-ubyte, plain or .gz (" +
                                          listed(files) + "); " + folder_to_give(files));
}

// How to get a set that is not there.
std::string remedy(std::string_view name) {
  if (name == "fashion-mnist")
    return "install it with 'apt-get install dataset-fashion-mnist', or give its directory";
  if (name == "mnist")
    return "fetch it with 'tools/data mnist', which puts it into data/ of the clone of Quadrille; "
           "from another working directory give --data CLONE/data, or its directory";
  constexpr std::array downloaded{"kmnist"sv,         "emnist"sv,         "emnist-balanced"sv,
                                  "emnist-byclass"sv, "emnist-bymerge"sv, "emnist-digits"sv,
                                  "emnist-letters"sv, "emnist-mnist"sv};
  if (std::ranges::find(downloaded, name) != downloaded.end())
    return "download its IDX files and give their directory with --data DIR";
  std::vector<std::string_view> known{"fashion-mnist", "mnist", "ring8", "grid25"};
  known.insert(known.end(), downloaded.begin(), downloaded.end());
  const std::optional<std::string_view> near = nearest_name(name, known);
  return (near ? "did you mean \"" + std::string(*near) + "\"? " : std::string()) +
         "known names are fashion-mnist, mnist, kmnist, emnist, ring8 and grid25; or give the "
         "directory of its IDX files";
}

struct Candidate {
  fs::path directory;
  std::string prefix;
};

std::vector<Candidate> candidates(std::string_view name, const DataPlaces& places) {
  // EMNIST is six sets that are published in one directory.
  const bool of_emnist = name.starts_with("emnist-");
  const std::string prefix = of_emnist ? std::string(name) + "-" : std::string();
  std::vector<Candidate> list;
  const auto add = [&](const fs::path& root) {
    if (root.empty()) return;
    list.push_back({root / name, ""});
    if (of_emnist) list.push_back({root / "emnist", prefix});
  };
  add(places.data_dir);
  if (!places.data_dir.empty()) list.push_back({places.data_dir, prefix});
  add(places.working_dir / "data");
  add(places.user_dir);
  add(places.system_dir);
  list.push_back({places.working_dir / name, ""});
  return list;
}

Result<SetFiles> find_by_name(std::string_view name, const DataPlaces& places) {
  if (!places.data_dir.empty() && !is_a_directory(places.data_dir))
    return no_directory(places.data_dir, "--data needs one that holds data sets");
  std::string searched;
  for (const Candidate& candidate : candidates(name, places)) {
    searched += (searched.empty() ? "" : ", ") + candidate.directory.lexically_normal().string();
    if (!is_a_directory(candidate.directory)) continue;
    auto set = choose_set(candidate.directory, candidate.prefix);
    if (set || set.error().code != ErrorCode::NotFound) return set;
    searched += " (which holds no set)";
  }
  return failure(ErrorCode::NotFound, "data set \"" + std::string(name) +
                                          "\" was not found; looked in " + searched + "; " +
                                          remedy(name));
}

Result<SetFiles> find_by_path(const fs::path& path) {
  if (is_a_directory(path)) return choose_set(path, "");
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code ignored;
  if (fs::exists(path, ignored))
    return failure(
        ErrorCode::NotFound,
        path.string() + ": is a file; give the directory that holds it: " + parent.string());
  if (is_a_directory(parent)) {
    auto set = choose_set(parent, path.filename().string() + "-");
    if (set || set.error().code != ErrorCode::NotFound) return set;
  }
  return no_directory(path, "give one that holds IDX files");
}

bool looks_like_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text == "." || text == "..";
}

}  // namespace

DataPlaces data_places(fs::path data_dir) {
  DataPlaces places;
  places.data_dir = std::move(data_dir);
  const char* const xdg = std::getenv("XDG_DATA_HOME");
  const char* const home = std::getenv("HOME");
  // The XDG rules say that a relative path is to be ignored.
  if (xdg != nullptr && fs::path(xdg).is_absolute())
    places.user_dir = fs::path(xdg) / "quadrille";
  else if (home != nullptr && *home != '\0')
    places.user_dir = fs::path(home) / ".local/share/quadrille";
  return places;
}

Result<std::vector<SetFiles>> list_sets(const fs::path& directory) {
  TRY(files, files_in(directory));
  std::map<std::string, SetFiles> by_prefix;
  for (const fs::path& file : files) {
    const std::optional<NamedPart> named = parse_file_name(file.filename().string());
    if (!named) continue;
    SetFiles& set = by_prefix[named->prefix];
    set.directory = directory;
    set.prefix = named->prefix;
    if (fs::path& part = part_of(set, named->part); part.empty()) part = file;
  }
  std::vector<SetFiles> sets;
  for (auto& [prefix, set] : by_prefix) {
    set.name = prefix.empty() ? last_name(directory) : without_dash(prefix);
    sets.push_back(std::move(set));
  }
  return sets;
}

Result<SetFiles> find_set(std::string_view name_or_path, const DataPlaces& places) {
  if (name_or_path.empty())
    return failure(ErrorCode::Config, "the data set has no name; " + remedy(name_or_path));
  TRY(set, looks_like_path(name_or_path) ? find_by_path(fs::path(name_or_path))
                                         : find_by_name(name_or_path, places));
  set.name = std::string(name_or_path);
  return set;
}

}  // namespace quadrille::data
