#include "http/response_fields.h"

#include <algorithm>
#include <utility>

#include "http/request_head.h"

namespace http {

void AppendCanonicalName(std::string_view lower_name, std::string& out) {
  bool first = true;
  for (char c : lower_name) {
    out += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
    first = c == '-';
  }
}

void AppendFieldValue(std::string_view value, std::string& out) {
  if (IsFieldValue(value)) {
    out += value;
    return;
  }
  for (char c : value) out += IsFieldValue({&c, 1}) ? c : ' ';
}

exchange::Headers WithCleanValues(exchange::Headers headers) {
  if (std::ranges::all_of(headers.fields(), [](const auto& field) { return IsFieldValue(field.second); }))
    return headers;
  exchange::Headers clean;
  for (const auto& [name, value] : headers.fields()) {
    std::string text;
    AppendFieldValue(value, text);
    clean.Add(name, std::move(text));
  }
  return clean;
}

bool IsFramingField(std::string_view lower_name) {
  switch (lower_name.size()) {
    case 7:
      return lower_name == "upgrade";
    case 10:
      return lower_name == "connection" || lower_name == "keep-alive";
    case 14:
      return lower_name == "content-length";
    case 17:
      return lower_name == "transfer-encoding";
    default:
      return false;
  }
}

}  // namespace http
