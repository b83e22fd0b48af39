// metrics.jsonl: one JSON object a line, one line per cell and round, for jq, pandas and people.
//
//   {"cell":0,"generation":3,"generator_fitness":0.9,"discriminator_fitness":1.2,"score":31.5,
//    "images_seen":180000,"learning_rate":[0.0002,0.00019],"seconds":2.1}
//
// A measure of one value is a number, of several a list. What is not finite is null. The file is
// only ever appended to; a last line that a crash tore is cut off when it is opened again.
#pragma once

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

class JsonLines {
 public:
  // Opens to append; creates it when it is not there. Io.
  static Result<JsonLines> open(const std::filesystem::path& path);
  ~JsonLines();
  JsonLines(JsonLines&& other) noexcept;
  JsonLines& operator=(JsonLines&&) = delete;

  // Drops every line that `wanted` does not want, that repeats a cell's round, or that is none of
  // ours: in one step, or not at all. Io.
  Result<void> keep(const std::function<bool(CellIndex, std::uint64_t generation)>& wanted);
  // The whole line is there when this returns, or nothing of it. Io.
  Result<void> append(const peer::Status& status, std::span<const NamedNumber> extra = {});

 private:
  JsonLines(std::filesystem::path path, int descriptor, std::uint64_t size);

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_;
};

}  // namespace quadrille::node
