// Amounts as a person reads them at a glance.
#pragma once

#include <cstdint>
#include <string>

namespace quadrille {

// "1h02m", "3m12s", "8s"
std::string duration_text(double seconds);
// "12,345"
std::string grouped_digits(std::uint64_t value);

}  // namespace quadrille
