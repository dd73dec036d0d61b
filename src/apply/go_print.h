// How Go prints decoded documents in error texts (%v, %#v): the real server puts its maps and slices into messages that clients see.
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace apply {

// %v: x, [a b], map[a:b c:[d]] (keys sorted), <nil>.
void AppendGoValue(const value::Value& v, std::string& out);
std::string GoValue(const value::Value& v);
// %s: the same, but for scalars that are no text: %!s(int64=1).
std::string GoText(const value::Value& v);

// %#v: "x", []interface {}{"a"}, map[string]interface {}{"a":1}.
void AppendGoSyntax(const value::Value& v, std::string& out);

// %T: string, int64, []interface {}, map[string]interface {}, <nil>.
std::string_view GoTypeName(const value::Value& v);

// What Go's Sprintf makes of a text that it takes for a format, without arguments: 25%} is 25%!}(MISSING).
std::string GoFormatted(std::string_view text);

}  // namespace apply
