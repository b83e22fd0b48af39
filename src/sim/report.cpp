#include "sim/report.hpp"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/printed.hpp"

namespace quadrille::sim {
namespace {

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Ok:
      return "ok";
    case Outcome::Broken:
      return "broken";
    case Outcome::Usage:
      return "usage";
    case Outcome::Unsettled:
      return "unsettled";
  }
  return "?";
}

std::string hash_text(std::uint64_t hash) {
  std::ostringstream out;
  out << std::hex << std::setw(16) << std::setfill('0') << hash;
  return std::move(out).str();
}

void add_options(const ReportHead& head, nlohmann::ordered_json& json) {
  for (const auto& [key, value] : head.options)
    if (key == "fault")
      json["faults"].push_back(value);
    else
      json["options"][key] = value;
}

}  // namespace

void Report::add(Figure figure) {
  // A figure that is no number keeps no bound.
  const bool over = figure.at_most && !(figure.value <= *figure.at_most);
  const bool under = figure.at_least && !(figure.value >= *figure.at_least);
  if (over || under) {
    fail(figure.miss,
         printed(figure.name, " is ", figure.value, ", and must be at ", over ? "most " : "least ",
                 over ? *figure.at_most : *figure.at_least));
  }
  figures_.push_back(std::move(figure));
}

void Report::add_seconds(std::string name, Duration value, std::optional<Duration> at_most) {
  Figure figure{.name = std::move(name), .value = in_seconds(value)};
  if (at_most) figure.at_most = in_seconds(*at_most);
  add(std::move(figure));
}

// What is wrong outweighs what is late.
void Report::fail(Outcome outcome, std::string reason) {
  if (outcome_ != Outcome::Broken) outcome_ = outcome;
  reasons_.push_back(std::move(reason));
}

const Figure* Report::find(const std::string& name) const {
  for (const Figure& figure : figures_)
    if (figure.name == name) return &figure;
  return nullptr;
}

std::string to_text(const ReportHead& head, const Report& report, const World& world) {
  std::ostringstream out;
  for (const Figure& figure : report.figures()) {
    out << "  " << std::left << std::setw(44) << figure.name << ' ' << figure.value;
    if (figure.at_most) out << "  (at most " << *figure.at_most << ')';
    if (figure.at_least) out << "  (at least " << *figure.at_least << ')';
    out << '\n';
  }
  out << "  " << std::left << std::setw(44) << "virtual_seconds" << ' '
      << in_seconds(world.now().since_start) << '\n';
  out << "  " << std::left << std::setw(44) << "events" << ' ' << world.event_count() << '\n';
  out << "  " << std::left << std::setw(44) << "history" << ' ' << hash_text(world.history_hash())
      << '\n';
  for (const std::string& reason : report.reasons())
    out << name_of(report.outcome()) << ": " << reason << '\n';
  if (report.outcome() == Outcome::Ok)
    out << "ok\n";
  else
    out << "replay with:  " << head.replay << '\n';
  return std::move(out).str();
}

namespace {

// Whatever is typed comes out: a name that is no UTF-8, too, with marks in place of what is none.
std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string options_to_json(const ReportHead& head) {
  nlohmann::ordered_json json;
  json["scenario"] = head.scenario;
  json["seed"] = head.seed;
  add_options(head, json);
  return text_of(json);
}

std::string to_json(const ReportHead& head, const Report& report, const World& world) {
  nlohmann::ordered_json json;
  json["scenario"] = head.scenario;
  json["seed"] = head.seed;
  json["outcome"] = name_of(report.outcome());
  json["reasons"] = report.reasons();
  if (report.outcome() != Outcome::Ok) json["replay"] = head.replay;
  for (const Figure& figure : report.figures()) {
    json["figures"][figure.name] = figure.value;
    if (figure.at_most) json["at_most"][figure.name] = *figure.at_most;
    if (figure.at_least) json["at_least"][figure.name] = *figure.at_least;
  }
  add_options(head, json);
  json["virtual_seconds"] = in_seconds(world.now().since_start);
  json["events"] = world.event_count();
  json["history"] = hash_text(world.history_hash());
  if (const auto& violation = world.violation())
    json["violation"] = {{"invariant", violation->invariant},
                         {"host", violation->node},
                         {"second", in_seconds(violation->time.since_start)},
                         {"text", violation->text}};
  return text_of(json);
}

}  // namespace quadrille::sim
