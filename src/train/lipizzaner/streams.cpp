#include "train/lipizzaner/streams.hpp"

#include <string>

namespace quadrille::train {

PhiloxKey cell_key(std::uint64_t seed, std::string_view purpose, CellStreams::Owner owner) {
  const std::string name = "lipizzaner/" + std::string(purpose);
  const PhiloxKey first_life = stream_key(seed, name, owner.cell.value);
  return owner.life == 0 ? first_life : stream_key(first_life, name, owner.life);
}

CellStreams::CellStreams(std::uint64_t seed, Owner owner)
    : selection(cell_key(seed, "selection", owner)),
      mutation(cell_key(seed, "mutation", owner)),
      opponents(cell_key(seed, "opponents", owner)),
      mixture(cell_key(seed, "mixture", owner)),
      evaluation(cell_key(seed, "evaluation", owner)),
      training_latent(cell_key(seed, "training latent", owner)),
      evaluation_latent(cell_key(seed, "evaluation latent", owner)),
      mixture_latent(cell_key(seed, "mixture latent", owner)) {}

}  // namespace quadrille::train
