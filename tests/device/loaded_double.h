// The double of CUDA's driver, as tests of one process reach it.
#pragma once

#include <dlfcn.h>

#include "tests/device/cuda_double.h"

namespace rx::cuda_double {

/// Loads it when it is first asked for. The library says that it is the driver, which is then found in the driver's
/// place, by packages too.
inline Control& control() {
  static void* library = dlopen(RX_BINARY_DIR "/tests/cuda_double.so", RTLD_NOW | RTLD_LOCAL);
  static const auto found = reinterpret_cast<Control* (*)()>(dlsym(library, "rx_cuda_double"));
  return *found();
}

}  // namespace rx::cuda_double
