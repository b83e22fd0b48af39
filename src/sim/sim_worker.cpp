#include "sim/sim_worker.hpp"

#include <ranges>
#include <utility>

#include "base/check.hpp"
#include "base/overloaded.hpp"
#include "base/printed.hpp"

namespace quadrille::sim {
namespace {

bool is_for_object(const peer::WorkerCommand& command) {
  return std::holds_alternative<peer::SaveState>(command) ||
         std::holds_alternative<peer::PackSnapshot>(command) ||
         std::holds_alternative<peer::DrawSheet>(command);
}

}  // namespace

Duration SimWorker::time_of(const peer::WorkerCommand& command) const {
  return std::visit(Overloaded{[&](const peer::EncodePayload&) { return options_.encode_time; },
                               [&](const peer::ApplyPayload&) { return options_.apply_time; },
                               [&](const peer::SaveState&) { return options_.state_time; },
                               [&](const peer::StartCell&) { return options_.state_time; },
                               [&](const auto&) { return options_.other_time; }},
                    command);
}

// Since the edge was opened last: what waits from before then is of its former life.
template <class Command, class Opening>
bool SimWorker::has_waiting(const peer::EdgeId& edge) const {
  for (const peer::WorkerCommand& command : std::views::reverse(commands_)) {
    if (const auto* one = std::get_if<Command>(&command); one != nullptr && one->edge == edge)
      return true;
    if (const auto* one = std::get_if<Opening>(&command); one != nullptr && one->edge == edge)
      return false;
  }
  return false;
}

// One payload of an edge is on its way at a time, also to the worker.
void SimWorker::check_waiting(const peer::WorkerCommand& command) {
  if (commands_.size() == commands_max) complain("more commands than a worker keeps");
  const auto text_of = [](const char* what, const peer::EdgeId& edge) {
    return printed("a second payload ", what, " before the first: edge ", edge.source, " to ",
                   edge.reader);
  };
  if (const auto* one = std::get_if<peer::EncodePayload>(&command);
      one != nullptr && has_waiting<peer::EncodePayload, peer::OpenSendingEdge>(one->edge))
    complain(text_of("to encode", one->edge));
  if (const auto* one = std::get_if<peer::ApplyPayload>(&command);
      one != nullptr && has_waiting<peer::ApplyPayload, peer::OpenReceivingEdge>(one->edge))
    complain(text_of("to apply", one->edge));
}

void SimWorker::submit(peer::WorkerCommand command, TimePoint now) {
  check_waiting(command);
  objects_waiting_ += is_for_object(command) ? 1 : 0;
  const bool is_idle = commands_.empty();
  if (is_idle)
    events_.push(now + time_of(command),
                 {.kind = EventKind::WorkerStep, .node = self_.node, .subject = self_.process});
  commands_.push_back(std::move(command));
}

void SimWorker::on_step(TimePoint now, Reports& reports) {
  CHECK(!commands_.empty());
  const peer::WorkerCommand command = std::move(commands_.front());
  commands_.pop_front();
  objects_waiting_ -= is_for_object(command) ? 1 : 0;
  carry_out(command, now, reports);
  if (commands_.empty()) return;
  events_.push(now + time_of(commands_.front()),
               {.kind = EventKind::WorkerStep, .node = self_.node, .subject = self_.process});
}

Duration SimWorker::draw_round_time(RandomStream& random) const {
  const double stretch = 0.8 + 0.4 * random.uniform();
  return Duration(
      static_cast<Duration::rep>(static_cast<double>(options_.round_time.count()) * stretch));
}

}  // namespace quadrille::sim
