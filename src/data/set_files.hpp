// Where a set's files are: by name in a list of directories, or by path. Recognises the names that
// MNIST, Fashion-MNIST, KMNIST and EMNIST are published under, plain or .gz.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace quadrille::data {

// Where data sets are looked for. The set NAME is the first of
//   data_dir/NAME, or data_dir itself where it holds the files       (--data DIR)
//   working_dir/data/NAME                                            (tools/data puts them there)
//   user_dir/NAME                                                    (see data_places)
//   system_dir/NAME                                                  (Debian's dataset-* packages)
// that is there and holds a set.
struct DataPlaces {
  std::filesystem::path data_dir;  // may be empty
  std::filesystem::path working_dir = ".";
  std::filesystem::path user_dir;  // may be empty
  std::filesystem::path system_dir = "/usr/share/datasets";
};

// The places of this process: user_dir is $XDG_DATA_HOME/quadrille, or else
// $HOME/.local/share/quadrille.
DataPlaces data_places(std::filesystem::path data_dir);

struct SplitFiles {
  std::filesystem::path images;  // empty: not there
  std::filesystem::path labels;  // empty: not there
};

struct SetFiles {
  std::string name;  // as it was asked for
  std::filesystem::path directory;
  std::string prefix;  // what the file names begin with: "", or "emnist-letters-"
  SplitFiles train;
  SplitFiles test;  // t10k-* or *test-*

  // EMNIST stores its images with rows and columns swapped; they are turned upright when loaded.
  bool transposed() const { return prefix.starts_with("emnist-"); }
};

// Every set in a directory, in order of prefix; also those without training images.
Result<std::vector<SetFiles>> list_sets(const std::filesystem::path& directory);

// The one set that is meant: by a name ("mnist", "emnist-letters": files in emnist/
// or emnist-letters/ that begin so), or by the path of a directory, or by a path
// with a prefix where a directory holds several sets ("data/emnist/emnist-letters").
// A name that is found nowhere is tried as a directory too. NotFound says what was
// searched; Config names the sets where there are several; Io: the system does not look.
Result<SetFiles> find_set(std::string_view name_or_path, const DataPlaces& places);

}  // namespace quadrille::data
