// Finds the type of every part of an expression, resolves names and overloads. Gradual: what is dyn fits everywhere.
#pragma once

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/source.h"

namespace cel {

// Annotates the tree. What is wrong goes to `issues`; the tree is then of no use.
void CheckTypes(const Environment& environment, Ast& ast, Issues& issues);

// What the API server looks at in an expression whose types are right: literals of durations, timestamps, patterns and
// formats, lists and maps of several types.
void Validate(const Environment& environment, Ast& ast, Issues& issues);

}  // namespace cel
