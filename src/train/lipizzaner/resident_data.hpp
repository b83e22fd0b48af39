// The data set in a device's memory, once for all cells that the device works.
#pragma once

#include <memory>

#include "compute/backend.hpp"
#include "data/dataset.hpp"

namespace quadrille::train {

class ResidentData {
 public:
  // The data set outlives this.
  ResidentData(compute::Backend& backend, const data::Dataset& dataset);

  std::size_t sample_size() const { return sample_size_; }
  // to: (rows.count(), sample_size), images scaled to [-1, 1].
  void gather(compute::Queue& queue, compute::ConstWords rows, compute::Floats to) const;

 private:
  std::size_t sample_size_;
  std::unique_ptr<compute::Arena> arena_;
  compute::DeviceBytes bytes_;   // of images, or
  compute::ConstFloats points_;  // of points
};

}  // namespace quadrille::train
