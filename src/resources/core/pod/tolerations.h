// Taints of nodes, and what pods tolerate of them. Pure; any thread.
#pragma once

#include <array>
#include <expected>
#include <string>
#include <string_view>

#include "resources/rules/errors.h"

namespace resources::core {

// What tells tolerations apart: all but how many seconds.
using TolerationKey = std::array<std::string_view, 4>;
TolerationKey KeyOf(const Value& toleration);

// A list of Tolerations.
void CheckTolerations(Errors& errors, const FieldPath& path, const Value& tolerations);
// A list of Taints, which differ in key and effect.
void CheckTaints(Errors& errors, const FieldPath& path, const Value& taints);

// The lists in the JSON text of an annotation; the error is what Go's decoder says.
std::expected<Value, std::string> ReadTolerations(std::string_view json, value::Arena& arena);
std::expected<Value, std::string> ReadTaints(std::string_view json, value::Arena& arena);

}  // namespace resources::core
