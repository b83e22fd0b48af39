#include "train/lipizzaner/mixture.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "compute/operation.hpp"

namespace quadrille::train {

std::vector<std::size_t> member_counts(std::span<const double> weights, RandomStream random,
                                       std::size_t count) {
  CHECK(!weights.empty());
  std::vector<std::size_t> counts(weights.size());
  for (std::size_t sample = 0; sample < count; ++sample) {
    double left = random.uniform();
    std::size_t member = 0;
    while (member + 1 < weights.size() && left >= weights[member]) left -= weights[member++];
    // Rounding can leave a crumb beyond the last member that has a weight.
    while (member > 0 && weights[member] <= 0) --member;
    ++counts[member];
  }
  return counts;
}

void add_member(std::vector<double>& weights) {
  const double share = 1.0 / static_cast<double>(weights.size() + 1);
  for (double& weight : weights) weight *= 1.0 - share;
  weights.push_back(share);
}

MixtureSampler::MixtureSampler(compute::Arena& arena, const nn::Network& generator)
    : generator_(generator),
      blocks_per_pass_((rows_per_pass * generator.input_size() + compute::normals_per_block - 1) /
                       compute::normals_per_block),
      latent_(arena.floats(rows_per_pass * generator.input_size())),
      pass_(arena, generator, rows_per_pass, false) {}

void MixtureSampler::draw(compute::Queue& queue, std::span<const compute::ConstFloats> generators,
                          std::span<const std::size_t> counts, nn::LatentDraw latent,
                          std::span<float> samples) {
  CHECK(generators.size() == counts.size(), generators.size(), counts.size());
  const std::size_t count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::size_t latent_size = generator_.input_size();
  const std::size_t sample_size = generator_.output_size();
  CHECK(samples.size() == count * sample_size, samples.size(), count);

  std::size_t member = 0;
  std::size_t member_end = counts[0];
  for (std::size_t pass = 0; pass * rows_per_pass < count; ++pass) {
    const std::size_t end = std::min(count, (pass + 1) * rows_per_pass);
    // Latent vectors are drawn by the pass, so that
    // they do not depend on where a member's part ends.
    queue.submit(
        compute::RandomNormal{.to = latent_,
                              .key = latent.key,
                              .first_block = latent.first_block + pass * blocks_per_pass_});
    for (std::size_t first = pass * rows_per_pass; first < end;) {
      while (member_end <= first) member_end += counts[++member];
      const std::size_t rows = std::min(end, member_end) - first;
      const std::size_t row_in_pass = first - pass * rows_per_pass;
      const compute::ConstFloats made = generator_.forward(
          queue, {.parameters = generators[member]},
          latent_.part(row_in_pass * latent_size, rows * latent_size), rows, pass_);
      queue.download(samples.subspan(first * sample_size, rows * sample_size), made);
      first += rows;
    }
  }
}

}  // namespace quadrille::train
