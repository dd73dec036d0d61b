#include "server/bootstrap_roles.h"

#include <algorithm>
#include <array>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/escalation.h"
#include "base/text.h"
#include "registry/field_manager.h"
#include "registry/json_scan.h"
#include "registry/stored_form.h"
#include "registry/strategy.h"
#include "schema/decode.h"
#include "store/cell.h"
#include "store/snapshot.h"
#include "value/json_reader.h"

namespace server {
namespace {

using value::Arena;
using value::Value;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";
constexpr std::string_view kManager = "kube-apiserver";
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds = {{
    {"ClusterRole", "clusterroles"},
    {"ClusterRoleBinding", "clusterrolebindings"},
    {"Role", "roles"},
    {"RoleBinding", "rolebindings"},
}};

// Where all that is compared stands in both as the same text, nothing lacks: that is so at almost every start.
bool IsSameText(std::string_view stored, std::string_view wanted) {
  const auto same = [&](std::string_view path) {
    return registry::FindJson(stored, path) == registry::FindJson(wanted, path);
  };
  // The rules of what is aggregated are others', and of no concern.
  return same("metadata.labels") && same("metadata.annotations") && same("subjects") && same("aggregationRule") &&
         (same("rules") || !registry::FindJson(wanted, "aggregationRule").empty());
}

Value Texts(const std::vector<std::string>& texts, Arena& arena) {
  const Value list = Value::Array(arena, static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) list.Append(arena, Value::Copy(arena, text));
  return list;
}

Value ToValue(const auth::PolicyRule& rule, Arena& arena) {
  const Value value = Value::Object(arena, 5);
  const auto add = [&](std::string_view field, const std::vector<std::string>& texts) {
    if (!texts.empty()) value.Add(arena, field, Texts(texts, arena));
  };
  add("verbs", rule.verbs);
  add("apiGroups", rule.groups);
  add("resources", rule.resources);
  add("resourceNames", rule.resource_names);
  add("nonResourceURLs", rule.urls);
  return value;
}

// Brings one stored object up to what is wanted of it.
class Mender {
 public:
  Mender(const Value& object, const Value& wanted, Arena& arena) : object_(object), wanted_(wanted), arena_(arena) {}

  // False where nothing lacked.
  bool Run() {
    if (Annotation() == "false" || !value::Equal(object_.Get("roleRef"), wanted_.Get("roleRef"))) return false;
    for (std::string_view map : {"labels", "annotations"}) AddMembers(map);
    AddItems(object_, "subjects", wanted_.Get("subjects"));
    if (const Value aggregation = wanted_.Get("aggregationRule"); aggregation.is_object()) {
      if (!object_.Get("aggregationRule").is_object()) object_.Set(arena_, "aggregationRule", Value::Object(arena_, 1));
      AddItems(object_.Get("aggregationRule"), "clusterRoleSelectors", aggregation.Get("clusterRoleSelectors"));
    } else {
      AddRules();
    }
    return changed_;
  }

 private:
  std::string_view Annotation() const { return object_.Get({"metadata", "annotations"}).GetString(kAutoUpdate); }

  void Append(const Value& owner, std::string_view list, const Value& item) {
    if (!owner.Get(list).is_array()) owner.Set(arena_, list, Value::Array(arena_, 1));
    owner.Get(list).Append(arena_, item);
    changed_ = true;
  }

  void AddMembers(std::string_view map) {
    const Value metadata = object_.Get("metadata");
    for (const value::Member& member : wanted_.Get({"metadata", map}).members()) {
      if (metadata.Get(map).Find(member.key) != nullptr) continue;
      if (!metadata.Get(map).is_object()) metadata.Set(arena_, map, Value::Object(arena_, 1));
      metadata.Get(map).Add(arena_, member.key, member.value);
      changed_ = true;
    }
  }

  void AddItems(const Value& owner, std::string_view list, const Value& wanted) {
    for (const Value& item : wanted.items()) {
      const auto same = [&](const Value& stored) { return value::Equal(stored, item); };
      if (std::ranges::none_of(owner.Get(list).items(), same)) Append(owner, list, item);
    }
  }

  void AddRules() {
    const auto held = auth::ParsePolicyRules(object_.Get("rules"));
    for (const auto& rule : auth::Uncovered(held, auth::ParsePolicyRules(wanted_.Get("rules")))) {
      Append(object_, "rules", ToValue(rule, arena_));
    }
  }

  const Value& object_;
  const Value& wanted_;
  Arena& arena_;
  bool changed_ = false;
};

// What is to be written in place of `cell`; no body where nothing lacks or the object cannot be read.
std::optional<store::Body> Mended(const registry::ResourceTable& resources, const registry::Resource& resource,
                                  const store::Cell& cell, std::string_view json, std::string_view now) {
  Arena arena;
  const auto live = registry::DecodeStored(resource, cell, arena);
  const auto wanted = value::ReadJson(json, arena);
  if (!live || !wanted) return std::nullopt;
  const Value object = value::DeepCopy(arena, *live);
  if (!Mender(object, *wanted, arena).Run()) return std::nullopt;
  const auto canonical = schema::Decode(*resource.type, object, arena, nullptr);
  if (!canonical) return std::nullopt;
  const registry::FieldManager ownership(resources, resource, "", arena);
  ownership.Track(kManager, arena.CopyString(now), &*live, *canonical);
  auto body = registry::EncodeForStore(resource, *canonical, arena);
  return body ? std::optional(*std::move(body)) : std::nullopt;
}

}  // namespace

base::Result<> ReconcileBootstrapRoles(store::Store& store, const registry::ResourceTable& resources,
                                       std::span<const registry::BootstrapObject> objects, const base::Clock& clock) {
  const std::string now = registry::TimeText(clock.Now());
  std::vector<store::Write> writes;
  for (const registry::BootstrapObject& object : objects) {
    const auto* kind = std::ranges::find(kKinds, object.kind, &std::pair<std::string_view, std::string_view>::first);
    if (object.group != kGroup || kind == kKinds.end()) continue;
    const registry::Resource* resource = resources.Find(kGroup, "v1", kind->second);
    if (resource == nullptr) continue;
    std::string key(registry::PlainText(registry::FindJson(object.json, "metadata.name")));
    if (resource->namespaced) {
      key = base::Cat(registry::PlainText(registry::FindJson(object.json, "metadata.namespace")), "/", key);
    }
    const store::Snapshot snapshot = store.Latest(resource->storage->id);
    const store::CellRef cell(snapshot.Get(key));
    if (!cell || !cell->readable() || IsSameText(cell->bytes(), object.json)) continue;
    if (auto body = Mended(resources, *resource, *cell, object.json, now)) {
      writes.push_back({resource->storage->id, std::move(key), std::move(body), cell->modified()});
    }
  }
  if (writes.empty()) return {};
  std::promise<base::Result<store::Committed>> promise;
  store.Commit(std::move(writes), [&](base::Result<store::Committed> done) { promise.set_value(std::move(done)); });
  const auto committed = promise.get_future().get();
  return committed ? base::Result<>() : std::unexpected(committed.error());
}

}  // namespace server
