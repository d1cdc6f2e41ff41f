// bindings/tables.hpp
//
// WHAT    The functions of the module that read a table, its labels and the rows of a tree, beside the searches.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam {

void add_tables(nanobind::module_& module);

}  // namespace hornbeam
