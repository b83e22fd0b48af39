// What a mixture is evolved towards and a cell is judged by, as a run file names it.
// scorers.hpp says what each is.
#pragma once

#include <cstdint>

namespace quadrille::train {

enum class ScoreKind : std::uint8_t { None, Frechet, Tvd, Inception, Modes };

}  // namespace quadrille::train
