#include "peer/objects/acquisition.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/overloaded.hpp"

namespace quadrille::peer {

namespace {

bool is_no_state(ErrorCode code) {
  return code == ErrorCode::Corrupt || code == ErrorCode::Mismatch || code == ErrorCode::NotFinite;
}

}  // namespace

Acquisition::Acquisition(AcquisitionOptions options, PeerId self, std::vector<StoredCell> stored)
    : options_(options), self_(self), wards_(options.copy_every_rounds) {
  for (const StoredCell& cell : stored) {
    Round& newest = stored_[cell.cell];
    newest = std::max(newest, cell.round);
  }
}

void Acquisition::adopt(CellIndex cell, std::vector<Holder> neighbours,
                        std::optional<PeerId> understudy, TimePoint now, Objects& objects,
                        ObjectsOutput& fetches) {
  abandon(cell);
  Adoption& adoption = adoptions_[cell];
  adoption.ask_until = now + options_.ask_patience;
  asking_.emplace(adoption.ask_until, cell);
  if (const auto stored = stored_.find(cell); stored != stored_.end()) {
    adoption.candidates.push_back(
        {.round = stored->second, .source = Source::Checkpoint, .holder = self_});
    adoption.furthest = stored->second;
  }
  // This peer may have been the cell's understudy until it claimed it, and hold what it read of it.
  for (const Source source : {Source::State, Source::Snapshot})
    ask({.adopted = cell, .candidate = Candidate{{}, source, self_}}, self_, cell, now, objects,
        fetches);
  if (understudy && *understudy != self_)
    ask({.adopted = cell, .candidate = Candidate{{}, Source::State, *understudy}}, *understudy,
        cell, now, objects, fetches);
  std::set<PeerId> owners{self_};
  for (const Holder& neighbour : neighbours) {
    ask({.adopted = cell, .candidate = std::nullopt}, neighbour.owner, neighbour.cell, now, objects,
        fetches);
    if (!owners.insert(neighbour.owner).second) continue;
    ask({.adopted = cell, .candidate = Candidate{{}, Source::Snapshot, neighbour.owner}},
        neighbour.owner, cell, now, objects, fetches);
  }
}

void Acquisition::ask(const Question& question, PeerId peer, CellIndex about, TimePoint now,
                      Objects& objects, ObjectsOutput& fetches) {
  const bool about_state = question.candidate && question.candidate->source == Source::State;
  const auto kind = about_state ? wire::ObjectKind::State : wire::ObjectKind::Snapshot;
  const FetchId fetch = objects.ask(peer, kind, about, now, fetches);
  questions_.emplace(fetch, question);
  adoptions_.at(question.adopted).questions.insert(fetch);
}

void Acquisition::take_over(CellIndex cell, PeerId from, TimePoint now, Objects& objects,
                            ObjectsOutput& fetches) {
  abandon(cell);
  const wire::ObjectRequest what{.kind = wire::ObjectKind::State, .cell = cell, .hand_over = true};
  take_overs_[cell] = objects.fetch(from, what, now, fetches);
}

void Acquisition::abandon(CellIndex cell) {
  take_overs_.erase(cell);
  const auto found = adoptions_.find(cell);
  if (found == adoptions_.end()) return;
  stop_asking(cell, found->second);
  if (found->second.is_waiting) std::erase(waiting_, cell);
  std::erase_if(fetching_, [&](const auto& each) { return each.second == cell; });
  adoptions_.erase(found);
}

void Acquisition::set_wards(std::vector<Ward> wards, TimePoint now, Objects& objects,
                            ObjectsOutput& fetches, AcquisitionOutput& out) {
  wards_.set(wards, now, objects, fetches, out.commands);
}

void Acquisition::note_found(const Question& question, const ObjectsOutput::Answer& answer) {
  Adoption& adoption = adoptions_.at(question.adopted);
  adoption.furthest = std::max(adoption.furthest, answer.round);
  if (question.candidate) {
    adoption.candidates.push_back(*question.candidate);
    adoption.candidates.back().round = answer.round;
  } else {
    adoption.neighbours_furthest = std::max(adoption.neighbours_furthest, answer.round);
  }
}

void Acquisition::stop_asking(CellIndex cell, Adoption& adoption) {
  asking_.erase({adoption.ask_until, cell});
  for (const FetchId fetch : adoption.questions) questions_.erase(fetch);
  adoption.questions.clear();
}

void Acquisition::decide(CellIndex cell, Adoption& adoption) {
  stop_asking(cell, adoption);
  std::ranges::sort(adoption.candidates, {}, [](const Candidate& candidate) {
    return std::tuple(candidate.round, candidate.source, candidate.holder);
  });
  wait(cell, false);
}

void Acquisition::wait(CellIndex cell, bool in_front) {
  adoptions_.at(cell).is_waiting = true;
  if (in_front)
    waiting_.push_front(cell);
  else
    waiting_.push_back(cell);
}

void Acquisition::fetch_waiting(TimePoint now, Objects& objects, ObjectsOutput& fetches,
                                AcquisitionOutput& out) {
  while (!waiting_.empty() && fetching_.size() < adoption_fetches_max) {
    const CellIndex cell = waiting_.front();
    waiting_.pop_front();
    adoptions_.at(cell).is_waiting = false;
    try_best(cell, adoptions_.at(cell), now, objects, fetches, out);
  }
}

void Acquisition::try_best(CellIndex cell, Adoption& adoption, TimePoint now, Objects& objects,
                           ObjectsOutput& fetches, AcquisitionOutput& out) {
  adoption.tried = adoption.candidates.back();
  adoption.candidates.pop_back();
  const Candidate& best = adoption.tried;
  if (best.source == Source::Fresh || best.source == Source::Checkpoint) {
    StartOrigin origin = StartFresh{};
    if (best.source == Source::Checkpoint) origin = StartFromCheckpoint{};
    out.commands.push_back(StartCell{.cell = cell, .origin = std::move(origin)});
    return;
  }
  const auto kind =
      best.source == Source::State ? wire::ObjectKind::State : wire::ObjectKind::Snapshot;
  const wire::ObjectRequest what{.kind = kind, .cell = cell};
  fetching_.emplace(objects.fetch(best.holder, what, now, fetches), cell);
}

void Acquisition::take_fetched(CellIndex cell, const ObjectsOutput::Answer& answer,
                               AcquisitionOutput& out) {
  Adoption& adoption = adoptions_.at(cell);
  if (!answer.found) return wait(cell, true);
  adoption.tried.round = answer.round;
  StartOrigin origin = StartFromState{answer.payload};
  if (adoption.tried.source == Source::Snapshot)
    origin = StartFromSnapshot{.snapshot = answer.payload,
                               .jump_to = std::max(adoption.neighbours_furthest, answer.round)};
  out.commands.push_back(StartCell{.cell = cell, .origin = std::move(origin)});
}

void Acquisition::take_yielded(const ObjectsOutput::Answer& answer, AcquisitionOutput& out) {
  const auto found = take_overs_.find(answer.cell);
  if (found == take_overs_.end() || found->second != answer.fetch) return;
  if (answer.found) {
    out.commands.push_back(
        StartCell{.cell = answer.cell, .origin = StartFromState{answer.payload}});
  } else {
    take_overs_.erase(found);
    out.results.push_back({.cell = answer.cell, .outcome = AcquisitionOutput::Outcome::Missing});
  }
}

void Acquisition::on_report(const WorkerReport& report, TimePoint now, Objects& objects,
                            ObjectsOutput& fetches, AcquisitionOutput& out) {
  std::visit(Overloaded{[&](const CellStarted& started) { on_started(started.cell, out); },
                        [&](const CellFailed& failed) {
                          if (failed.at_start) on_start_failed(failed, out);
                        },
                        [&](const CellStored& each) { stored_[each.cell] = each.round; },
                        [](const auto&) {}},
             report);
  fetch_waiting(now, objects, fetches, out);
}

void Acquisition::on_started(CellIndex cell, AcquisitionOutput& out) {
  AcquisitionOutput::Result result{.cell = cell, .outcome = AcquisitionOutput::Outcome::Started};
  const auto adoption = adoptions_.find(cell);
  const bool is_adoption = adoption != adoptions_.end();
  if (!is_adoption || adoption->second.tried.source != Source::Checkpoint) stored_.erase(cell);
  if (is_adoption) {
    const Candidate& origin = adoption->second.tried;
    result.adopted = origin.source == Source::Snapshot || origin.round < adoption->second.furthest;
  }
  abandon(cell);
  out.results.push_back(result);
}

void Acquisition::on_start_failed(const CellFailed& failed, AcquisitionOutput& out) {
  const auto adoption = adoptions_.find(failed.cell);
  const bool is_adoption = adoption != adoptions_.end();
  if (is_adoption && !adoption->second.candidates.empty()) return wait(failed.cell, true);
  abandon(failed.cell);
  const bool was_none = !is_adoption && is_no_state(failed.error.code);
  out.results.push_back({.cell = failed.cell,
                         .outcome = was_none ? AcquisitionOutput::Outcome::NoState
                                             : AcquisitionOutput::Outcome::Refused});
}

void Acquisition::on_answer(const ObjectsOutput::Answer& answer, TimePoint now, Objects& objects,
                            ObjectsOutput& fetches, AcquisitionOutput& out) {
  if (wards_.on_answer(answer, now, objects, fetches, out.commands)) return;
  if (const auto asked = questions_.extract(answer.fetch)) {
    const CellIndex cell = asked.mapped().adopted;
    if (answer.found) note_found(asked.mapped(), answer);
    Adoption& adoption = adoptions_.at(cell);
    adoption.questions.erase(answer.fetch);
    if (adoption.questions.empty()) decide(cell, adoption);
  } else if (const auto fetched = fetching_.extract(answer.fetch)) {
    take_fetched(fetched.mapped(), answer, out);
  } else {
    take_yielded(answer, out);
  }
  fetch_waiting(now, objects, fetches, out);
}

void Acquisition::on_time(TimePoint now, Objects& objects, ObjectsOutput& fetches,
                          AcquisitionOutput& out) {
  while (!asking_.empty() && asking_.begin()->first <= now) {
    const CellIndex cell = asking_.begin()->second;
    decide(cell, adoptions_.at(cell));
  }
  fetch_waiting(now, objects, fetches, out);
  wards_.on_time(now, objects, fetches, out.commands);
}

TimePoint Acquisition::wake_at() const {
  const TimePoint soonest = wards_.wake_at();
  return asking_.empty() ? soonest : std::min(soonest, asking_.begin()->first);
}

}  // namespace quadrille::peer
