// bindings/reliance.hpp
//
// WHAT    How much sets of trees rely on columns; see api/rashomon.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include "api/rashomon.hpp"

namespace hornbeam {

/// Of a number of any size, the lowest first.
nanobind::list words_of(const Limbs& limbs);

void add_reliance(nanobind::module_& module);

}  // namespace hornbeam
