// table/subproblem_table.hpp
//
// WHAT    The proven interval around the best cost of each subproblem and, for its upper end, the root split of a tree
//         that attains it.
// HOLDS   (T1) lower <= best <= upper. (T2) lower never falls; upper never rises, and at equal upper the tree gets
//         fewer leaves or, at equal leaves, less depth. (T3) `upper` is the cost of a tree that can be read off the
//         table, or is a leaf or a stump. `forget` breaks (T3) alone: then the tree exists, but the entries below its
//         root may be gone.
// COST    56 bytes per entry; a look-up is one probe of one shard. Nothing else is kept per subproblem: keeping
//         candidate lists costs ten times the memory and saves five percent of the time.
// CHOICE  64 shards of open addressing that grow one by one by half, so that growth never needs twice the memory and
//         threads rarely meet. What to forget is decided by the work that stands behind an entry, as transposition
//         tables of game programs do: most entries are of small subproblems that are proven again in microseconds.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/types.hpp"

namespace hornbeam::table {

inline constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoSplit = ~std::uint32_t{0};

/// A support set and, where they bind, the depth and the leaves left.
struct SubproblemKey {
  Fingerprint set;
  std::uint32_t depth = kUnlimited;
  std::uint32_t leaves = kUnlimited;
  friend bool operator==(const SubproblemKey&, const SubproblemKey&) = default;
  /// For files: `put` gets words from which `from_words` makes an equal key.
  template <class Put>
  void put_words(const Put& put) const {
    set.put_words(put);
    put(std::uint64_t{depth} << 32 | leaves);
  }
  template <class Get>
  static SubproblemKey from_words(const Get& get) {
    SubproblemKey key;
    key.set = Fingerprint::from_words(get);
    const std::uint64_t limits = get();
    key.depth = static_cast<std::uint32_t>(limits >> 32);
    key.leaves = static_cast<std::uint32_t>(limits);
    return key;
  }
};

/// For the standard containers.
struct SubproblemKeyHash {
  std::size_t operator()(const SubproblemKey& key) const {
    return key.set.hash() ^ mix((std::uint64_t{key.depth} << 32) | key.leaves);
  }
};

/// Number of leaves and depth of a tree; fewer leaves first, then less depth.
struct TreeShape {
  std::uint32_t leaves = 1;
  std::uint32_t depth = 0;
  friend auto operator<=>(const TreeShape&, const TreeShape&) = default;
};

/// A tree on a subproblem: its cost, its root split (original column, or kNoSplit), the leaves its true side may have.
struct KnownTree {
  Ticks cost = kInfinity;
  std::uint32_t split = kNoSplit;
  std::uint32_t leaves_of_true_side = kUnlimited;
  TreeShape shape;
  bool better_than(const KnownTree& other) const {
    return cost != other.cost ? cost < other.cost : shape < other.shape;
  }
};

/// What is proven of a subproblem: (T1).
struct Interval {
  Ticks lower = 0;
  KnownTree tree;  // the best known; its cost is the upper bound

  Ticks upper() const { return tree.cost; }
  /// The bound to prove for a budget: beyond the best tree known there is nothing to prove.
  Ticks target(Ticks budget) const { return std::min(tree.cost, budget); }
  bool has_reached(Ticks budget) const { return lower >= target(budget); }
  bool is_closed() const { return lower >= tree.cost; }
  /// Whether there is a tree: of an entry read from a file, only the bound is known.
  bool has_tree() const { return tree.cost < kInfinity; }
  void raise(Ticks bound) { lower = std::max(lower, bound); }
  void update_tree(const KnownTree& found) {
    if (found.better_than(tree)) tree = found;
  }
  /// Adopts what is known elsewhere of the same subproblem.
  void update(const Interval& known) {
    raise(known.lower);
    update_tree(known.tree);
  }
};

/// How a bound was proven.
struct Proof {
  std::uint8_t effort = 0;    // grows with the work
  std::uint64_t columns = 0;  // the groups of the columns on the path to the subproblem, one bit each
  static std::uint64_t group_of(std::uint32_t column) { return std::uint64_t{1} << (column % 64); }
};

class SubproblemTable {
 public:
  /// `shared` switches the locks on. `byte_limit` bounds the memory of all shards together.
  SubproblemTable(bool shared, std::optional<std::uint64_t> byte_limit);

  /// The arguments of the constructor for another search that goes on with the entries.
  void reset(bool shared, std::optional<std::uint64_t> byte_limit) {
    shared_ = shared;
    byte_limit_ = byte_limit.value_or(kNoLimit);
    full_ = false;
  }

