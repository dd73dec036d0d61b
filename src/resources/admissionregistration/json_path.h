// JsonPathComplaint: why a text is no template of JSONPath as kubectl reads them ("{.spec.items[0]}"). Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace resources::admissionregistration {

// "" where it is one; else the real server's words. Bounded by the text's size.
std::string JsonPathComplaint(std::string_view text);

}  // namespace resources::admissionregistration
