// Looking into what a worker reported.
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/overloaded.hpp"
#include "worker/learner_worker.hpp"

namespace quadrille::test {

using Reports = std::vector<peer::WorkerReport>;

template <class Report>
std::vector<Report> all_of(const Reports& reports) {
  std::vector<Report> found;
  for (const peer::WorkerReport& each : reports)
    if (const auto* report = std::get_if<Report>(&each)) found.push_back(*report);
  return found;
}

// The only one of its kind.
template <class Report>
Report the_only(const Reports& reports) {
  const std::vector<Report> found = all_of<Report>(reports);
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  return found.front();
}

// "started published needs": the story in words.
inline std::string story(const Reports& reports) {
  std::string words;
  for (const peer::WorkerReport& each : reports)
    words += std::visit(Overloaded{[](const peer::CellStarted&) { return "started "; },
                                   [](const peer::CellNeighbours&) { return "neighbours "; },
                                   [](const peer::CellPublished&) { return "published "; },
                                   [](const peer::CellNeeds&) { return "needs "; },
                                   [](const peer::CellStatusReport&) { return "status "; },
                                   [](const peer::CellNotice&) { return "notice "; },
                                   [](const peer::CellDone&) { return "done "; },
                                   [](const peer::CellFailed&) { return "failed "; },
                                   [](const peer::CellStored&) { return "stored "; },
                                   [](const peer::DirectChunk&) { return "chunk "; },
                                   [](const peer::PayloadEncoded&) { return "encoded "; },
                                   [](const peer::PayloadTaken&) { return "taken "; },
                                   [](const peer::ObjectReady&) { return "object "; }},
                        each);
  if (!words.empty()) words.pop_back();
  return words;
}

inline Reports carry_out(worker::LearnerWorker& worker, const peer::WorkerCommand& command) {
  Reports reports;
  worker.carry_out(command, reports);
  return reports;
}

// Until no cell can go on.
inline Reports advance(worker::LearnerWorker& worker) {
  Reports reports;
  while (worker.advance({.steps = 1000}, reports)) {
  }
  return reports;
}

}  // namespace quadrille::test
