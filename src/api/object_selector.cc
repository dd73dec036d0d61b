#include "api/object_selector.h"

#include <string>

#include "base/text.h"

namespace api {
namespace {

using base::Cat;
using value::Value;

std::string JoinValues(const Value& values) {
  std::string text;
  for (const Value& item : values.items()) {
    if (!text.empty()) text += ',';
    text += item.AsString();
  }
  return text;
}

// The requirement in a selector's text form.
std::string RequirementText(const Value& requirement) {
  const std::string_view key = requirement.GetString("key"), op = requirement.GetString("operator");
  if (op == "Exists") return std::string(key);
  if (op == "DoesNotExist") return Cat("!", key);
  return Cat(key, op == "NotIn" ? " notin (" : " in (", JoinValues(requirement.Get("values")), ")");
}

}  // namespace

Result<std::optional<LabelSelector>> SelectorOf(const Value& selector) {
  if (!selector.is_object()) return std::nullopt;
  std::string text;
  const auto add = [&](std::string_view requirement) {
    if (!text.empty()) text += ',';
    text += requirement;
  };
  for (const value::Member& label : selector.Get("matchLabels").members()) {
    add(Cat(label.key, "=", label.value.AsString()));
  }
  for (const Value& requirement : selector.Get("matchExpressions").items()) add(RequirementText(requirement));
  auto parsed = LabelSelector::Parse(text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return std::optional(*std::move(parsed));
}

}  // namespace api
