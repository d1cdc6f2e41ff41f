#include "bindings/options.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "api/checks.hpp"

namespace nb = nanobind;

namespace hornbeam::bindings {

namespace {

/// A limit beyond 32 bits is one that no search reaches.
std::optional<std::uint32_t> narrowed(std::optional<std::int64_t> limit) {
  return limit ? std::optional(static_cast<std::uint32_t>(std::min<std::int64_t>(*limit, 0xffffffffLL))) : std::nullopt;
}

std::optional<std::uint64_t> as_unsigned(std::optional<std::int64_t> limit) {
  return limit ? std::optional(static_cast<std::uint64_t>(*limit)) : std::nullopt;
}

/// A copy with some options changed. Throws TypeError if there is no such option, or its value has another type.
SearchOptions replaced(SearchOptions options, const nb::kwargs& changes) {
  for (const auto& [key, value] : changes) {
    const auto name = nb::cast<std::string>(key);
    bool is_taken = false;
#define OPTION(type, option, by_default, searches) \
  if (name == #option) is_taken = nb::try_cast(value, options.option);
#include "bindings/options.def"
    if (!is_taken) throw nb::type_error((name + ": no such option, or a value of the wrong type").c_str());
  }
  return options;
}

}  // namespace

void SearchOptions::check(Search search) const {
  const SearchOptions defaults;
// NOLINTBEGIN(bugprone-macro-parentheses): a name of a field takes none
#define OPTION(type, name, by_default, searches) \
  api::require(((searches) & search) != 0 || name == defaults.name, #name ": this search does not accept it");
#include "bindings/options.def"
  // NOLINTEND(bugprone-macro-parentheses)
  api::require(!max_depth || *max_depth >= 0, "max_depth: must be at least 0");
  api::require(!max_leaves || *max_leaves >= 1, "max_leaves: must be at least 1");
  api::require(min_samples_leaf >= 1, "min_samples_leaf: must be at least 1");
  api::require(!memory_limit || *memory_limit >= 0, "memory_limit: must be at least 0");
  api::require(n_threads >= 1 && n_threads <= run::kMostThreads, "n_threads: must be in [1, 1024]");
  api::require(checkpoint_interval >= 0, "checkpoint_interval: must be at least 0");
  api::require(!triples_above || *triples_above >= 0, "triples_above: must be at least 0");
  api::require(!max_expansions || *max_expansions >= 1, "max_expansions: must be at least 1");
}

TreeLimits SearchOptions::tree_limits() const {
  return {narrowed(max_depth), narrowed(max_leaves), static_cast<std::uint64_t>(min_samples_leaf), rule_list};
}

run::SearchLimits SearchOptions::search_limits() const {
  return {time_limit, as_unsigned(memory_limit), gap_limit, static_cast<std::uint32_t>(n_threads), {}, cutoff,
          known_lower};
}

std::optional<std::uint64_t> SearchOptions::expansion_limit() const { return as_unsigned(max_expansions); }

std::optional<std::uint64_t> SearchOptions::most_rows_searched() const { return as_unsigned(triples_above); }

posterior::PosteriorLimits SearchOptions::posterior_limits() const {
  return {narrowed(max_depth), time_limit, as_unsigned(memory_limit), expansion_limit(), {}};
}

Bounds SearchOptions::bounds_of(unsigned searches) const {
  Bounds chosen;
  for (const auto& [name, is_on] : bounds) {
    bool Bounds::* const flag = switch_of(name, searches);
    if (flag == nullptr) throw std::invalid_argument("bounds: there is no bound '" + name + "'");
    chosen.*flag = is_on;
  }
  return chosen;
}

void add_options(const nb::module_& module) {
  const auto construct = [](SearchOptions* self
#define OPTION(type, name, by_default, searches) , type name
#include "bindings/options.def"
                         ) {
    new (self) SearchOptions{
#define OPTION(type, name, by_default, searches) std::move(name),
#include "bindings/options.def"
    };
  };
  nb::class_<SearchOptions> options(module, "SearchOptions", "Limits of a search and of its tree; never changed.");
  options.def("__init__", construct, nb::kw_only()
#define OPTION(type, name, by_default, searches) , nb::arg(#name) = by_default
#include "bindings/options.def"
  );
  options.def("replace", &replaced, "A copy with some options changed.");
#define OPTION(type, name, by_default, searches) options.def_ro(#name, &SearchOptions::name);
#include "bindings/options.def"
}

}  // namespace hornbeam::bindings
