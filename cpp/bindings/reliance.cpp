#include "bindings/reliance.hpp"

#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "api/rashomon.hpp"
#include "bindings/arguments.hpp"

namespace hornbeam::bindings {

namespace {

template <class T>
using VectorIn = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using HighAndLow = std::pair<std::int64_t, std::uint64_t>;
using Range = std::tuple<HighAndLow, HighAndLow, rashomon::Limbs>;

HighAndLow to_pair(rashomon::TicksTimesShare number) {
  return {static_cast<std::int64_t>(number >> 64), static_cast<std::uint64_t>(number)};
}

std::optional<std::vector<Range>> reliance_of(api::RashomonSet& set, const VectorIn<std::int32_t>& groups,
                                              const VectorIn<std::int64_t>& shares, CallbackIn callback,
                                              double callback_interval) {
  Poll poll(std::move(callback), callback_interval);
  std::optional<std::vector<rashomon::RelianceRange>> found;
  {
    const nb::gil_scoped_release no_gil;
    found = set.reliance({{groups.data(), groups.size()}, {shares.data(), shares.size()}},
                         [&poll](const run::Progress& at) { return poll(at); });
  }
  if (!found) return std::nullopt;
  std::vector<Range> ranges;
  ranges.reserve(found->size());
  for (const rashomon::RelianceRange& range : *found)
    ranges.emplace_back(to_pair(range.least), to_pair(range.largest), range.n_avoiding);
  return ranges;
}

using MoreAndLess = std::pair<rashomon::Limbs, rashomon::Limbs>;

std::optional<std::vector<MoreAndLess>> sums_of(api::FilteredSet& set, const VectorIn<std::int32_t>& groups,
                                                const VectorIn<std::int64_t>& shares, std::int64_t budget,
                                                std::optional<std::uint32_t> max_leaves, std::int64_t leaf_mask,
                                                CallbackIn callback, double callback_interval) {
  Poll poll(std::move(callback), callback_interval);
  std::optional<std::vector<rashomon::RelianceSum>> found;
  {
    const nb::gil_scoped_release no_gil;
    found =
        set.sums_of_reliance({{groups.data(), groups.size()}, {shares.data(), shares.size()}},
                             {budget, max_leaves, leaf_mask}, [&poll](const run::Progress& at) { return poll(at); });
  }
  if (!found) return std::nullopt;
  std::vector<MoreAndLess> sums;
  sums.reserve(found->size());
  for (rashomon::RelianceSum& sum : *found) sums.emplace_back(std::move(sum.more), std::move(sum.less));
  return sums;
}

}  // namespace

void add_reliance(nb::module_& module) {
  module.def(
      "reliance", &reliance_of, nb::arg("trees"), nb::arg("groups").noconvert(), nb::arg("shares").noconvert(),
      nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
      "The least and the largest reliance on each group of columns, in ticks times the total of the shares, each "
      "as (high, low) of 128 bits, and how many trees test no column of the group (words of 64 bits, the lowest "
      "first); None if the callback returned True.");
  module.def("sum_reliance", &sums_of, nb::arg("trees"), nb::arg("groups").noconvert(), nb::arg("shares").noconvert(),
             nb::arg("budget"), nb::arg("max_leaves") = nb::none(), nb::arg("leaf_mask") = 0,
             nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
             "The sum of the reliance on each group of columns over the trees of at most `budget` ticks and "
             "`max_leaves`, in ticks times the total of the shares, as two numbers (words of 64 bits, the lowest "
             "first) of which the second is subtracted; None if the callback returned True.");
}

}  // namespace hornbeam::bindings
