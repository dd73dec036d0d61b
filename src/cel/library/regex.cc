#include "cel/library/regex.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "value/utf8.h"

namespace cel::library {

std::string IllegalPattern(std::string_view reason) { return base::Cat("Illegal regex: ", reason); }

std::string_view Find(const api::Regexp& pattern, std::string_view text) {
  return pattern.Find(text).value_or(std::string_view());
}

Value FindAll(value::Arena& arena, const api::Regexp& pattern, std::string_view text, int64_t most) {
  const uint64_t limit = most < 0 ? text.size() + 1 : static_cast<uint64_t>(most);
  std::vector<Value> found;
  size_t at = 0;
  size_t last_end = text.size() + 1;  // nowhere
  while (found.size() < limit && at <= text.size()) {
    const std::optional<std::string_view> match = pattern.Find(text, at);
    if (!match) break;
    const auto begin = static_cast<size_t>(match->data() - text.data());
    const size_t end = begin + match->size();
    bool counts = true;
    if (end == at) {
      // Nothing was matched here: that counts unless a match ended here. Search goes on behind the next code point.
      counts = begin != last_end;
      at += at < text.size() ? value::DecodeRune(text.substr(at)).size : 1;
    } else {
      at = end;
    }
    last_end = end;
    if (counts) found.push_back(Value::String(*match));
  }
  const std::span<Value> items(arena.AllocateArray<Value>(found.size()), found.size());
  std::ranges::copy(found, items.begin());
  return Value::List(items);
}

}  // namespace cel::library
