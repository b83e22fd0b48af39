#include "nn/gan_step.hpp"
