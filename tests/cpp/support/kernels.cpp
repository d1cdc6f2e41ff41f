#include "support/kernels.hpp"

#include <stdexcept>

namespace hornbeam::testing {

std::vector<const kernels::Kernels*> kernels_of_this_machine() {
  std::vector<const kernels::Kernels*> found;
  for (const char* name : {"avx512", "avx2", "portable"}) {
    try {
      found.push_back(&kernels::kernels(name));
    } catch (const std::invalid_argument&) {
      continue;  // this machine cannot run them
    }
  }
  return found;
}

}  // namespace hornbeam::testing
