// rashomon/mean_reliance.cpp: the part of FilteredGraph that sums over all trees how much they rely on a group of
// columns.
//
// HOLDS   The sum over trees of the sum over their leaves is a sum over leaves: what each adds
// (rashomon/shuffled_group),
//         times the number of trees that it stands in (rashomon/leaf_occurrences). It is exact.
#include <stdexcept>

#include "rashomon/leaf_occurrences.hpp"
#include "rashomon/shuffled_group.hpp"

namespace hornbeam::rashomon {

namespace {

/// Of LeafOccurrences: weighs what leaves add with their number of trees.
template <class Sum>
class OfGroup {
 public:
  using Sets = ShuffledGroup::Sets;
  using Copy = RowMasks::Copy;

  explicit OfGroup(ShuffledGroup& group) : group_(group) {}

  Sets narrowed(const Sets& sets, const Copy& copy, bool side) const { return group_.narrowed(sets, copy, side); }
  static bool is_wanted(const Sets& /*sets*/) { return true; }
  void add(const Sets& sets, std::uint32_t prediction, Ticks cost, const Sum& number) {
    add(group_.added_by_leaf(sets, prediction, cost), number);
  }
  void add_stump(const Sets& sets, const Copy& copy, const std::array<std::uint32_t, 2>& predictions, Ticks cost,
                 const Sum& number) {
    add(group_.added_by_stump(sets, copy, predictions, cost), number);
  }
  RelianceSum take() const { return {more_.limbs(), less_.limbs()}; }

 private:
  void add(TicksTimesShare added, const Sum& number) {
    const auto size = static_cast<unsigned __int128>(added > 0 ? added : -added);
    BigCount& sum = added > 0 ? more_ : less_;
    std::size_t place = 0;
    for (const std::uint64_t word : number.words()) {
      sum.add_product(word, static_cast<std::uint64_t>(size), place);
      sum.add_product(word, static_cast<std::uint64_t>(size >> 64), ++place);
    }
  }

  ShuffledGroup& group_;
  BigCount more_, less_;
};

template <class Sum, class Count>
RelianceSum summed(FilteredGraph<Count>& trees, ShuffledGroup& group, const TreeLimit& limit, run::Run& run) {
  OfGroup<Sum> visitor(group);
  LeafOccurrences<Count, Sum, OfGroup<Sum>>(trees, limit, visitor, run).visit_all(group.all());
  return visitor.take();
}

}  // namespace

template <class Count>
RelianceSum FilteredGraph<Count>::sum_of_reliance(const RelianceProblem& group, const TreeLimit& limit, run::Run& run) {
  if (graph_.problem_.kind.leaf_rule == LeafRule::any_differ)
    throw std::invalid_argument("trees: reliance is not defined for leaves of any class");
  ShuffledGroup shuffled(graph_.problem_, group);
  try {
    return summed<Count>(*this, shuffled, limit, run);
  } catch (const CountOverflow&) {
    return summed<BigCount>(*this, shuffled, limit, run);
  }
}

template RelianceSum FilteredGraph<WordCount>::sum_of_reliance(const RelianceProblem&, const TreeLimit&, run::Run&);
template RelianceSum FilteredGraph<BigCount>::sum_of_reliance(const RelianceProblem&, const TreeLimit&, run::Run&);

}  // namespace hornbeam::rashomon
