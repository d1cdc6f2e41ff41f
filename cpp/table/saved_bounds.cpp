#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "table/subproblem_table.hpp"

namespace hornbeam::table {

namespace {

constexpr int kEffortBits = 8;  // costs are far below 2^56

std::uint64_t bound_and_effort(Ticks lower, std::uint8_t effort) {
  return static_cast<std::uint64_t>(lower) << kEffortBits | effort;
}

// A tree of at most two levels, and so of at most four leaves, in one word.
constexpr std::uint64_t kNoTree = 0;  // a tree has a leaf
constexpr std::uint32_t kLevels = 2, kLevelBits = 2, kLeafBits = 3;
constexpr int kTrueSideBits = 32 - kLevelBits - kLeafBits;
constexpr std::uint32_t kAnyNumber = (1u << kTrueSideBits) - 1;

std::uint64_t word_of(const KnownTree& tree) {
  const bool is_unlimited = tree.leaves_of_true_side == kUnlimited;
  if (tree.shape.depth > kLevels || (!is_unlimited && tree.leaves_of_true_side >= kAnyNumber)) return kNoTree;
  const std::uint32_t true_side = is_unlimited ? kAnyNumber : tree.leaves_of_true_side;
  const std::uint32_t low = (true_side << kLeafBits | tree.shape.leaves) << kLevelBits | tree.shape.depth;
  return std::uint64_t{tree.split} << 32 | low;
}

KnownTree tree_of(std::uint64_t word, Ticks cost) {
  if (word == kNoTree) return {};
  const auto low = static_cast<std::uint32_t>(word);
  const std::uint32_t true_side = low >> (kLeafBits + kLevelBits);
  return {cost,
          static_cast<std::uint32_t>(word >> 32),
          true_side == kAnyNumber ? kUnlimited : true_side,
          {low >> kLevelBits & ((1u << kLeafBits) - 1), low & ((1u << kLevelBits) - 1)}};
}

}  // namespace

void SubproblemTable::put_lower_bounds(const std::function<void(std::uint64_t)>& put) const {
  std::vector<Entry> copied;
  for (std::size_t i = 0; i < kShards; ++i) {
    {
      const auto guard = lock(shards_[i]);  // no longer than it takes to copy, since files are slow
      copied.clear();
      std::copy_if(shards_[i].entries.begin(), shards_[i].entries.end(), std::back_inserter(copied),
                   [](const Entry& entry) { return entry.is_used() && entry.lower > 0; });
    }
    if (copied.empty()) continue;
    put(copied.size());
    for (const Entry& entry : copied) {
      SubproblemKey{entry.set, entry.depth, entry.leaves}.put_words(put);
      put(bound_and_effort(entry.lower, entry.effort()));
    }
  }
  put(0);  // no more
}

void SubproblemTable::read_lower_bounds(const std::function<std::uint64_t()>& get) {
  has_read_bounds_ = true;
  while (const std::uint64_t n_entries = get())
    for (std::uint64_t left = n_entries; left > 0; --left) read_bound(get, false);
}

template <class Get>
void SubproblemTable::read_bound(const Get& get, bool with_tree) {
  const SubproblemKey key = SubproblemKey::from_words(get);
  const std::uint64_t lower_and_effort = get();
  const auto lower = static_cast<Ticks>(lower_and_effort >> kEffortBits);
  merge(key, {lower, with_tree ? tree_of(get(), lower) : KnownTree{}}, static_cast<std::uint8_t>(lower_and_effort));
}

void SubproblemTable::note_news(const SubproblemKey& key, const Interval& known, const Proof& proof) {
  const std::lock_guard guard(news_mutex_);
  news_.push_back(proof.columns);
  key.put_words([this](std::uint64_t word) { news_.push_back(word); });
  news_.push_back(bound_and_effort(known.lower, proof.effort));
  news_.push_back(known.is_closed() ? word_of(known.tree) : kNoTree);
}

std::vector<std::uint64_t> SubproblemTable::take_news() {
  std::vector<std::uint64_t> taken;
  const std::lock_guard guard(news_mutex_);
  taken.swap(news_);
  return taken;
}

void SubproblemTable::read_news(std::span<const std::uint64_t> words) {
  has_read_bounds_ = true;
  std::size_t at = 0;
  const auto get = [&] {
    if (at == words.size()) throw std::invalid_argument("news: the last entry is torn");
    return words[at++];
  };
  while (at < words.size()) {
    get();  // groups of columns: for whoever passes the news on
    read_bound(get, true);
  }
}

}  // namespace hornbeam::table
