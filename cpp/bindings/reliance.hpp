// bindings/reliance.hpp
//
// WHAT    The border to Python of sets of trees and how much these rely on columns; see api/rashomon.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam {

void bind_reliance(nanobind::module_& module);

}  // namespace hornbeam
