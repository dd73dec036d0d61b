#include "auth/node_graph.h"

#include <algorithm>
#include <utility>

#include "auth/pod_references.h"
#include "base/text.h"
#include "registry/json_scan.h"
#include "store/cell.h"
#include "store/event.h"
#include "store/snapshot.h"
#include "value/json_reader.h"

namespace auth {
namespace {

using value::Value;

std::string Key(NodeGraph::Kind kind, std::string_view namespace_name, std::string_view name) {
  const char letter = static_cast<char>(kind);
  const std::string_view prefix(&letter, 1);
  return namespace_name.empty() ? base::Cat(prefix, name) : base::Cat(prefix, namespace_name, "/", name);
}

NodeGraph::Kind KindOf(PodReference reference) {
  using enum NodeGraph::Kind;
  switch (reference) {
    case PodReference::kSecret:
      return kSecret;
    case PodReference::kConfigMap:
      return kConfigMap;
    case PodReference::kClaim:
      return kPersistentVolumeClaim;
    case PodReference::kResourceClaim:
      return kResourceClaim;
    case PodReference::kServiceAccount:
      break;
  }
  return kServiceAccount;
}

// Whether an update of a pod leaves what it refers to as it was: references do not change but for these.
bool SameReferences(const store::Cell& before, const store::Cell& after) {
  return std::ranges::all_of(
      std::to_array<std::string_view>({"spec.nodeName", "metadata.uid", "status.resourceClaimStatuses"}),
      [&](std::string_view path) {
        return registry::FindJson(before.bytes(), path) == registry::FindJson(after.bytes(), path);
      });
}

}  // namespace

NodeIdentity NodeIdentityOf(const api::User& user) {
  constexpr std::string_view kPrefix = "system:node:";
  if (!user.name.starts_with(kPrefix) || !user.InGroup("system:nodes")) return {};
  return {.is_node = true, .name = std::string_view(user.name).substr(kPrefix.size())};
}

NodeGraph::NodeGraph(store::Store& store, const registry::ResourceTable& resources) : store_(store) {
  const auto follow = [&](Source source, std::string_view group, std::string_view version, std::string_view plural) {
    const registry::Resource* resource = resources.Find(group, version, plural);
    if (resource != nullptr && resource->storage != nullptr)
      followed_.push_back({source, resource->storage->id, nullptr});
  };
  follow(Source::kPods, "", "v1", "pods");
  follow(Source::kVolumes, "", "v1", "persistentvolumes");
  follow(Source::kAttachments, "storage.k8s.io", "v1", "volumeattachments");
  follow(Source::kSlices, "resource.k8s.io", "v1beta1", "resourceslices");
  std::lock_guard lock(mutex_);
  Follow();
}

bool NodeGraph::HasPath(std::string_view node, Kind kind, std::string_view namespace_name,
                        std::string_view name) const {
  std::lock_guard lock(mutex_);
  Follow();
  const auto number = nodes_.find(node);
  if (number == nodes_.end()) return false;
  const auto by_volume = [&](std::string_view volume) {
    const auto found = volumes_.find(volume);
    return found != volumes_.end() && Reaches(found->second.claim, number->second);
  };
  if (kind == Kind::kPersistentVolume) return by_volume(name);
  if (Reaches(Key(kind, namespace_name, name), number->second)) return true;
  if (kind != Kind::kSecret) return false;
  const auto volumes = volumes_by_secret_.find(base::Cat(namespace_name, "/", name));
  return volumes != volumes_by_secret_.end() && std::ranges::any_of(volumes->second, by_volume);
}

bool NodeGraph::Reaches(std::string_view key, uint32_t node) const {
  const auto found = reached_.find(key);
  return found != reached_.end() && found->second.contains(node);
}

void NodeGraph::Follow() const {
  for (Followed& followed : followed_) {
    bool lost = followed.events == nullptr;
    while (!lost) {
      const auto next = followed.events->Next();
      lost = !next.has_value();
      if (lost || *next == nullptr) break;
      const store::Event& event = **next;
      const bool modified = event.type() == store::EventType::kModified;
      if (modified && followed.source == Source::kPods && SameReferences(*event.previous(), event.cell())) continue;
      Forget(followed.source, event.cell().key());
      if (event.type() != store::EventType::kDeleted) Take(followed.source, event.cell());
    }
    if (lost) Rebuild(followed);
  }
}

void NodeGraph::Rebuild(Followed& followed) const {
  const char letter = static_cast<char>('0' + static_cast<int>(followed.source));
  std::vector<std::string> keys;
  for (const auto& [key, links] : links_) {
    if (key.front() == letter) keys.push_back(key.substr(1));
  }
  if (followed.source == Source::kVolumes) {
    for (const auto& [name, volume] : volumes_) keys.push_back(name);
  }
  for (const std::string& key : keys) Forget(followed.source, key);
  const store::Snapshot snapshot = store_.Latest(followed.collection);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) Take(followed.source, *cell);
  auto events = store_.Watch({.collection = followed.collection, .after = snapshot.revision()}, [] {});
  followed.events = events ? *std::move(events) : nullptr;
}

