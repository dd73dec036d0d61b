#include "resources/tables/cells.h"

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "api/duration.h"
#include "base/text.h"
#include "value/json_writer.h"

namespace resources {

std::string Cells::Since(std::string_view time) const {
  if (time.empty()) return "<unknown>";
  return api::HumanDuration(UnixSeconds(now_) - UnixSeconds(time));
}

int64_t UnixSeconds(std::string_view time) {
  std::tm parts{};
  if (strptime(std::string(time).c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return 0;
  return timegm(&parts);
}

int64_t Count(const Value& object, std::initializer_list<std::string_view> path, int64_t absent) {
  const Value found = object.Get(path);
  return found.is_int() ? found.AsInt() : absent;
}

bool Flag(const Value& object, std::initializer_list<std::string_view> path, bool absent) {
  const Value found = object.Get(path);
  return found.is_bool() ? found.AsBool() : absent;
}

std::string_view TextAt(const Value& object, std::initializer_list<std::string_view> path) {
  const Value found = object.Get(path);
  return found.is_string() ? found.AsString() : std::string_view();
}

std::string JoinMembers(const Value& items, std::string_view member) {
  std::string text;
  const char* comma = "";
  for (const Value& item : items.items()) base::Append(text, std::exchange(comma, ","), item.GetString(member));
  return text;
}

std::string JoinTexts(const Value& texts, std::string_view separator) {
  std::string text;
  std::string_view between;
  for (const Value& item : texts.items()) base::Append(text, std::exchange(between, separator), Printed(item));
  return text;
}

namespace {

std::vector<std::string> LabelTexts(const Value& labels) {
  std::vector<std::string> texts;
  for (const value::Member& label : labels.members())
    texts.push_back(base::Cat(label.key, "=", label.value.AsString()));
  std::ranges::sort(texts);
  return texts;
}

std::string RequirementText(const Value& requirement) {
  const std::string_view key = requirement.GetString("key"), op = requirement.GetString("operator");
  if (op == "Exists") return std::string(key);
  if (op == "DoesNotExist") return base::Cat("!", key);
  std::vector<std::string> values;
  for (const Value& v : requirement.Get("values").items()) values.emplace_back(v.AsString());
  std::ranges::sort(values);
  return base::Cat(key, op == "In" ? " in (" : " notin (", JoinRange(values, ","), ")");
}

}  // namespace

std::string FormatLabels(const Value& labels) { return labels.empty() ? "<none>" : JoinRange(LabelTexts(labels), ","); }

std::string FormatSelector(const Value& selector) {
  // By key, as the parsed selector has its requirements.
  std::vector<std::pair<std::string, std::string>> parts;
  for (const value::Member& label : selector.Get("matchLabels").members()) {
    parts.emplace_back(label.key, base::Cat(label.key, "=", label.value.AsString()));
  }
  for (const Value& requirement : selector.Get("matchExpressions").items()) {
    parts.emplace_back(requirement.GetString("key"), RequirementText(requirement));
  }
  std::ranges::stable_sort(parts, {}, &std::pair<std::string, std::string>::first);
  std::string text;
  const char* comma = "";
  for (const auto& part : parts) base::Append(text, std::exchange(comma, ","), part.second);
  return text;
}

std::string FormatSelectorOrNone(const Value& selector) {
  std::string text = FormatSelector(selector);
  return text.empty() ? "<none>" : text;
}

std::string Printed(const Value& v) {
  if (v.is_string()) return std::string(v.AsString());
  return v.is_null() ? std::string() : value::ToJson(v);
}

}  // namespace resources
