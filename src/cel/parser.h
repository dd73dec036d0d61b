// Parses expressions and expands their macros. Errors carry the texts, places and recovery of the reference's parser,
// so that one mistake gives the same issues. Linear in the text but for macros, whose arguments optMap copies; depth,
// size, issues and recoveries are bounded.
#pragma once

#include <memory>
#include <string_view>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/source.h"

namespace cel {

// The tree, or nullptr with `issues` filled.
std::unique_ptr<Ast> Parse(const Environment& environment, std::string_view text, Issues& issues);

}  // namespace cel
