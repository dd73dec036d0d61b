#include "handlers/subresources/review_selectors.h"

#include <algorithm>
#include <utility>

#include "api/names.h"
#include "api/quote.h"
#include "api/selector.h"
#include "base/text.h"

namespace handlers {
namespace {

using value::Value;
using Type = api::FieldError::Type;

bool TakesValues(std::string_view op) { return op == "In" || op == "NotIn"; }
bool TakesNone(std::string_view op) { return op == "Exists" || op == "DoesNotExist"; }

void CheckValues(const Value& requirement, const std::string& path, api::FieldErrors& errors) {
  const std::string_view op = requirement.GetString("operator");
  const bool has_values = !requirement.Get("values").empty();
  if (TakesValues(op) && !has_values) {
    errors.push_back(
        {Type::kRequired, base::Cat(path, ".values"), "", "must be specified when `operator` is 'In' or 'NotIn'"});
  }
  if (TakesNone(op) && has_values) {
    errors.push_back({Type::kForbidden, base::Cat(path, ".values"), "",
                      "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"});
  }
}

void CheckFieldRequirement(const Value& requirement, const std::string& path, api::FieldErrors& errors) {
  if (requirement.GetString("key").empty()) {
    errors.push_back({Type::kRequired, base::Cat(path, ".key"), "", "must be specified"});
  }
  CheckValues(requirement, path, errors);
}

void CheckLabelRequirement(const Value& requirement, const std::string& path, api::FieldErrors& errors) {
  CheckValues(requirement, path, errors);
  const auto add = [&errors](std::string at, std::string_view text, api::Complaints complaints) {
    for (std::string& complaint : complaints) {
      errors.push_back({Type::kInvalid, at, api::Quote(text), std::move(complaint)});
    }
  };
  const std::string_view key = requirement.GetString("key");
  add(base::Cat(path, ".key"), key, api::CheckQualifiedName(key));
  const Value values = requirement.Get("values");
  for (uint32_t i = 0; i < values.size(); ++i) {
    const std::string_view text = values[i].AsString();
    add(base::Cat(path, ".values[", i, "]"), text, api::CheckLabelValue(text));
  }
}

using CheckRequirement = void (*)(const Value&, const std::string&, api::FieldErrors&);

void CheckSelector(const Value& selector, const std::string& path, CheckRequirement check, api::FieldErrors& errors) {
  if (!selector.is_object()) return;
  const std::string_view raw = selector.GetString("rawSelector");
  const Value requirements = selector.Get("requirements");
  if (!raw.empty() && !requirements.empty()) {
    errors.push_back({Type::kInvalid, base::Cat(path, ".rawSelector"), api::Quote(raw),
                      "may not specified at the same time as requirements"});
  }
  if (raw.empty() && requirements.empty()) {
    errors.push_back({Type::kRequired, base::Cat(path, ".requirements"), "",
                      base::Cat("when ", path, " is specified, requirements or rawSelector is required")});
  }
  for (uint32_t i = 0; i < requirements.size(); ++i) {
    check(requirements[i], base::Cat(path, ".requirements[", i, "]"), errors);
  }
}

// A field can be compared with one value only.
bool FieldRequirementIsUsable(const Value& requirement) {
  return TakesValues(requirement.GetString("operator")) && requirement.Get("values").size() == 1;
}

bool LabelRequirementIsUsable(const Value& requirement) {
  const std::string_view op = requirement.GetString("operator");
  return TakesValues(op) || TakesNone(op);
}

std::string Evaluate(const Value& selector, std::string_view path, bool raw_parses, bool (*is_usable)(const Value&)) {
  const std::span<Value> requirements = selector.Get("requirements").items();
  const auto usable = std::count_if(requirements.begin(), requirements.end(), is_usable);
  if (raw_parses && usable == std::ssize(requirements)) return "";
  return base::Cat(path, usable > 0 ? " partially ignored" : " ignored", " due to parse error");
}

}  // namespace

void CheckReviewSelectors(const Value& attributes, std::string_view path, api::FieldErrors& errors) {
  CheckSelector(attributes.Get("fieldSelector"), base::Cat(path, ".fieldSelector"), CheckFieldRequirement, errors);
  CheckSelector(attributes.Get("labelSelector"), base::Cat(path, ".labelSelector"), CheckLabelRequirement, errors);
}

std::string SelectorEvaluationError(const Value& attributes, std::string_view path) {
  const Value fields = attributes.Get("fieldSelector"), labels = attributes.Get("labelSelector");
  const bool fields_parse = api::FieldSelector::Parse(fields.GetString("rawSelector")).has_value();
  const bool labels_parse = api::LabelSelector::Parse(labels.GetString("rawSelector")).has_value();
  std::string error = Evaluate(fields, base::Cat(path, ".fieldSelector"), fields_parse, FieldRequirementIsUsable);
  const std::string second =
      Evaluate(labels, base::Cat(path, ".labelSelector"), labels_parse, LabelRequirementIsUsable);
  if (!error.empty() && !second.empty()) error += "; ";
  return error + second;
}

std::string_view FieldSelectorText(const Value& selector, value::Arena& arena) {
  if (const std::string_view raw = selector.GetString("rawSelector"); !raw.empty()) return raw;
  std::string text;
  for (const Value& requirement : selector.Get("requirements").items()) {
    if (!FieldRequirementIsUsable(requirement)) continue;
    base::Append(text, text.empty() ? "" : ",", requirement.GetString("key"),
                 requirement.GetString("operator") == "In" ? "=" : "!=");
    for (const char c : requirement.Get("values")[0].AsString()) {
      if (c == '\\' || c == ',' || c == '=') text += '\\';
      text += c;
    }
  }
  return arena.CopyString(text);
}

std::string_view LabelSelectorText(const Value& selector, value::Arena& arena) {
  if (const std::string_view raw = selector.GetString("rawSelector"); !raw.empty()) return raw;
  std::string text;
  for (const Value& requirement : selector.Get("requirements").items()) {
    if (!LabelRequirementIsUsable(requirement)) continue;
    const std::string_view op = requirement.GetString("operator"), key = requirement.GetString("key");
    base::Append(text, text.empty() ? "" : ",", op == "DoesNotExist" ? "!" : "", key);
    if (!TakesValues(op)) continue;
    std::string values;
    for (const Value& value : requirement.Get("values").items()) {
      base::Append(values, values.empty() ? "" : ",", value.AsString());
    }
    base::Append(text, op == "In" ? " in (" : " notin (", values, ")");
  }
  return arena.CopyString(text);
}

}  // namespace handlers
