// How a cell begins, and how it is saved. A checkpoint holds the center with its moments, the whole
// sub-population (the mixture refers to it, and a neighbour's next snapshot may be refused), and
// the position of every stream.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "data/cell_rows.hpp"
#include "train/lipizzaner/cell.hpp"
#include "train/lipizzaner/checkpoint_reader.hpp"

namespace quadrille::train {
namespace {

std::string name_of(Role role) {
  return role == Role::Generator ? "generator" : "discriminator";
}

std::string member_name(std::size_t member) {
  return "member." + std::to_string(member);
}
std::string weight_name(std::size_t member) {
  return "mixture." + std::to_string(member);
}

// The parts of a network that a checkpoint keeps, by name.
struct Part {
  std::string name;
  compute::Floats floats;
};

std::vector<Part> parts_of(Role role, const nn::TrainedNetwork& network) {
  std::vector<Part> parts{{name_of(role), network.parameters()}};
  if (!network.first_moment().empty())
    parts.push_back({name_of(role) + ".first_moment", network.first_moment()});
  if (!network.second_moment().empty())
    parts.push_back({name_of(role) + ".second_moment", network.second_moment()});
  return parts;
}

}  // namespace

Result<std::unique_ptr<Cell>> Cell::make(const Setup& setup, CellIndex index, std::uint64_t life) {
  TRY(rows, data::rows_of_cell(setup.dataset, setup.run.share_of(index)));
  const PhiloxKey key = cell_key(setup.run.seed, "batches", {.cell = index, .life = life});
  TRY(cursor, data::BatchCursor::create(std::move(rows), setup.options.batch_size, key));
  return std::unique_ptr<Cell>(new Cell(setup, index, life, std::move(cursor)));
}

Result<std::unique_ptr<Cell>> Cell::start(const Setup& setup, CellIndex index,
                                          const peer::Origin& origin) {
  if (const auto* restored = std::get_if<peer::Restored>(&origin)) {
    const CheckpointReader checkpoint(restored->state);
    TRY(life, checkpoint.counter("life"));
    TRY(cell, make(setup, index, life));
    TRY_VOID(cell->begin_restored(checkpoint));
    return cell;
  }
  if (const auto* adopted = std::get_if<peer::Adopted>(&origin)) {
    const std::uint64_t life = std::max(adopted->jump_to, adopted->newest.round).index;
    TRY(cell, make(setup, index, life));
    TRY_VOID(cell->begin_adopted(*adopted));
    return cell;
  }
  TRY(cell, make(setup, index, 0));
  cell->begin_fresh();
  return cell;
}

void Cell::begin_fresh() {
  for (const Role role : both_roles) {
    const nn::Network& network = role == Role::Generator ? setup_.generator : setup_.discriminator;
    RandomStream random(
        cell_key(setup_.run.seed, "initial " + name_of(role), {.cell = index_, .life = 0}));
    std::vector<float> parameters(network.parameter_count());
    network.initialise(parameters, random);
    queue_->upload(center(role).parameters(), std::span<const float>(parameters));
    center(role).set_traits(*queue_, {.learning_rate = base_rate(setup_.options, role).value,
                                      .loss = setup_.options.loss});
    center(role).reset_moments(*queue_);
  }
  clip_discriminator(*queue_, setup_.options, discriminator_.parameters());
  queue_->synchronise();
}

Result<void> Cell::begin_adopted(const peer::Adopted& adopted) {
  const peer::SnapshotView& newest = adopted.newest;
  const Result<PairTraits> traits = read_snapshot(newest, setup_.layout, setup_.options);
  if (!traits)
    return failure_in("the adopted cell's snapshot of round " + std::to_string(newest.round.index),
                      traits.error());
  for (const Role role : both_roles) {
    queue_->upload(center(role).parameters(), setup_.layout.of(role).parameters.of(newest.values));
    center(role).set_traits(*queue_, traits->of(role));
    center(role).reset_moments(*queue_);
  }
  clip_discriminator(*queue_, setup_.options, discriminator_.parameters());
  queue_->synchronise();
  round_ = {.index = life_};
  batches_seen_ = round_.index * batches_per_generation();
  images_seen_ = batches_seen_ * setup_.options.batch_size;
  notice_ = "adopted from its snapshot of round " + std::to_string(newest.round.index) +
            " with fresh moments; it goes on at round " + std::to_string(round_.index);
  return {};
}

Result<void> Cell::begin_restored(const CheckpointReader& checkpoint) {
  round_ = checkpoint.round();
  publishes_first_ = false;
  TRY_VOID(restore_streams(checkpoint));
  TRY_VOID(restore_score(checkpoint));
  for (const Role role : both_roles) TRY_VOID(restore_center(checkpoint, role));
  TRY_VOID(restore_population(checkpoint));
  queue_->synchronise();
  return {};
}

Result<void> Cell::restore_streams(const CheckpointReader& checkpoint) {
  Result<void> result;
  CellStreams::for_each(streams_, [&](const char* name, auto& stream) {
    const Result<std::uint64_t> position = checkpoint.counter(name);
    if (position)
      stream.seek(*position);
    else if (result)
      result = Failure(position.error());
  });
  TRY_VOID(result);
  TRY(epoch, checkpoint.counter("data.epoch"));
  TRY(position, checkpoint.counter("data.position"));
  TRY_VOID(cursor_.restore({.epoch = epoch, .position = position}));
  TRY(batches, checkpoint.counter("batches_seen"));
  TRY(images, checkpoint.counter("images_seen"));
  batches_seen_ = batches;
  images_seen_ = images;
  return {};
}

// None was measured where there is none.
Result<void> Cell::restore_score(const CheckpointReader& checkpoint) {
  const Result<double> score = checkpoint.number("score");
  if (!score) return {};
  if (!std::isfinite(*score))
    return failure(ErrorCode::Corrupt, "the checkpoint's score is not a finite number");
  generation_.score = *score;
  return {};
}

Result<void> Cell::restore_center(const CheckpointReader& checkpoint, Role role) {
  TRY(traits, checkpoint.traits(name_of(role)));
  for (const Part& part : parts_of(role, center(role).network())) {
    TRY(values, checkpoint.floats(part.name, part.floats.count()));
    queue_->upload(part.floats, values);
  }
  center(role).set_traits(*queue_, traits);
  return {};
}

Result<void> Cell::restore_population(const CheckpointReader& checkpoint) {
  TRY(count, checkpoint.counter("members"));
  if (count < 1 || count > 1 + neighbours_.size())
    return failure(ErrorCode::Mismatch, "the checkpoint has " + std::to_string(count) +
                                            " members in the neighbourhood, of at most " +
                                            std::to_string(1 + neighbours_.size()));
  mixture_.clear();
  for (std::size_t member = 0; member < count; ++member) {
    TRY(weight, checkpoint.number(weight_name(member)));
    if (!(weight >= 0 && weight <= 1))
      return failure(ErrorCode::Corrupt, "the checkpoint's mixture weights are not weights");
    mixture_.push_back(weight);
    if (member == 0) continue;
    const std::string name = member_name(member);
    TRY(source, checkpoint.counter(name + ".cell"));
    const auto is_source = [&](CellIndex cell) { return cell.value == source; };
    const auto neighbour = std::ranges::find_if(neighbours_, is_source);
    if (neighbour == neighbours_.end() || population_.slot_of(*neighbour))
      return failure(ErrorCode::Mismatch, "the checkpoint's member " + std::to_string(source) +
                                              " is no neighbour: it is of another grid");
    TRY(round, checkpoint.counter(name + ".round"));
    TRY(generator, checkpoint.traits(name + ".generator"));
    TRY(discriminator, checkpoint.traits(name + ".discriminator"));
    TRY(values, checkpoint.floats(name, setup_.layout.float_count()));
    population_.take(
        *queue_, {.cell = *neighbour, .round = {round}, .values = values, .exact = {}, .heard = {}},
        {.generator = generator, .discriminator = discriminator});
  }
  const double sum = std::accumulate(mixture_.begin(), mixture_.end(), 0.0);
  if (std::abs(sum - 1) > 1e-6)
    return failure(ErrorCode::Corrupt, "the checkpoint's mixture weights do not sum to 1");
  return {};
}

peer::CellState Cell::save() const {
  const bool between_rounds =
      phase_ == Phase::Announce || phase_ == Phase::Wait || phase_ == Phase::Over;
  CHECK(between_rounds, index_, static_cast<int>(phase_));
  peer::CellState state{.round = round_, .tensors = {}, .counters = {}};
  const auto add = [&](const std::string& name, std::size_t count) {
    return std::span(state.tensors.emplace_back(name, std::vector<float>(count)).values);
  };
  for (const Role role : both_roles) {
    write_traits(state, name_of(role), center(role).traits());
    for (const Part& part : parts_of(role, center(role).network()))
      queue_->download(add(part.name, part.floats.count()), part.floats);
  }
  state.counters.emplace_back("members", population_.count());
  for (std::size_t member = 0; member < population_.count(); ++member) {
    write_number(state, weight_name(member), mixture_[member]);
    if (member == 0) continue;
    const Population::Neighbour& neighbour = population_.neighbour(member);
    const std::string name = member_name(member);
    state.counters.emplace_back(name + ".cell", neighbour.source.value);
    state.counters.emplace_back(name + ".round", neighbour.round.index);
    write_traits(state, name + ".generator", neighbour.traits.generator);
    write_traits(state, name + ".discriminator", neighbour.traits.discriminator);
    population_.download(*queue_, member, add(name, setup_.layout.float_count()));
  }
  queue_->synchronise();
  CellStreams::for_each(streams_, [&](const char* name, const auto& stream) {
    state.counters.emplace_back(name, stream.position());
  });
  state.counters.emplace_back("data.epoch", cursor_.state().epoch);
  state.counters.emplace_back("data.position", cursor_.state().position);
  state.counters.emplace_back("batches_seen", batches_seen_);
  state.counters.emplace_back("images_seen", images_seen_);
  // Where one was measured: whoever reads the checkpoint knows the best cell by it.
  if (generation_.score) write_number(state, "score", *generation_.score);
  state.counters.emplace_back("life", life_);
  return state;
}

}  // namespace quadrille::train
