// The row of a pod: the one table whose cells need a file of their own.
#pragma once

#include <string_view>

#include "resources/tables/cells.h"

namespace resources {

Value PodCells(Arena& arena, const Value& pod, std::string_view now);
// registry::PrinterTable::conditions: a pod that has ended is said to be completed.
std::string_view PodConditions(const Value& pod);

}  // namespace resources
