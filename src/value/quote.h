// Quote: a string as Go's %q prints it, the form in which error texts show strings.
#pragma once

#include <string>
#include <string_view>

namespace value {

// In double quotes; backslash forms for control characters, quotes and what is no printable UTF-8 (\x for bytes that
// are no UTF-8).
std::string Quote(std::string_view text);

}  // namespace value
