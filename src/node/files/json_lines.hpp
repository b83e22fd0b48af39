// metrics.jsonl: one JSON object a line, one line per cell and round, for jq, pandas and people.
//
//   {"cell":0,"generation":3,"generator_fitness":0.9,"discriminator_fitness":1.2,"score":31.5,
//    "images_seen":180000,"learning_rate":[0.0002,0.00019],"seconds":2.1}
//
// A measure of one value is a number, of several a list. What is not finite is null. The file is
// only ever appended to; a last line of ours that a crash tore is cut off when it is opened again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

// What the journal adds to a learner's status: seconds, images_per_second.
struct NamedNumber {
  std::string_view name;
  double value;
};

// The line, without its end. `subround` is named only where the algorithm has several.
std::string status_line(const peer::Status& status, std::span<const NamedNumber> extra);

// What became of lines that are no metrics of a run.
struct SetAside {
  std::size_t lines = 0;
  std::filesystem::path file;  // the whole file as it was; where there were such lines
};

class JsonLines {
 public:
  enum class Line : std::uint8_t { Wanted, Outdated, Foreign };

  // Opens to append; creates it when it is not there. Io.
  static Result<JsonLines> open(const std::filesystem::path& path);
  ~JsonLines();
  JsonLines(JsonLines&& other) noexcept;
  JsonLines& operator=(JsonLines&&) = delete;

  // Drops every line that is not wanted, that repeats a cell's round, or that is none of ours: in
  // one step, or not at all. The file with foreign lines, or with what is no line of ours at all,
  // stays as it was under another name, NAME.damaged. Io.
  Result<SetAside> keep(const std::function<Line(CellIndex, std::uint64_t generation)>& judge);
  // The whole line is there when this returns, or nothing of it. Io.
  Result<void> append(const peer::Status& status, std::span<const NamedNumber> extra = {});

 private:
  JsonLines(std::filesystem::path path, int descriptor, std::uint64_t size);

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_;
};

}  // namespace quadrille::node
