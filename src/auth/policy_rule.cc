#include "auth/policy_rule.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace auth {
namespace {

constexpr size_t kFewNames = 16;  // are looked through one by one

// A request may ask for each of many names (groups to impersonate), of a rule that has as many.
bool HasName(const PolicyRule& rule, std::string_view name) {
  const std::vector<std::string>& names = rule.resource_names;
  if (rule.sorted_names.empty()) return std::find(names.begin(), names.end(), name) != names.end();
  const auto of = [&](uint32_t place) -> std::string_view { return names[place]; };
  return std::ranges::binary_search(rule.sorted_names, name, {}, of);
}

void SortNames(PolicyRule& rule) {
  if (rule.resource_names.size() <= kFewNames) return;
  rule.sorted_names.resize(rule.resource_names.size());
  std::iota(rule.sorted_names.begin(), rule.sorted_names.end(), 0);
  const auto of = [&](uint32_t place) -> std::string_view { return rule.resource_names[place]; };
  std::ranges::sort(rule.sorted_names, {}, of);
}

bool HasOrAll(const std::vector<std::string>& list, std::string_view word) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& item) { return item == "*" || item == word; });
}

bool ResourceMatches(const std::vector<std::string>& resources, const Attributes& attributes) {
  for (std::string_view resource : resources) {
    if (resource == "*") return true;
    const std::string_view subresource = attributes.subresource;
    if (subresource.empty()) {
      if (resource == attributes.resource) return true;
      continue;
    }
    const size_t slash = resource.find('/');
    if (slash == std::string_view::npos || resource.substr(slash + 1) != subresource) continue;
    const std::string_view parent = resource.substr(0, slash);
    if (parent == "*" || parent == attributes.resource) return true;
  }
  return false;
}

bool UrlMatches(const std::vector<std::string>& urls, std::string_view path) {
  for (std::string_view url : urls) {
    if (url == "*" || url == path) return true;
    if (!url.ends_with('*')) continue;
    while (url.ends_with('*')) url.remove_suffix(1);
    if (path.starts_with(url)) return true;
  }
  return false;
}

std::vector<std::string> Strings(const value::Value& list) {
  std::vector<std::string> strings;
  strings.reserve(list.size());
  for (const value::Value& item : list.items()) {
    if (item.is_string()) strings.emplace_back(item.AsString());
  }
  return strings;
}

}  // namespace

bool PolicyRule::Allows(const Attributes& attributes) const {
  if (!HasOrAll(verbs, attributes.verb)) return false;
  if (!attributes.is_resource_request) return UrlMatches(urls, attributes.path);
  return HasOrAll(groups, attributes.group) && ResourceMatches(resources, attributes) &&
         (resource_names.empty() || HasName(*this, attributes.name));
}

PolicyRules ParsePolicyRules(const value::Value& rules) {
  PolicyRules parsed;
  parsed.reserve(rules.size());
  for (const value::Value& rule : rules.items()) {
    parsed.push_back({.verbs = Strings(rule.Get("verbs")),
                      .groups = Strings(rule.Get("apiGroups")),
                      .resources = Strings(rule.Get("resources")),
                      .resource_names = Strings(rule.Get("resourceNames")),
                      .urls = Strings(rule.Get("nonResourceURLs")),
                      .sorted_names = {}});
    SortNames(parsed.back());
  }
  return parsed;
}

}  // namespace auth
