// The content of string and bytes literals. Pure.
#pragma once

#include <string>
#include <string_view>

namespace cel {

// `literal` with its quotes and the raw prefix, without the prefix of bytes. The result is the error's text, "" if
// none.
std::string_view Unescape(std::string_view literal, bool bytes, std::string& text);

}  // namespace cel
