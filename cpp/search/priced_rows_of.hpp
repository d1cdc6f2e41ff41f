// search/priced_rows_of.hpp
//
// WHAT    The rows of a problem as pricing/row_prices reads them.
// FLOW    search/search, once the search is a long one.
#pragma once

#include "pricing/priced_rows.hpp"
#include "rows/problem.hpp"

namespace hornbeam::search {

/// Whether leaves have a penalty and predictions whose losses are sums, and there are not too many cells.
bool can_price_rows(const rows::Problem& problem);
pricing::PricedRows priced_rows_of(const rows::Problem& problem);
/// What pricing them takes, at most.
std::uint64_t bytes_to_price(const rows::Problem& problem);

}  // namespace hornbeam::search
