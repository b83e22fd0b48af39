#include "compute/cpu/cpu_backend.hpp"
