#include "pipeline/authz/escalation.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"

namespace pipeline {
namespace {

using Words = std::vector<std::string>;

bool Has(const Words& words, std::string_view word) {
  return std::ranges::any_of(words, [&](const std::string& w) { return w == word; });
}

bool HasOrAll(const Words& words, std::string_view word) { return Has(words, "*") || Has(words, word); }

bool CoversResource(const Words& held, std::string_view resource) {
  if (HasOrAll(held, resource)) return true;
  const size_t slash = resource.find('/');
  return slash != std::string_view::npos && Has(held, base::Cat("*", resource.substr(slash)));
}

bool CoversUrl(const Words& held, std::string_view url) {
  return std::ranges::any_of(held, [&](std::string_view own) {
    if (own == url) return true;
    if (!own.ends_with('*')) return false;
    while (own.ends_with('*')) own.remove_suffix(1);
    return url.starts_with(own);
  });
}

// `part` has one word at most of everything.
bool Covers(const PolicyRule& rule, const PolicyRule& part) {
  if (!HasOrAll(rule.verbs, part.verbs[0])) return false;
  if (!part.urls.empty()) return rule.resource_names.empty() && CoversUrl(rule.urls, part.urls[0]);
  return HasOrAll(rule.groups, part.groups[0]) && CoversResource(rule.resources, part.resources[0]) &&
         (rule.resource_names.empty() ||
          (!part.resource_names.empty() && Has(rule.resource_names, part.resource_names[0])));
}

// The rule as many that have one verb and one resource, or URL, each.
void AppendParts(const PolicyRule& rule, PolicyRules& parts) {
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        PolicyRule part{.verbs = {verb}, .groups = {group}, .resources = {resource}, .resource_names = {}, .urls = {}};
        if (rule.resource_names.empty()) parts.push_back(part);
        for (const std::string& name : rule.resource_names) {
          part.resource_names = {name};
          parts.push_back(part);
        }
      }
    }
  }
  for (const std::string& url : rule.urls) {
    for (const std::string& verb : rule.verbs) {
      parts.push_back({.verbs = {verb}, .groups = {}, .resources = {}, .resource_names = {}, .urls = {url}});
    }
  }
}

// Parts of the same resource as one again, with all their verbs.
void Gather(PolicyRule part, PolicyRules& gathered) {
  const auto same = std::ranges::find_if(gathered, [&](const PolicyRule& other) {
    return part.urls.empty() && other.urls.empty() && other.groups == part.groups &&
           other.resources == part.resources && other.resource_names == part.resource_names;
  });
  if (same == gathered.end()) return gathered.push_back(std::move(part));
  same->verbs.push_back(std::move(part.verbs[0]));
}

std::string Quoted(const Words& words) {
  Words quoted;
  std::ranges::transform(words, std::back_inserter(quoted), [](const std::string& word) { return api::Quote(word); });
  return base::Cat("[", base::Join(quoted, " "), "]");
}

std::string Described(const PolicyRule& rule) {
  Words parts;
  const auto add = [&](std::string_view name, const Words& words) {
    if (!words.empty()) parts.push_back(base::Cat(name, ":", Quoted(words)));
  };
  add("APIGroups", rule.groups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.urls);
  add("ResourceNames", rule.resource_names);
  add("Verbs", rule.verbs);
  return base::Cat("{", base::Join(parts, ", "), "}");
}

}  // namespace

PolicyRules Uncovered(const PolicyRules& held, const PolicyRules& granted) {
  PolicyRules parts;
  for (const PolicyRule& rule : granted) AppendParts(rule, parts);
  std::erase_if(parts, [&](const PolicyRule& part) {
    return std::ranges::any_of(held, [&](const PolicyRule& rule) { return Covers(rule, part); });
  });
  return parts;
}

std::string Escalation(const api::User& user, const UserRules& held, const PolicyRules& granted) {
  PolicyRules missing;
  for (PolicyRule& part : Uncovered(held.rules, granted)) Gather(std::move(part), missing);
  if (missing.empty()) return {};
  std::set<std::string> lines;
  for (const PolicyRule& rule : missing) lines.insert(Described(rule));
  std::string text = base::Cat("user ", api::Quote(user.name), " (groups=", Quoted(user.groups),
                               ") is attempting to grant RBAC permissions not currently held:\n",
                               base::Join(Words(lines.begin(), lines.end()), "\n"));
  if (held.errors.empty()) return text;
  const std::string errors = base::Join(held.errors, ", ");
  return base::Cat(text, "; resolution errors: [", held.errors.size() == 1 ? errors : base::Cat("[", errors, "]"), "]");
}

PolicyRules FullAuthority() {
  return {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .resource_names = {}, .urls = {}},
          {.verbs = {"*"}, .groups = {}, .resources = {}, .resource_names = {}, .urls = {"*"}}};
}

}  // namespace pipeline
