// The run's id. What goes into the hash is a small text, one
// "path = value" a line, sorted by path: neither the order of a file nor
// that of the key table can change it. Renaming a key or a choice does.
#include <xxhash.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/hex.hpp"
#include "node/spec/run_keys.hpp"
#include "node/spec/run_spec_checks.hpp"

namespace quadrille::node {
namespace {

bool always_in_id(std::string_view path) {
  return path == "run.name" || path == "run.seed" || path == "run.tag";
}

// "auto" and what it stands for are one choice.
bool chosen_as_auto(const Key& key, const RunSpec& spec) {
  if (key.path == "model.name") return spec.lipizzaner.model == auto_model(spec);
  return key.path == "algorithm.score" && spec.lipizzaner.score == auto_score(spec);
}

// What the id says of the key; nothing where it leaves the key out.
std::string id_text(const Key& key, const RunSpec& spec) {
  if (key.in_id == InId::No) return "";
  const bool said = !is_default(key, spec) && !chosen_as_auto(key, spec);
  if (!said && !always_in_id(key.path)) return "";
  return value_text(key.get(spec));
}

std::string hex(const XXH128_hash_t& hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return hex_text(bytes_of(std::span<const unsigned char>(canonical.digest)));
}

}  // namespace

std::string run_id(const RunSpec& spec) {
  std::vector<std::string> lines;
  for (const Key& key : run_keys())
    if (const std::string value = id_text(key, spec); !value.empty())
      lines.push_back(std::string(key.path) + " = " + value + "\n");
  std::ranges::sort(lines);
  std::string text = "quadrille run, defaults " + std::to_string(defaults_version) + "\n";
  for (const std::string& line : lines) text += line;
  return hex(XXH3_128bits(text.data(), text.size()));
}

std::string id_difference(const RunSpec& there, const RunSpec& here) {
  constexpr std::size_t named_max = 3;
  std::string text;
  std::size_t count = 0;
  for (const Key& key : run_keys()) {
    if (id_text(key, there) == id_text(key, here)) continue;
    if (++count > named_max) continue;
    text += (text.empty() ? "" : ", ") + std::string(key.path) + " is " +
            value_text(key.get(there)) + " there and " + value_text(key.get(here)) + " here";
  }
  return count > named_max ? text + " and " + std::to_string(count - named_max) + " more" : text;
}

}  // namespace quadrille::node
