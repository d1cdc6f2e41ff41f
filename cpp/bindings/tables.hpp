// bindings/tables.hpp
//
// WHAT    The functions of the module that are not searches: they read a table, its labels and the rows of a tree.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

void add_tables(nanobind::module_& module);

}  // namespace hornbeam::bindings
