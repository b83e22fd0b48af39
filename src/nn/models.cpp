#include "nn/models.hpp"
