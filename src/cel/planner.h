// Makes code of a checked tree: folds constants, joins the steps into a value to chains, compiles patterns.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "cel/ast.h"
#include "cel/code.h"
#include "cel/environment.h"

namespace cel {

// The error is what a folded call or a pattern ran into.
std::expected<std::unique_ptr<Code>, std::string> Plan(const Environment& environment, const Ast& ast);

}  // namespace cel
