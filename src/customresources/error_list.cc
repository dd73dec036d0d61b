#include "customresources/error_list.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "api/quote.h"
#include "apply/go_print.h"
#include "value/value.h"

namespace customresources {
namespace {

using Type = api::FieldError::Type;

void AppendContent(const Value& v, std::string& out) {
  if (v.is_array()) {
    out += "[]interface {}{";
    const char* comma = "";
    for (const Value& item : v.items()) {
      out += std::exchange(comma, ", ");
      AppendContent(item, out);
    }
    out += '}';
  } else if (v.is_object()) {
    out += "map[string]interface {}{";
    const char* comma = "";
    for (const value::Member& member : v.members()) {
      out += std::exchange(comma, ", ");
      out += api::Quote(member.key);
      out += ':';
      AppendContent(member.value, out);
    }
    out += '}';
  } else {
    apply::AppendGoSyntax(v, out);
  }
}

}  // namespace

std::string PrintContent(const Value& content) {
  if (content.is_null()) return "\"null\"";
  std::string out;
  AppendContent(content, out);
  return out;
}

std::string PrintFloat(double number) {
  std::array<char, 40> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t e = text.find('e');
  if (e == text.npos) return std::string(text);  // no number
  int exponent = 0;
  const size_t digits = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 21) return std::string(text);
  end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed).ptr;
  return {buffer.data(), end};
}

void ErrorList::Add(api::FieldError error) {
  ++found_;
  if (full()) return;
  bytes_ += error.field.size() + error.value.size() + error.detail.size();
  list_.push_back(std::move(error));
}

void ErrorList::Invalid(std::string field, std::string printed, std::string detail) {
  Add({Type::kInvalid, std::move(field), std::move(printed), std::move(detail)});
}
void ErrorList::Required(std::string field, std::string detail) {
  Add({Type::kRequired, std::move(field), {}, std::move(detail)});
}
void ErrorList::Duplicate(std::string field, std::string printed) {
  Add({Type::kDuplicate, std::move(field), std::move(printed), {}});
}

bool ErrorList::BlocksRules() const {
  return std::ranges::any_of(list_, [](const api::FieldError& error) {
    return error.type == Type::kNotSupported || error.type == Type::kRequired || error.type == Type::kTooLong ||
           error.type == Type::kTooMany || error.type == Type::kTypeInvalid;
  });
}

}  // namespace customresources
