#include "handlers/discovery/api_services.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/group_version.h"
#include "base/text.h"

namespace handlers {
namespace {

using value::Value;

int64_t Number(const Value& of, std::string_view member) {
  const Value found = of.Get(member);
  return found.is_int() ? found.AsInt() : 0;
}

// What the registration of custom resources gives to each (the real server's crdregistration controller does).
constexpr int64_t kCustomGroupPriority = 1000, kCustomVersionPriority = 100;

}  // namespace

void ApiServices::Builder::Add(const Value& api_service) {
  const Value spec = api_service.Get("spec");
  if (spec.GetString("group").empty()) return;
  const Value metadata = api_service.Get("metadata");
  const Value labels = metadata.Get("labels");
  entries_.push_back({.object = std::string(metadata.GetString("name")),
                      .group = std::string(spec.GetString("group")),
                      .version = std::string(spec.GetString("version")),
                      .group_priority = Number(spec, "groupPriorityMinimum"),
                      .version_priority = Number(spec, "versionPriority"),
                      .elsewhere = spec.Get("service").is_object(),
                      .registered = labels.GetString("kube-aggregator.kubernetes.io/automanaged") == "true"});
}

ApiServices ApiServices::Of(std::vector<Entry> from) {
  std::ranges::sort(from, [](const Entry& a, const Entry& b) {
    return a.group_priority != b.group_priority ? a.group_priority > b.group_priority : a.object < b.object;
  });
  ApiServices built;
  built.entries_ = std::move(from);
  std::vector<std::pair<Group, std::vector<const Entry*>>> groups;
  absl::flat_hash_map<std::string_view, size_t> places;
  for (const Entry& entry : built.entries_) {
    const auto [place, is_new] = places.try_emplace(entry.group, groups.size());
    if (is_new) {
      groups.emplace_back(Group{.name = entry.group, .versions = {}, .priority = entry.group_priority},
                          std::vector<const Entry*>());
    }
    auto* const group = &groups[place->second];
    if (entry.elsewhere) {
      group->first.priority_elsewhere = std::max(group->first.priority_elsewhere, entry.group_priority);
    }
    group->second.push_back(&entry);
  }
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

ApiServices ApiServices::WithRegistered(std::span<const GroupVersion> custom) const {
  absl::flat_hash_set<std::pair<std::string_view, std::string_view>> missing;
  for (const GroupVersion& served : custom) missing.emplace(served.group, served.version);
  std::vector<Entry> entries;
  for (const Entry& entry : entries_) {
    const bool is_served = missing.erase({entry.group, entry.version}) > 0;
    if (is_served || !entry.registered || entry.elsewhere) entries.push_back(entry);
  }
  for (const auto& [group, version] : missing) {
    entries.push_back({.object = base::Cat(version, ".", group),
                       .group = std::string(group),
                       .version = std::string(version),
                       .group_priority = kCustomGroupPriority,
                       .version_priority = kCustomVersionPriority,
                       .elsewhere = false,
                       .registered = true});
  }
  return Of(std::move(entries));
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
