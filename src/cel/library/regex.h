// Regular expressions of expressions: matches(), find() and findAll(), with Go's reading of patterns and its words for
// what is wrong with one. Matching takes time linear in the text times the pattern, and bounded memory. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/regexp.h"
#include "cel/library/outcome.h"
#include "cel/value.h"
#include "value/arena.h"

namespace cel::library {

// The pattern of an expression that is constant, compiled with it; or one that is read for one call. The error is Go's
// text: "error parsing regexp: missing closing ]: `[a`".
inline Outcome<api::Regexp> CompilePattern(std::string_view pattern) { return api::Regexp::Compile(pattern); }
// find() and findAll() put words before the reason where the pattern is read for the call.
std::string IllegalPattern(std::string_view reason);

// The first match, "" without one.
std::string_view Find(const api::Regexp& pattern, std::string_view text);
// A list of at most `most` matches that do not overlap, of all where it is negative.
Value FindAll(value::Arena& arena, const api::Regexp& pattern, std::string_view text, int64_t most = -1);

}  // namespace cel::library
