#include "nn/optimizer.hpp"
