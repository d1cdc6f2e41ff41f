// packed_columns_test.cpp: a table of bytes is packed cell by cell, whatever its size.
#include "data/packed_columns.hpp"

#include <vector>

#include "support/check.hpp"
#include "support/random.hpp"

namespace hornbeam::testing::packed_columns_test {

using namespace hornbeam::data;

RANDOM_TEST(every_cell_of_a_table_is_found_in_its_packed_columns, 100) {
  const std::uint32_t n_rows = 1 + draw.below(200), n_columns = 1 + draw.below(150), margin = draw.below(3);
  std::vector<std::uint8_t> table(std::size_t{n_rows} * n_columns);
  for (std::uint8_t& cell : table) cell = static_cast<std::uint8_t>(draw.below(2));
  const std::size_t n_bytes = (n_rows + 7) / 8, stride = n_bytes + margin;
  std::vector<std::uint8_t> packed(n_columns * stride, 0xaa);
  CHECK(pack_table(table.data(), n_rows, n_columns, packed.data(), static_cast<std::ptrdiff_t>(stride)));
  for (std::uint32_t c = 0; c < n_columns; ++c) {
    for (std::uint32_t row = 0; row < 8 * n_bytes; ++row)
      CHECK_EQUAL((packed[c * stride + row / 8] >> (row % 8)) & 1, row < n_rows ? table[row * n_columns + c] : 0);
    for (std::uint32_t i = 0; i < margin; ++i) CHECK_EQUAL(packed[c * stride + n_bytes + i], 0xaa);
  }
}

RANDOM_TEST(one_byte_that_is_neither_0_nor_1_is_told, 100) {
  const std::uint32_t n_rows = 1 + draw.below(100), n_columns = 1 + draw.below(100), n_bytes = (n_rows + 7) / 8;
  std::vector<std::uint8_t> table(std::size_t{n_rows} * n_columns, 1), packed(std::size_t{n_columns} * n_bytes);
  table[draw.below(n_rows * n_columns)] = static_cast<std::uint8_t>(2 + draw.below(254));
  CHECK(!pack_table(table.data(), n_rows, n_columns, packed.data(), n_bytes));
}

}  // namespace hornbeam::testing::packed_columns_test
