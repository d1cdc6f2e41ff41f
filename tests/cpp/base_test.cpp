// base_test.cpp: base/fingerprint.hpp, base/number_index.hpp and base/types.hpp.
#include <algorithm>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/number_index.hpp"
#include "base/types.hpp"
#include "support/check.hpp"

namespace hornbeam::testing::base_test {

RANDOM_TEST(a_fingerprint_identifies_the_set_whatever_the_order_of_its_rows, 100) {
  Fingerprint ascending, descending, twice;
  const std::uint32_t step = draw.size_between(1, 90);
  for (std::uint32_t i = 0; i < 10; ++i) {
    ascending ^= Fingerprint::of_row(step * i);
    descending ^= Fingerprint::of_row(step * (9 - i));
  }
  CHECK(ascending == descending);
  CHECK(ascending.hash() == descending.hash() && ascending.other_hash() == descending.other_hash());
  twice = ascending;
  twice ^= descending;
  CHECK(twice == Fingerprint{});
}

TEST(sets_of_one_or_two_rows_have_different_fingerprints) {
  std::vector<Fingerprint> sets{Fingerprint{}};
  for (std::uint32_t i = 0; i < 20; ++i) {
    sets.push_back(Fingerprint::of_row(37 * i));
    for (std::uint32_t j = 0; j < i; ++j) {
      sets.push_back(Fingerprint::of_row(37 * i));
      sets.back() ^= Fingerprint::of_row(37 * j);
    }
  }
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(!(sets[i] == sets[j]));
}

RANDOM_TEST(a_number_index_numbers_equal_things_once_even_if_hashes_collide, 100) {
  const std::uint32_t n_things = draw.size_between(1, 300), n_hashes = draw.size_between(1, 300);
  NumberIndex index;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint32_t> things;
    for (std::uint32_t i = 0; i < 500; ++i) {
      const std::uint32_t thing = draw.size_between(0, n_things - 1);
      const auto next = static_cast<std::uint32_t>(things.size());
      const auto first = static_cast<std::uint32_t>(std::find(things.begin(), things.end(), thing) - things.begin());
      const auto is_same = [&](std::uint32_t number) { return things[number] == thing; };
      CHECK_EQUAL(index.find_or_add(mix(thing % n_hashes), next, is_same), first);
      if (first == next) things.push_back(thing);
    }
    CHECK(index.bytes() >= 2 * sizeof(std::uint32_t) * things.size());
    index.reset(draw.size_between(0, 100));
  }
}

TEST(sizes_are_rounded_up_to_words_and_lanes) {
  CHECK(words_for(0) == 0 && words_for(1) == 1 && words_for(64) == 1 && words_for(65) == 2);
  CHECK(padded_to_lanes(0) == 0 && padded_to_lanes(1) == 16 && padded_to_lanes(16) == 16 && padded_to_lanes(17) == 32);
}

}  // namespace hornbeam::testing::base_test
