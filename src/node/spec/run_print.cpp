// The key table as text: an effective run file, and the page docs/run-file.md.
#include <string>

#include "node/spec/run_keys.hpp"

namespace quadrille::node {
namespace {

constexpr std::size_t comment_column = 44;

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

// Only what the range does not say.
std::string comment_on(const Key& key, const RunSpec& spec) {
  if (key.path == "algorithm.score" && spec.score_auto) {
    const Key& score = key;
    RunSpec chosen = spec;
    chosen.score_auto = false;
    return "here " + value_text(score.get(chosen));
  }
  if (key.path == "model.name" && spec.model_auto)
    return "here " + value_text(spec.lipizzaner.model);
  if (std::holds_alternative<WholeNumber>(key.kind) ||
      std::holds_alternative<RealNumber>(key.kind) || std::holds_alternative<Choice>(key.kind))
    return range_text(key.kind);
  return "";
}

std::string effective_line(const Key& key, const RunSpec& spec) {
  const std::string set = std::string(key.name()) + " = " + value_text(key.get(spec));
  if (!key.applies(spec))
    return "# " + padded(set, comment_column - 4) +
           "  # not used: " + std::string(key.condition.otherwise) + "\n";
  const std::string comment = comment_on(key, spec);
  return comment.empty() ? set + "\n" : padded(set, comment_column - 2) + "  # " + comment + "\n";
}

// A '|' would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string default_text(const Key& key) {
  if (key.path == "run.name") return "(required)";
  if (key.shorthand) return "";
  return "`" + value_text(key.get(RunSpec{})) + "`";
}

std::string reference_row(const Key& key) {
  std::string meaning(key.meaning);
  if (key.condition.applies != nullptr)
    meaning.append(" (").append(key.condition.otherwise).append(")");
  const bool in_id = key.in_id == InId::Yes || key.shorthand;
  return "| `" + std::string(key.name()) + "` | " + cell(default_text(key)) + " | " +
         cell(range_text(key.kind)) + " | " + (in_id ? "yes" : "") + " | " + cell(meaning) +
         ". |\n";
}

}  // namespace

std::string effective_run_file(const RunSpec& spec) {
  std::string text = "# A run with every choice written out. Its id is " + run_id(spec) + ".\n";
  for (const KeyTable& table : run_tables()) {
    text.append("\n[").append(table.name).append("]\n");
    for (const Key& key : run_keys()) {
      if (key.table() == table.name && !key.shorthand) text += effective_line(key, spec);
    }
  }
  return text;
}

std::string run_file_reference() {
  std::string text =
      "# Keys of a run file\n\n"
      "A run file is [TOML](https://toml.io). Only `run.name` must be there: every other key has "
      "a\n"
      "default. `peer check RUN.toml` prints the effective file with all of them, and\n"
      "`--set TABLE.KEY=VALUE` (as often as needed) wins over the file.\n\n"
      "A key with \"yes\" in the column *id* is part of what the run is: with another value it is\n"
      "another run, with its own id. The others can change between two starts of the same run, but "
      "for\n"
      "`grid.rows` and `grid.columns`: checkpoints are of one grid.\n\n"
      "This page is printed by `peer check --keys`, from the table that reads the file.\n";
  for (const KeyTable& table : run_tables()) {
    text.append("\n## [").append(table.name).append("]\n\n").append(table.meaning);
    text += "\n\n| key | default | values | id | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const Key& key : run_keys()) {
      if (key.table() == table.name) text += reference_row(key);
    }
  }
  return text;
}

}  // namespace quadrille::node
