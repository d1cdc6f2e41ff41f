// bindings/names.hpp
//
// WHAT    What Python names: switches, bounds and policies.
// HOLDS   An unknown name is an error (std::invalid_argument), never passed over.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "api/posterior.hpp"
#include "api/solve.hpp"

namespace hornbeam {

namespace nb = nanobind;

inline Switches switches_of(const nb::dict& given) {
  Switches switches;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    const bool on = nb::cast<bool>(value);
    if (name == "support_condition")
      switches.support_condition = on;
    else if (name == "pair_stage")
      switches.pair_stage = on;
    else if (name == "equivalent_points")
      switches.equivalent_points = on;
    else if (name == "similarity")
      switches.similarity = on;
    else if (name == "packing")
      switches.packing = on;
    else if (name == "subset")
      switches.subset = on;
    else
      throw std::invalid_argument("switches: there is no bound of the name '" + name + "'");
  }
  return switches;
}

inline PosteriorSwitches posterior_switches_of(const nb::dict& given) {
  PosteriorSwitches switches;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (name != "parted_pairs") throw std::invalid_argument("switches: there is no bound of the name '" + name + "'");
    switches.parted_pairs = nb::cast<bool>(value);
  }
  return switches;
}

inline Policy policy_of(const std::string& name) {
  for (const Policy policy :
       {Policy::curiosity, Policy::objective, Policy::lower_bound, Policy::entropy, Policy::gini, Policy::fifo})
    if (name == name_of(policy)) return policy;
  throw std::invalid_argument("policy: there is none of the name '" + name + "'");
}

inline LeafSetBounds leaf_set_bounds_of(const nb::dict& given) {
  LeafSetBounds bounds;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    bool* const found = bounds.find(name);
    if (found == nullptr) throw std::invalid_argument("bounds: there is no bound of the name '" + name + "'");
    *found = nb::cast<bool>(value);
  }
  return bounds;
}

}  // namespace hornbeam
