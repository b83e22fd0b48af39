#include "compute/operation.hpp"
