// A learner that writes down what passes between another learner and its driver: the transcript of
// one cell.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "node/passing_learner.hpp"

namespace quadrille::testing {

class RecordingLearner final : public PassingLearner {
 public:
  RecordingLearner(peer::Learner& inner, CellIndex watched)
      : PassingLearner(inner), watched_(watched) {}

  void advance(std::span<const peer::CellInput> cells, peer::Quantum quantum,
               std::vector<peer::Action>& actions) override {
    for (const peer::CellInput& input : cells)
      if (input.cell == watched_) record(input);
    const std::size_t first = actions.size();
    PassingLearner::advance(cells, quantum, actions);
    for (std::size_t i = first; i < actions.size(); ++i) std::visit(*this, actions[i]);
  }

  const std::vector<std::string>& transcript() const { return transcript_; }

  void operator()(const peer::Publish& publish) {
    if (publish.cell == watched_) line() << "  publish " << publish.round;
  }
  void operator()(const peer::Send& send) {
    if (send.from == watched_) line() << "  send " << send.round << " to " << send.to;
  }
  void operator()(const peer::Need& need) {
    if (need.cell != watched_) return;
    std::ostringstream& out = line();
    out << "  need" << (need.newest ? " newest" : "");
    for (const auto& item : need.snapshots) out << ' ' << item.source << '@' << item.round;
    for (const auto& item : need.chunks) out << " chunk " << item.source << '@' << item.round;
  }
  void operator()(const peer::Status& status) {
    if (status.cell == watched_) line() << "  status " << status.round;
  }
  void operator()(const peer::Notice& notice) {
    if (notice.cell == watched_) line() << "  notice";
  }
  void operator()(const peer::Done& done) {
    if (done.cell == watched_) line() << "  done";
  }
  void operator()(const peer::Failed& failed) {
    if (failed.cell == watched_) line() << "  failed";
  }

  // Ends the line in progress; call before reading the transcript.
  void finish() {
    if (!current_.str().empty()) transcript_.push_back(current_.str());
    current_.str("");
  }

 private:
  void record(const peer::CellInput& input) {
    std::ostringstream& out = line();
    out << "advance";
    for (const auto& snapshot : input.snapshots)
      out << ' ' << snapshot.cell << '@' << snapshot.round;
    for (const auto& chunk : input.chunks) out << " chunk " << chunk.from << '@' << chunk.round;
    if (input.deadline_passed) out << " late";
  }

  std::ostringstream& line() {
    finish();
    return current_;
  }

  CellIndex watched_;
  std::ostringstream current_;
  std::vector<std::string> transcript_;
};

}  // namespace quadrille::testing
