#include "registry/json_scan.h"

#include <algorithm>

namespace registry {
namespace {

// The position after the string whose opening quote is at `at`; text.size() if it does not end.
size_t SkipString(std::string_view text, size_t at) {
  for (++at; at < text.size();) {
    const size_t quote = text.find('"', at);
    if (quote == std::string_view::npos) return text.size();
    size_t backslashes = 0;
    while (quote - backslashes > at && text[quote - backslashes - 1] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return quote + 1;
    at = quote + 1;
  }
  return text.size();
}

size_t SkipContainer(std::string_view text, size_t at) {
  size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = SkipString(text, at);
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return at + 1;
        break;
      default:
        break;
    }
    ++at;
  }
  return text.size();
}

size_t SkipValue(std::string_view text, size_t at) {
  if (at >= text.size()) return text.size();
  if (text[at] == '"') return SkipString(text, at);
  if (text[at] == '{' || text[at] == '[') return SkipContainer(text, at);
  return std::min(text.find_first_of(",}]", at), text.size());
}

}  // namespace

MemberScan::MemberScan(std::string_view json) : rest_(json.starts_with('{') ? json.substr(1) : std::string_view()) {}

bool MemberScan::Next(std::string_view& key, std::string_view& value) {
  if (!NextKey(key)) return false;
  value = TakeValue();
  return true;
}

bool MemberScan::NextKey(std::string_view& key) {
  if (rest_.starts_with(',')) rest_.remove_prefix(1);
  if (!rest_.starts_with('"')) return false;
  const size_t key_end = SkipString(rest_, 0);
  if (key_end >= rest_.size() || rest_[key_end] != ':') return false;
  key = rest_.substr(1, key_end - 2);
  rest_.remove_prefix(key_end + 1);
  return true;
}

std::string_view MemberScan::TakeValue() {
  const size_t end = SkipValue(rest_, 0);
  const std::string_view value = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return value;
}

std::string_view SeekJson(std::string_view json, std::string_view dotted_path) {
  while (true) {
    const size_t dot = dotted_path.find('.');
    const std::string_view step = dotted_path.substr(0, dot);
    MemberScan scan(json);
    std::string_view key;
    while (true) {
      if (!scan.NextKey(key)) return {};
      if (key == step) break;
      scan.TakeValue();
    }
    json = scan.AtValue();
    if (dot == std::string_view::npos) return json;
    dotted_path.remove_prefix(dot + 1);
  }
}

std::string_view FindJson(std::string_view json, std::string_view dotted_path) {
  const std::string_view from = SeekJson(json, dotted_path);
  return from.substr(0, SkipValue(from, 0));
}

std::string_view PlainText(std::string_view raw) {
  if (raw == "null") return {};
  if (raw.size() >= 2 && raw.front() == '"') return raw.substr(1, raw.size() - 2);
  return raw;
}

}  // namespace registry
