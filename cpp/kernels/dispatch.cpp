// kernels/dispatch.cpp: which kernels this machine can run, found once.
#include <cstring>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"

namespace hornbeam::kernels {

namespace {

#ifdef HORNBEAM_X86
bool runs_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}

bool runs_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }
#endif

const Kernels* find(const char* name) {
  const auto wanted = [name](const Kernels& kernels) { return name == nullptr || !std::strcmp(name, kernels.name); };
#ifdef HORNBEAM_X86
  if (runs_avx512() && wanted(kAvx512Kernels)) return &kAvx512Kernels;
  if (runs_avx2() && wanted(kAvx2Kernels)) return &kAvx2Kernels;
#endif
  return wanted(kPortableKernels) ? &kPortableKernels : nullptr;
}

}  // namespace

std::size_t kernel_scratch_words(const SlotTile& slots, const models::Measures& measures) {
  return kLanes * (measures.n_counts() + 4 * std::size_t{measures.size()}) + slots.tile.n_words;
}

bool runs_here() {
#ifdef HORNBEAM_X86
  return __builtin_cpu_supports("popcnt");
#else
  return true;
#endif
}

const Kernels& kernels(const char* name) {
  static const Kernels* const best = find(nullptr);
  const Kernels* chosen = name == nullptr ? best : find(name);
  if (chosen == nullptr) throw std::invalid_argument(std::string("kernels not available here: ") + name);
  return *chosen;
}

}  // namespace hornbeam::kernels
