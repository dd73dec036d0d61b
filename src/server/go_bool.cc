#include "server/go_bool.h"

#include "base/text.h"
#include "value/quote.h"

namespace server {

std::optional<bool> ParseGoBool(std::string_view text) {
  for (std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::string GoBoolComplaint(std::string_view text) {
  return base::Cat("strconv.ParseBool: parsing ", value::Quote(text), ": invalid syntax");
}

}  // namespace server
