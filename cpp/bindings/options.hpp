// bindings/options.hpp
//
// WHAT    The options of a search, as Python passes them; the list is bindings/options.def.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "api/posterior.hpp"
#include "base/bounds.hpp"
#include "base/options.hpp"
#include "run/checkpoint.hpp"

namespace hornbeam::bindings {

using BoundSwitches = std::map<std::string, bool>;

struct SearchOptions {
  enum Search : unsigned {
    kBits = 1,
    kOrdered = 2,
    kLookahead = 4,
    kLeaves = 8,
    kMapTree = 16,
    kTreeSet = 32,
    kRankingOfSet = 64,
    kEverySearch = 127
  };

#define OPTION(type, name, by_default, searches) type name = by_default;
#include "bindings/options.def"

  /// Throws std::invalid_argument if an option is out of range, or one that the search does not take is not the
  /// default.
  void check(Search search) const;

  TreeLimits tree_limits() const;
  run::SearchLimits search_limits() const;
  std::optional<std::uint64_t> expansion_limit() const;
  std::optional<std::uint64_t> most_rows_searched() const;
  posterior::PosteriorLimits posterior_limits() const;
  run::CheckpointOptions checkpoint_options() const { return {checkpoint.value_or(""), checkpoint_interval}; }
  /// The same with every bound at its default.
  SearchOptions without_bounds() const {
    SearchOptions others = *this;
    others.bounds.clear();
    return others;
  }
  /// `searches` are those of base/bounds.hpp; throws std::invalid_argument for a name that they do not have.
  Bounds bounds_of(unsigned searches) const;
};

void add_options(const nanobind::module_& module);

}  // namespace hornbeam::bindings
