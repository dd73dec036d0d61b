// Format: the format() of strings, with the clauses %s %d %f %e %b %x %X %o and the texts of cel-go 0.22 (locale
// en_US). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "cel/library/outcome.h"
#include "cel/value.h"
#include "value/arena.h"

namespace cel::library {

// One clause of a format: the argument it shows, and how.
struct FormatClause {
  char verb = 's';  // one of "sdfebxXo"
  size_t argument = 0;
  std::optional<int64_t> precision;
};

// Walks a format that has `arguments` arguments. `clause` appends what stands for a clause, or says why not; a format
// that is none ends the walk with the reason. Both the checker and format() read formats with it.
// Gives the number of arguments that the format shows.
// `end_first`: of a format that ends within a clause for which there is no argument, the checker tells the end.
Outcome<size_t> WalkFormat(std::string_view format, size_t arguments, std::string& out,
                           absl::FunctionRef<Outcome<void>(const FormatClause&, std::string&)> clause,
                           bool end_first = false);

// Why a clause cannot show a value of the type `type_name`: "decimal clause can only be used on integers, was given
// string". `verb` is one of FormatClause's.
std::string WrongFormatArgument(char verb, std::string_view type_name);

Outcome<std::string_view> Format(value::Arena& arena, std::string_view format, const Value& arguments);

}  // namespace cel::library
