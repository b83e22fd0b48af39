#include "sim/sim_worker.hpp"

#include <utility>

#include "base/check.hpp"
#include "base/overloaded.hpp"

namespace quadrille::sim {

Duration SimWorker::time_of(const peer::WorkerCommand& command) const {
  return std::visit(Overloaded{[&](const peer::EncodePayload&) { return options_.encode_time; },
                               [&](const peer::ApplyPayload&) { return options_.apply_time; },
                               [&](const peer::SaveState&) { return options_.state_time; },
                               [&](const peer::StartCell&) { return options_.state_time; },
                               [&](const auto&) { return options_.other_time; }},
                    command);
}

void SimWorker::submit(peer::WorkerCommand command, TimePoint now) {
  const bool is_idle = commands_.empty();
  if (is_idle)
    events_.push(now + time_of(command),
                 {.kind = EventKind::WorkerStep, .node = self_.node, .subject = self_.process});
  if (commands_.size() == commands_max) complain("more commands than a worker keeps");
  commands_.push_back(std::move(command));
}

void SimWorker::on_step(TimePoint now, Reports& reports) {
  CHECK(!commands_.empty());
  const peer::WorkerCommand command = std::move(commands_.front());
  commands_.pop_front();
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
