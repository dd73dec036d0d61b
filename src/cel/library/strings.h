// Functions on strings as cel-go's string extension (version 2) and standard library have them. Positions count code
// points. Every string is UTF-8; results are parts of the arguments where that is possible and otherwise live in
// `arena`. Each takes time linear in its arguments and its result. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "cel/library/outcome.h"
#include "cel/value.h"
#include "value/arena.h"

namespace cel::library {

Outcome<std::string_view> CharAt(std::string_view text, int64_t index);
Outcome<std::string_view> Substring(std::string_view text, int64_t start);
Outcome<std::string_view> Substring(std::string_view text, int64_t start, int64_t end);
// -1 where `part` does not stand from `offset` on. An empty part stands at `offset`, whatever that is.
Outcome<int64_t> IndexOf(std::string_view text, std::string_view part, int64_t offset = 0);
Outcome<int64_t> LastIndexOf(std::string_view text, std::string_view part);
// The last place that is no later than `offset`.
Outcome<int64_t> LastIndexOf(std::string_view text, std::string_view part, int64_t offset);
bool Contains(std::string_view text, std::string_view part);

// Without the white space of Unicode around it.
std::string_view Trim(std::string_view text);
std::string_view LowerAscii(value::Arena& arena, std::string_view text);
std::string_view UpperAscii(value::Arena& arena, std::string_view text);
// The first `most` of `from`, all where that is negative. An empty `from` stands before each code point and at the end.
Outcome<std::string_view> Replace(value::Arena& arena, std::string_view text, std::string_view from,
                                  std::string_view to, int64_t most = -1);
// A list of at most `most` parts, the last with all that is left; of all parts where `most` is negative. An empty
// separator stands between code points.
Value Split(value::Arena& arena, std::string_view text, std::string_view separator, int64_t most = -1);
Outcome<std::string_view> Join(value::Arena& arena, const Value& list, std::string_view separator);
// In double quotes, with the escapes of CEL.
std::string_view Quote(value::Arena& arena, std::string_view text);

}  // namespace cel::library
