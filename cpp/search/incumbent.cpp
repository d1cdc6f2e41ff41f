#include "search/incumbent.hpp"

#include <utility>

#include "search/record_tree.hpp"

namespace hornbeam::search {

void Incumbent::improve(const NodeLimits& limits, std::uint64_t searched) {
  // The heuristics poll, too.
  if (is_working_ || searched < problem_.primal.searched_before || !problem_.bounds.primal || problem_.has_reference())
    return;
  if (!heuristics_ && !has_memory()) return;
  is_working_ = true;
  if (!heuristics_) {
    heuristics_.emplace(primal::Points(problem_.rows), problem_.model, problem_.leaf_cost, problem_.tree, shared_.run,
                        poll_);
    shared_.frame_bytes += heuristics_->bytes();
  }
  const std::uint64_t more = searched / 8 * problem_.primal.per_8_searched - allowed_;
  allowed_ += more;
  if (heuristics_->work(more)) {
    ++n_found_;
    record_tree(problem_, shared_.table, limits, heuristics_->tree());
  }
  is_working_ = false;
}

/// Whether there is room for the points: at most four bytes for each row and column.
bool Incumbent::has_memory() const {
  const auto limit = shared_.run.limits().bytes;
  const std::uint64_t most = std::uint64_t{4} * problem_.rows.n_rows * (problem_.rows.n_columns + 16);
  return !limit || shared_.bytes() + most <= *limit;
}

}  // namespace hornbeam::search