  std::optional<Interval> find(const SubproblemKey& key) const;
  /// Brings the place of `key` into the caches, where no other thread can move it meanwhile.
  void prefetch(const SubproblemKey& key) const;

  /// Tightens the entry of `key` by `known` (T2) and returns the result. If the memory limit does not allow the entry,
  /// it is not kept, and `is_full` becomes true.
  Interval tighten(const SubproblemKey& key, const Interval& known, const Proof& proof = {});

  /// Takes all of `byte_limit` bytes, the limit from now on, and forgets the entries of the least effort in each shard
  /// until a third of the places that may be used are free. An entry that is left counts for less effort the next time,
  /// unless it is tightened again. False, and nothing changes, if that is too little for the first entries.
  bool forget(std::uint64_t byte_limit);
  static constexpr std::uint8_t kNeverForgotten = 255;

  /// For files: the lower ends, each of which is true by itself, so other threads may go on. Upper ends lean on other
  /// entries (T3). `put` gets words; `read_lower_bounds` reads as many, into a table that may hold others already.
  void put_lower_bounds(const std::function<void(std::uint64_t)>& put) const;
  void read_lower_bounds(const std::function<std::uint64_t()>& get);

  bool has_read_bounds() const { return has_read_bounds_; }

  /// For the tables of other processes that search the same rows: from now on, every lower end that `tighten` raises
  /// with at least this effort is remembered, until `take_news` returns it. What `read_news` reads is no news. The
  /// upper end of a closed subproblem goes with it where its tree has at most two levels: that is read off without
  /// entries of other subproblems (T3).
  void watch(std::uint8_t least_effort) { least_watched_ = least_effort; }
  /// For each lower end the groups of columns, the key, the bound with its effort, and the tree. With fingerprints as
  /// keys these are six words.
  std::vector<std::uint64_t> take_news();
  /// Throws std::invalid_argument if the last entry is torn.
  void read_news(std::span<const std::uint64_t> words);

  bool is_full() const { return full_.load(std::memory_order_relaxed); }
  /// Entries that `forget` has dropped since the table was made.
  std::uint64_t n_forgotten() const { return n_forgotten_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    static constexpr Ticks kUnused = -1;
    bool is_used() const { return lower != kUnused; }
    Fingerprint set;
    Ticks lower = kUnused;
    Ticks upper;
    std::uint32_t split;
    std::uint32_t depth, leaves;
    std::uint32_t leaves_of_true_side;
    std::uint32_t tree_leaves;
    std::uint32_t tree_depth_and_effort;  // 24 and 8 bits
    std::uint8_t effort() const { return static_cast<std::uint8_t>(tree_depth_and_effort); }
    bool is(const SubproblemKey& key) const { return set == key.set && depth == key.depth && leaves == key.leaves; }
    SubproblemKey key() const { return {set, depth, leaves}; }
    Interval interval() const {
      return {lower, {upper, split, leaves_of_true_side, {tree_leaves, tree_depth_and_effort >> 8}}};
    }
  };
  static constexpr std::uint32_t kMostTreeDepth = (1u << 24) - 1;  // deeper trees count as that deep
  static_assert(sizeof(Entry) == sizeof(Fingerprint) + 40);
  struct Shard {
    mutable std::mutex mutex;
    std::vector<Entry> entries;
    std::size_t used = 0;
  };

  Shard& shard_of(const SubproblemKey& key) const { return shards_[key.set.other_hash() % kShards]; }
  std::unique_lock<std::mutex> lock(const Shard& shard) const;
  static std::size_t home_of(const std::vector<Entry>& entries, const SubproblemKey& key);
  static std::size_t slot_of(const std::vector<Entry>& entries, const SubproblemKey& key);
  bool ensure_capacity(Shard& shard);
  bool reserve(std::uint64_t added);
  void forget_in(Shard& shard, std::size_t capacity);
  struct Merged {
    Interval interval;
    bool is_news;  // the lower end has risen, or a tree that attains it was found
  };
  template <class Get>
  void read_bound(const Get& get, bool with_tree);
  void note_news(const SubproblemKey& key, const Interval& known, const Proof& proof);
  Merged merge(const SubproblemKey& key, const Interval& known, std::uint8_t effort);

  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kFirstCapacity = 16;  // the first entries fit whatever the limit
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  bool shared_;
  bool has_read_bounds_ = false;
  std::atomic<std::uint64_t> byte_limit_;
  std::unique_ptr<Shard[]> shards_;
  std::atomic<std::uint64_t> bytes_{0}, size_{0}, n_forgotten_{0};
  std::atomic<bool> full_{false};
  std::optional<std::uint8_t> least_watched_;
  std::mutex news_mutex_;
  std::vector<std::uint64_t> news_;
};

}  // namespace hornbeam::table
