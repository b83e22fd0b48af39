#include "nn/network.hpp"
