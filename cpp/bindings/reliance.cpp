#include "bindings/reliance.hpp"

#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "api/rashomon.hpp"

namespace nb = nanobind;

namespace hornbeam {

namespace {

template <class T>
using VectorIn = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple to_tuple(TicksTimesShare number) {
  return nb::make_tuple(static_cast<std::int64_t>(number >> 64), static_cast<std::uint64_t>(number));
}

nb::list reliance_of(RashomonSet& set, const VectorIn<std::int32_t>& groups, const VectorIn<std::int64_t>& shares) {
  std::vector<RelianceRange> found;
  {
    const nb::gil_scoped_release no_gil;
    found = set.reliance({groups.data(), groups.size()}, {shares.data(), shares.size()}, [] {
      const nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
  }
  nb::list ranges;
  for (const RelianceRange& range : found)
    ranges.append(nb::make_tuple(to_tuple(range.least), to_tuple(range.largest), words_of(range.n_avoiding)));
  return ranges;
}

}  // namespace

nb::list words_of(const Limbs& limbs) {
  nb::list words;
  for (const std::uint64_t limb : limbs) words.append(limb);
  return words;
}

void add_reliance(nb::module_& module) {
  module.def(
      "reliance", &reliance_of, nb::arg("trees"), nb::arg("groups").noconvert(), nb::arg("shares").noconvert(),
      "The least and the largest reliance on each group of columns, in ticks times the total of the shares, each "
      "as (high, low) of 128 bits, and how many trees ask none of the group (words of 64 bits, the lowest first).");
}

}  // namespace hornbeam