void NodeGraph::Forget(Source source, std::string_view key) const {
  if (source == Source::kVolumes) {
    const auto volume = volumes_.find(key);
    if (volume == volumes_.end()) return;
    for (const std::string& secret : volume->second.secrets) {
      const auto names = volumes_by_secret_.find(secret);
      if (names == volumes_by_secret_.end()) continue;
      std::erase(names->second, key);
      if (names->second.empty()) volumes_by_secret_.erase(names);
    }
    volumes_.erase(volume);
    return;
  }
  const auto links = links_.find(base::Cat(static_cast<int>(source), key));
  if (links == links_.end()) return;
  for (const std::string& target : links->second.targets) {
    const auto reached = reached_.find(target);
    if (reached == reached_.end()) continue;
    const auto count = reached->second.find(links->second.node);
    if (count != reached->second.end() && --count->second == 0) reached->second.erase(count);
    if (reached->second.empty()) reached_.erase(reached);
  }
  links_.erase(links);
}

void NodeGraph::Take(Source source, const store::Cell& cell) const {
  if (!cell.readable()) return;
  // Most pods without a node are not parsed.
  if (source == Source::kPods && registry::PlainText(registry::FindJson(cell.bytes(), "spec.nodeName")).empty()) return;
  value::Arena arena;
  const base::Result<Value> object = value::ReadJson(cell.bytes(), arena);
  if (!object) return;
  const std::string_view name = object->Get("metadata").GetString("name"),
                         node = object->Get("spec").GetString("nodeName");
  switch (source) {
    case Source::kPods:
      return TakePod(cell.key(), *object);
    case Source::kVolumes:
      return TakeVolume(cell.key(), *object);
    case Source::kAttachments:
      return Link(base::Cat(static_cast<int>(source), cell.key()), node, {Key(Kind::kVolumeAttachment, "", name)});
    case Source::kSlices:
      return Link(base::Cat(static_cast<int>(source), cell.key()), node, {Key(Kind::kResourceSlice, "", name)});
  }
}

void NodeGraph::TakePod(std::string_view key, const Value& pod) const {
  const Value metadata = pod.Get("metadata");
  const std::string_view home = metadata.GetString("namespace");
  std::vector<std::string> targets{Key(Kind::kPod, home, metadata.GetString("name"))};
  // A node never gets rights by pods that it makes itself.
  if (!IsMirrorPod(pod)) {
    ForEachReference(
        pod, [&](PodReference kind, std::string_view name) { targets.push_back(Key(KindOf(kind), home, name)); });
  }
  std::ranges::sort(targets);
  targets.erase(std::ranges::unique(targets).begin(), targets.end());
  Link(base::Cat(static_cast<int>(Source::kPods), key), pod.Get("spec").GetString("nodeName"), std::move(targets));
}

void NodeGraph::TakeVolume(std::string_view name, const Value& volume) const {
  const Value claim = volume.Get({"spec", "claimRef"});
  if (!claim.is_object()) return;
  Volume taken{.claim = Key(Kind::kPersistentVolumeClaim, claim.GetString("namespace"), claim.GetString("name")),
               .secrets = {}};
  ForEachVolumeSecret(volume, [&](std::string_view home, std::string_view secret) {
    std::string key = base::Cat(home, "/", secret);
    if (std::ranges::find(taken.secrets, key) != taken.secrets.end()) return;
    volumes_by_secret_[key].emplace_back(name);
    taken.secrets.push_back(std::move(key));
  });
  volumes_.insert_or_assign(std::string(name), std::move(taken));
}

void NodeGraph::Link(std::string key, std::string_view node, std::vector<std::string> targets) const {
  if (node.empty()) return;
  const uint32_t number = NumberOf(node);
  for (const std::string& target : targets) ++reached_[target][number];
  links_.insert_or_assign(std::move(key), Links{number, std::move(targets)});
}

uint32_t NodeGraph::NumberOf(std::string_view node) const {
  return nodes_.try_emplace(std::string(node), static_cast<uint32_t>(nodes_.size())).first->second;
}

}  // namespace auth
