// Amounts that are a number or a percentage ("25%"): how many pods an update or a disruption may take. Values are
// those of canonical trees: an integer, or a string; absent is 0. Pure; any thread.
#pragma once

#include <string>

#include "resources/rules/errors.h"

namespace resources {

// As error texts show one.
std::string PrintIntOrString(const Value& v);
// A number that is not negative, or digits and a percent sign.
void CheckIntOrPercent(Errors& errors, const FieldPath& path, const Value& v);
void CheckAtMost100Percent(Errors& errors, const FieldPath& path, const Value& v);
// The number, that of the percentage, or that which another string spells; 0 of any other.
int64_t AmountOf(const Value& v);

}  // namespace resources
