#include "pricing/row_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "pricing/leaf_check.hpp"

namespace hornbeam::pricing {

namespace {

/// In blocks of fewer rows, or with less of the leaf penalty, the best tree costs far less than its share.
constexpr std::uint32_t kLeastRows = 256, kLeastBlocks = 3, kMerged = 4;
constexpr Ticks kLeastLeafPenalty = 5;  // of a block, in units of the mean loss of a row
/// Shares of the way from the prices so far to those of the pool: for blocks; for all rows, at first, and once a check
/// of the whole way is affordable.
constexpr double kStepOfBlocks = 1, kFirstStepOfAll = 0.25, kStepOfAll = 0.5;
constexpr double kFirstSmoothing = 0.3, kSmoothingOfBlocks = 0.1, kLeastSmoothing = 0.02, kSmoothingStep = 0.7;
constexpr int kPasses = 60, kRounds = 10, kStarts = 100;
constexpr std::uint64_t kLeastCheck = std::uint64_t{1} << 23;  // units of work
/// All checks of a pass take at most so many times the work before each, or as much if there is one.
constexpr std::uint64_t kMostGrowth = 8;
/// A step is chosen for so much of the work that a check may take, which grows with this power of the step.
constexpr double kPartOfCheck = 0.7, kWorkExponent = 4, kLargestRatio = 2, kRatioAfterFailure = 0.7;
constexpr std::uint64_t kGrowthOfWork = 6;  // of a block of four times the rows, as expected
constexpr Ticks kGrowthOfTotal = 4;         // by larger blocks, as expected: by one part in so many
constexpr Ticks kPublishedRise = 16;        // of the total, to be published: one part in so many
constexpr Ticks kLeastRise = 1024;          // that is worth another pass
constexpr int kIdlePassesToSettle = 4;

}  // namespace

RowPrices::RowPrices(const PricedRows& rows, run::WorkMeter& meter)
    : rows_(rows), meter_(meter), begin_(meter.spent()), prices_(rows.n_rows, 0), smoothing_(kFirstSmoothing) {
  part_rows();
}

/// At random, since each block then needs about the same tree as all rows.
void RowPrices::part_rows() {
  order_.resize(rows_.n_rows);
  std::iota(order_.begin(), order_.end(), 0u);
  for (std::uint32_t n = rows_.n_rows; n > 1; --n) std::swap(order_[n - 1], order_[random_() % n]);
  // The largest loss of each row beyond its least one, summed over all rows.
  Ticks losses = 0;
  for (std::uint32_t row = 0; row < rows_.n_rows; ++row) {
    Units least = rows_.losses(0)[row], most = least;
    for (std::uint32_t k = 1; k < rows_.n_predictions; ++k) {
      least = std::min(least, rows_.losses(k)[row]);
      most = std::max(most, rows_.losses(k)[row]);
    }
    losses += most - least;
  }
  const Ticks least = std::max<Ticks>(kLeastRows, kLeastLeafPenalty * losses / std::max(rows_.leaf_penalty, 1));
  std::uint32_t n_blocks = static_cast<std::uint32_t>(rows_.n_rows / least);
  if (n_blocks < kLeastBlocks) n_blocks = 1;
  work_of_block_ = rows_.stride() / PricedRows::kColumnsOfLine * (rows_.n_rows / n_blocks) * kStarts * kRounds / 4;
  step_ = n_blocks == 1 ? kFirstStepOfAll : kStepOfBlocks;
  const auto begin = [&](std::uint32_t block) {
    return static_cast<std::uint32_t>(std::uint64_t{rows_.n_rows} * block / n_blocks);
  };
  for (std::uint32_t block = 0; block < n_blocks; ++block) {
    const std::uint32_t n_rows = begin(block + 1) - begin(block);
    blocks_.push_back(
        {begin(block), begin(block + 1), static_cast<Units>(Ticks{rows_.leaf_penalty} * n_rows / rows_.n_rows)});
  }
}

void RowPrices::merge_blocks() {
  std::vector<Block> merged;
  for (std::size_t block = 0; block < blocks_.size(); ++block)
    if (block % kMerged == 0) {
      merged.push_back(blocks_[block]);
    } else {
      merged.back().end = blocks_[block].end;
      merged.back().leaf_penalty += blocks_[block].leaf_penalty;
    }
  // Shares are rounded down.
  if (merged.size() == 1) merged.front().leaf_penalty = rows_.leaf_penalty;
  blocks_ = std::move(merged);
}

void RowPrices::work_up_to(std::uint64_t work) {
  while (!is_settled_ && meter_.spent() + work_of_block_ <= work) {
    const std::uint64_t before = meter_.spent();
    improve(blocks_[next_]);
    work_of_block_ = meter_.spent() - before;
    if (++next_ == blocks_.size()) end_pass();
    if (best_ == nullptr || total_ > best_->total + best_->total / kPublishedRise) publish();
  }
}

void RowPrices::end_pass() {
  publish();
  if (blocks_.size() > 1) {
    merge_blocks();
    work_of_block_ *= kGrowthOfWork;
    most_of_step_ = step_ = blocks_.size() == 1 ? kStepOfAll : kStepOfBlocks;
  } else {
    const bool is_idle = smoothing_ <= kLeastSmoothing && total_ - total_before_ <= total_ / kLeastRise;
    n_idle_ = is_idle ? n_idle_ + 1 : 0;
    is_settled_ = n_idle_ == kIdlePassesToSettle;
    if (step_ >= 1) most_of_step_ = step_ = kStepOfAll;
  }
  next_ = 0;
  total_before_ = total_;
}

void RowPrices::publish() {
  if (total_ > (best_ == nullptr ? 0 : best_->total))
    best_ = std::make_shared<const FeasiblePrices>(prices_, total_, rows_.shift);
}

void RowPrices::improve(const Block& block) {
  const std::span ids = std::span(order_).subspan(block.begin, block.end - block.begin);
  const PricedRows rows = rows_.select(ids, block.leaf_penalty);
  LeafPool pool(rows, meter_, std::move(leaves_), random_);
  const double least_smoothing = blocks_.size() > 1 ? kSmoothingOfBlocks : kLeastSmoothing;
  for (int round = 0; round < kRounds; ++round) {
    pool.maximize(smoothing_, kPasses);
    smoothing_ = std::max(least_smoothing, smoothing_ * kSmoothingStep);
    if (pool.find_leaves(kStarts) == 0) break;
  }
  pool.maximize(smoothing_, kPasses);
  std::vector<Units> prices = pool.prices();
  Ticks before = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Units known = prices_[ids[i]];
    before += known;
    prices[i] = known + static_cast<Units>(step_ * (prices[i] - known));
  }
  LeafCheck check(rows, meter_, [&](std::vector<Condition> conditions, std::vector<std::uint32_t> members) {
    pool.add({.conditions = std::move(conditions)}, std::move(members));
  });
  const std::uint64_t work = meter_.spent(), done = work - begin_;
  const std::uint64_t most = std::max(kLeastCheck, blocks_.size() > 1 ? kMostGrowth * done / blocks_.size() : done);
  if (check.make_feasible(prices, most)) {
    const double ratio = kPartOfCheck * static_cast<double>(most) / static_cast<double>(meter_.spent() - work + 1);
    step_ = std::min(most_of_step_, step_ * std::min(kLargestRatio, std::pow(ratio, 1 / kWorkExponent)));
    const Ticks total = std::accumulate(prices.begin(), prices.end(), Ticks{0});
    if (total > before) {
      for (std::size_t i = 0; i < ids.size(); ++i) prices_[ids[i]] = prices[i];
      total_ += total - before;
    }
  } else {
    step_ *= kRatioAfterFailure;
  }
  pool.maximize(smoothing_, kPasses);
  leaves_ = pool.take_leaves(blocks_.size() == 1);
}

/// The total at the end of the pass if its other blocks rise like those so far, and some more for larger blocks.
Ticks RowPrices::expected() const {
  if (total_ == 0 && next_ == 0) return kInfinity;
  const auto n_left = static_cast<Ticks>(blocks_.size() - next_);
  const Ticks of_pass = next_ == 0 ? total_ : total_ + (total_ - total_before_) * n_left / static_cast<Ticks>(next_);
  return of_pass + of_pass / kGrowthOfTotal;
}

}  // namespace hornbeam::pricing
