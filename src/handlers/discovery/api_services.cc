#include "handlers/discovery/api_services.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/group_version.h"
#include "base/text.h"

namespace handlers {
namespace {

using value::Value;

int64_t Number(const Value& of, std::string_view member) {
  const Value found = of.Get(member);
  return found.is_int() ? found.AsInt() : 0;
}

}  // namespace

void ApiServices::Builder::Add(const Value& api_service) {
  const Value spec = api_service.Get("spec");
  if (spec.GetString("group").empty()) return;
  entries_.push_back({.object = std::string(api_service.Get("metadata").GetString("name")),
                      .group = std::string(spec.GetString("group")),
                      .version = std::string(spec.GetString("version")),
                      .group_priority = Number(spec, "groupPriorityMinimum"),
                      .version_priority = Number(spec, "versionPriority"),
                      .elsewhere = spec.Get("service").is_object()});
}

ApiServices ApiServices::Builder::Build() && {
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return a.group_priority != b.group_priority ? a.group_priority > b.group_priority : a.object < b.object;
  });
  std::vector<std::pair<Group, std::vector<const Entry*>>> groups;
  for (const Entry& entry : entries_) {
    auto group = std::ranges::find_if(groups, [&](const auto& known) { return known.first.name == entry.group; });
    if (group == groups.end()) {
      groups.emplace_back(Group{.name = entry.group, .versions = {}, .priority = entry.group_priority},
                          std::vector<const Entry*>());
      group = std::prev(groups.end());
    }
    if (entry.elsewhere) {
      group->first.priority_elsewhere = std::max(group->first.priority_elsewhere, entry.group_priority);
    }
    group->second.push_back(&entry);
  }
  ApiServices built;
  for (auto& [group, entries] : groups) {
    std::ranges::stable_sort(entries, [](const Entry* a, const Entry* b) {
      if (a->version_priority != b->version_priority) return a->version_priority > b->version_priority;
      return api::CompareVersions(a->version, b->version) > 0;
    });
    for (const Entry* entry : entries) {
      group.versions.push_back({entry->version, entry->elsewhere});
      if (entry->elsewhere) built.prefixes_.push_back(base::Cat("/apis/", entry->group, "/", entry->version, "/"));
    }
    built.groups_.push_back(std::move(group));
  }
  return built;
}

const ApiServices::Group* ApiServices::FindGroup(std::string_view name) const {
  const auto found = std::ranges::find(groups_, name, &Group::name);
  return found == groups_.end() ? nullptr : &*found;
}

bool ApiServices::IsElsewhere(std::string_view path) const {
  return std::ranges::any_of(prefixes_, [&](const std::string& prefix) {
    return path.starts_with(prefix) || path == std::string_view(prefix).substr(0, prefix.size() - 1);
  });
}

}  // namespace handlers
