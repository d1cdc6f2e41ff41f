#include "search/search_thread.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam::search {

namespace {

/// Words of kernel work between two checks of the clock: well under a millisecond.
constexpr std::uint64_t kWorkBetweenPolls = 1 << 19;

}  // namespace

SearchThread::SearchThread(const rows::Problem& of_problem, SharedState& shared_state,
                           const kernels::Kernels& used_kernels, std::uint32_t number, std::function<void()> poll)
    : problem(of_problem),
      shared(shared_state),
      kernels(used_kernels),
      maker(of_problem.rows, of_problem.model, used_kernels, of_problem.leaf_cost, of_problem.tree.rows_per_leaf,
            of_problem.threshold()),
      meter(shared_state.run, kWorkBetweenPolls, std::move(poll)),
      number_(number) {}

void SearchThread::count_subproblem() {
  shared.n_subproblems.fetch_add(1, std::memory_order_relaxed);
  if (number_ != 0) ++counters.helpers;
}

Counters SearchThread::all_counters() const {
  Counters all = counters;
  if (problem.bounds.support_condition) all.support_condition += maker.n_light_columns();
  return all;
}

bool SearchThread::stopped() {
  // The poll of the calling thread makes room. Until then, what the others prove is not kept.
  if (shared.table.is_full() && number_ == 0) meter.poll();
  return !meter.spend(0) || finished_elsewhere_ != nullptr;
}

void SearchThread::leave(const Frame& frame) {
  path_.pop_back();
  if (finished_elsewhere_ == &frame) finished_elsewhere_ = nullptr;
}

void SearchThread::check_finished_elsewhere() {
  // From the root down: everything below the first finished frame is wasted work. A look-up takes a lock that the other
  // thread had last, so only frames that another thread is in are looked up.
  if (!shared.claims.are_shared()) return;
  for (const Visit& visit : path_) {
    if (!shared.claims.is_joined(visit.frame->key)) continue;
    const auto known = shared.table.find(visit.frame->key);
    if (!known || !known->has_reached(visit.budget)) continue;
    finished_elsewhere_ = visit.frame;
    return;
  }
}

}  // namespace hornbeam::search
