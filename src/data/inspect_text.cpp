// The two written forms of an inspection: lines for people, and one JSON object.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/count_text.hpp"
#include "base/utf8.hpp"
#include "data/inspect.hpp"

namespace quadrille::data {
namespace {

std::string fixed(double value, int digits) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
  return buffer.data();
}

std::string file_size(std::uint64_t bytes) {
  if (bytes < 1'000'000) return fixed(static_cast<double>(bytes) / 1e3, 1) + " kB";
  return fixed(static_cast<double>(bytes) / 1e6, 1) + " MB";
}

std::string shape_of(const SampleShape& shape) {
  return std::to_string(shape.height) + " x " + std::to_string(shape.width);
}

// "0-9: 6000 each", or every label with its count.
std::string labels_text(const std::vector<std::size_t>& counts) {
  bool equal = true;
  for (const std::size_t count : counts) equal = equal && count == counts.front();
  if (equal && counts.size() > 1)
    return "0 to " + std::to_string(counts.size() - 1) + ", " + std::to_string(counts.front()) +
           " each";
  std::string text;
  for (std::size_t label = 0; label < counts.size(); ++label)
    if (counts[label] > 0)
      text +=
          (text.empty() ? "" : ", ") + std::to_string(label) + ": " + std::to_string(counts[label]);
  return text;
}

std::string file_text(const FileInspection& file) {
  std::string text = "  " + file.role + ": " + std::to_string(file.count);
  if (file.images) {
    text += " of " + shape_of(file.shape) + ", pixels " + std::to_string(file.images->minimum) +
            " to " + std::to_string(file.images->maximum) + ", mean " +
            fixed(file.images->mean, 2) + ", " + count_text(file.images->duplicates, "duplicate") +
            ", " + std::to_string(file.images->blank) + " blank";
  }
  if (!file.label_counts.empty()) text += "; labels " + labels_text(file.label_counts);
  if (!file.path.empty())
    text += "  [" + std::filesystem::path(file.path).filename().string() + ", " +
            file_size(file.file_bytes) + "]";
  return text;
}

std::string verdict(const Inspection& inspection) {
  const std::size_t count = inspection.problems.size();
  if (count == 0) return "verdict: fine, ready to train on";
  return "verdict: " + count_text(count, "problem") + ", to be mended first";
}

std::string json_letter(char letter) {
  if (letter == '"' || letter == '\\') return {'\\', letter};
  if (static_cast<unsigned char>(letter) >= 0x20) return {letter};
  std::array<char, 8> escape{};
  std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(letter));
  return escape.data();
}

// JSON is UTF-8 and paths are bytes: each that fits nowhere becomes a replacement character.
std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    if (bytes == 0)
      json += "\uFFFD";
    else if (bytes == 1)
      json += json_letter(text.front());
    else
      json += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return json + '"';
}

// "[a, b]" of what `element` makes of each.
template <class List, class Element>
std::string array_of(const List& list, Element element) {
  std::string json = "[";
  for (const auto& item : list) json += (json.size() > 1 ? ", " : "") + element(item);
  return json + "]";
}

std::string file_json(const FileInspection& file) {
  std::string json = "{\"role\": " + json_string(file.role) +
                     ", \"path\": " + json_string(file.path) +
                     ", \"file_bytes\": " + std::to_string(file.file_bytes) +
                     ", \"count\": " + std::to_string(file.count) +
                     ", \"height\": " + std::to_string(file.shape.height) +
                     ", \"width\": " + std::to_string(file.shape.width) +
                     ", \"channels\": " + std::to_string(file.shape.channels);
  if (file.images)
    json += ", \"minimum\": " + std::to_string(file.images->minimum) +
            ", \"maximum\": " + std::to_string(file.images->maximum) +
            ", \"mean\": " + fixed(file.images->mean, 4) +
            ", \"duplicates\": " + std::to_string(file.images->duplicates) +
            ", \"blank\": " + std::to_string(file.images->blank) +
            ", \"in_train\": " + std::to_string(file.images->in_train);
  if (!file.label_counts.empty())
    json += ", \"label_counts\": " +
            array_of(file.label_counts, [](std::size_t count) { return std::to_string(count); });
  return json + "}";
}

std::string set_json(const SetInspection& set) {
  return "{\"name\": " + json_string(set.name) + ", \"directory\": " + json_string(set.directory) +
         ", \"fingerprint\": " + json_string(set.fingerprint) +
         ", \"files\": " + array_of(set.files, file_json) + "}";
}

}  // namespace

std::vector<std::string> text_of(const Inspection& inspection) {
  std::vector<std::string> lines;
  for (const SetInspection& set : inspection.sets) {
    lines.push_back(set.name + ": " +
                    (set.directory.empty() ? "made by formula, nothing is read" : set.directory));
    for (const FileInspection& file : set.files) lines.push_back(file_text(file));
    if (!set.fingerprint.empty()) lines.push_back("  fingerprint: " + set.fingerprint);
  }
  for (const std::string& remark : inspection.remarks) lines.push_back("note: " + remark);
  for (const std::string& problem : inspection.problems) lines.push_back("problem: " + problem);
  lines.push_back(verdict(inspection));
  return lines;
}

std::string json_of(const Inspection& inspection) {
  return "{\"ok\": " + std::string(inspection.ok() ? "true" : "false") +
         ", \"sets\": " + array_of(inspection.sets, set_json) +
         ", \"remarks\": " + array_of(inspection.remarks, json_string) +
         ", \"problems\": " + array_of(inspection.problems, json_string) + "}";
}

}  // namespace quadrille::data
