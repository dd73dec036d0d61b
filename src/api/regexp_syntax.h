// Whether a text is a regular expression as Go reads them, with its words where it is none. Says nothing of what the
// expression matches. Pure, any thread; linear in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace api {

// "error parsing regexp: missing closing ]: `[a`"; none for a regular expression. `pattern` is UTF-8.
std::optional<std::string> RegexpError(std::string_view pattern);

}  // namespace api
