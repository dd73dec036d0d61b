// Named formats: what format.NAME() gives, and validate() of it. Constant; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cel::library {

struct NamedFormat {
  std::string_view function;  // "dns1123Label", as in format.dns1123Label() and format.named("dns1123Label")
  std::string_view name;      // "DNS1123Label": two formats are the same if their names are
  // What is wrong with a text, nothing for a good one.
  std::vector<std::string> (*validate)(std::string_view text) = nullptr;
  int most_pattern_size = 0;  // how long a regular expression for it is, which its cost goes by
};

// nullptr for a name that is none.
const NamedFormat* FindFormat(std::string_view function);

}  // namespace cel::library
