#include "customresources/schema_field_path.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace customresources {
namespace {

using value::Value;

constexpr std::string_view kNoField = "does not refer to a valid field";

// A delimiter, a string in single quotes, or what stands between delimiters; none at the end.
std::optional<std::string_view> TakeToken(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  size_t end = 1;
  if (rest.front() == '\'') {
    while (end < rest.size() && (rest[end] != '\'' || rest[end - 1] == '\\')) ++end;
    end = std::min(end + 1, rest.size());
  } else if (!std::string_view(".[]").contains(rest.front())) {
    end = std::min(rest.find_first_of(".[]"), rest.size());
  }
  const std::string_view token = rest.substr(0, end);
  rest.remove_prefix(end);
  return token;
}

std::string Unescape(std::string_view quoted) {
  std::string out;
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\' && i + 1 < quoted.size()) ++i;
    out += quoted[i];
  }
  return out;
}

// Quick where the keys are sorted, as they are in trees that were decoded.
const Value* Property(const Value& properties, std::string_view name) {
  const auto members = properties.members();
  const auto at = std::ranges::lower_bound(members, name, {}, &value::Member::key);
  if (at != members.end() && at->key == name) return &at->value;
  return properties.Find(name);
}

// Goes one step down; false where there is no such field.
bool Descend(SchemaField& field, std::string_view name) {
  const Value properties = field.schema.Get("properties");
  if (!properties.empty()) {
    const Value* found = Property(properties, name);
    if (found == nullptr) return false;
    base::Append(field.text, ".", name);
    field.schema = *found;
  } else if (const Value more = field.schema.Get("additionalProperties"); !more.is_null()) {
    base::Append(field.text, "[", name, "]");
    field.schema = more.is_object() ? more : Value();
  } else {
    return false;
  }
  if (field.root.empty()) field.root = name;
  return true;
}

// The step in brackets whose first one has been taken.
std::expected<std::string, std::string> TakeBracketed(std::string_view& rest) {
  const auto name = TakeToken(rest);
  if (!name) return std::unexpected("unexpected end of JSON path");
  if (name->size() < 2 || name->front() != '\'' || name->back() != '\'') {
    return std::unexpected(base::Cat("expected single quoted string but got ", *name));
  }
  return Unescape(name->substr(1, name->size() - 2));
}

}  // namespace

std::expected<SchemaField, std::string> FindField(std::string_view path, const Value& schema, bool brackets) {
  SchemaField field{.root = {}, .text = {}, .schema = schema};
  while (const auto token = TakeToken(path)) {
    if (*token == "[") {
      if (!brackets) return std::unexpected("array notation is not allowed");
      const auto name = TakeBracketed(path);
      if (!name) return std::unexpected(name.error());
      if (!Descend(field, *name)) return std::unexpected(std::string(kNoField));
      const auto end = TakeToken(path);
      if (!end) return std::unexpected("unexpected end of JSON path");
      if (*end != "]") return std::unexpected(base::Cat("expected ] but got ", *end));
    } else if (*token == ".") {
      const auto name = TakeToken(path);
      if (!name) return std::unexpected("unexpected end of JSON path");
      if (!Descend(field, *name)) return std::unexpected(std::string(kNoField));
    } else {
      return std::unexpected(base::Cat("expected [ or . but got: ", *token));
    }
  }
  return field;
}

}  // namespace customresources
