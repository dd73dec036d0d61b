#include "apply/managed_fields.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace apply {
namespace {

using base::Code;
using base::Fail;

constexpr size_t kMostUpdateManagers = 10;

// Ownership that has no fields left of a client's entry, or that nobody can read.
const FieldSet* ReadFields(Arena& arena, const Value& json) {
  base::Result<const FieldSet*> set = DecodeFieldsV1(arena, json);
  return set ? *set : nullptr;
}

base::Result<Manager> DecodeEntry(Arena& arena, const Value& entry) {
  Manager manager;
  std::string_view operation = entry.GetString("operation");
  if (operation != "Apply" && operation != "Update")
    return Fail(Code::kInvalid, "operation must be `Apply` or `Update`");
  manager.applied = operation == "Apply";
  manager.api_version = entry.GetString("apiVersion");
  if (manager.api_version.empty()) return Fail(Code::kInvalid, "apiVersion must not be empty");
  if (entry.GetString("fieldsType") != "FieldsV1") return Fail(Code::kInvalid, "invalid fieldsType");
  manager.name = entry.GetString("manager");
  manager.subresource = entry.GetString("subresource");
  manager.time = entry.GetString("time");
  manager.fields_json = entry.Get("fieldsV1");
  // A malformed set makes the whole list unusable, as an unknown operation does: it is read here, kept for later.
  bool as_encoded = false;
  base::Result<const FieldSet*> fields = DecodeFieldsV1(arena, manager.fields_json, &as_encoded);
  if (!fields) return std::unexpected(fields.error());
  if (!as_encoded) manager.fields_json = Value();  // clients may write it in many ways
  manager.fields = manager.came = *fields;
  manager.parsed = true;
  return manager;
}

// The managers a write starts from: the client's where it sent usable ones to the main resource, else the live
// object's.
Managers Starting(Arena& arena, const Value& live, const Value& updated, const Writer& writer) {
  auto of_live = [&] {
    base::Result<Managers> managers = Managers::Decode(arena, live.Get({"metadata", "managedFields"}));
    return managers ? std::move(*managers) : Managers();
  };
  if (!writer.subresource.empty()) return of_live();
  Value sent = updated.Get({"metadata", "managedFields"});
  if (IsReset(sent)) return Managers();
  base::Result<Managers> managers = Managers::Decode(arena, sent);
  return managers && !managers->empty() ? std::move(*managers) : of_live();
}

}  // namespace

bool Manager::SameIdentity(const Manager& other) const {
  return name == other.name && applied == other.applied && subresource == other.subresource &&
         (applied || api_version == other.api_version);
}

base::Result<Managers> Managers::Decode(Arena& arena, const Value& managed_fields) {
  Managers managers;
  absl::flat_hash_map<std::tuple<std::string_view, bool, std::string_view, std::string_view>, size_t> places;
  for (const Value& entry : managed_fields.items()) {
    base::Result<Manager> manager = DecodeEntry(arena, entry);
    if (!manager) return std::unexpected(manager.error());
    const std::string_view version = manager->applied ? std::string_view() : manager->api_version;
    const auto [place, fresh] = places.try_emplace(
        std::tuple(manager->name, manager->applied, manager->subresource, version), managers.list_.size());
    if (fresh) {
      managers.list_.push_back(*manager);
    } else {
      managers.list_[place->second] = *manager;  // the last of two counts
    }
  }
  return managers;
}

Value Managers::Encode(Arena& arena) {
  if (list_.empty()) return {};
  auto order = [](const Manager& m) { return std::tuple(!m.applied, m.time, m.name, m.api_version, m.subresource); };
  std::ranges::stable_sort(list_, {}, order);
  Value entries = Value::Array(arena, static_cast<uint32_t>(list_.size()));
  for (Manager& manager : list_) {
    Value entry = Value::Object(arena, 7);
    if (!manager.name.empty()) entry.Add(arena, "manager", Value::String(manager.name));
    entry.Add(arena, "operation", Value::String(manager.applied ? "Apply" : "Update"));
    entry.Add(arena, "apiVersion", Value::String(manager.api_version));
    if (!manager.time.empty()) entry.Add(arena, "time", Value::String(manager.time));
    entry.Add(arena, "fieldsType", Value::String("FieldsV1"));
    if (manager.fields_json.is_null() || !Equal(manager.fields, manager.came)) {
      manager.fields_json = EncodeFieldsV1(arena, manager.fields);
      manager.came = manager.fields;
    }
    entry.Add(arena, "fieldsV1", manager.fields_json);
    if (!manager.subresource.empty()) entry.Add(arena, "subresource", Value::String(manager.subresource));
    entries.Append(arena, entry);
  }
  return entries;
}

Manager* Managers::Find(const Manager& identity) {
  auto found = std::ranges::find_if(list_, [&](const Manager& m) { return m.SameIdentity(identity); });
  return found == list_.end() ? nullptr : &*found;
}

const FieldSet* Managers::Fields(Arena& arena, Manager& manager) {
  if (!manager.parsed) manager.fields = manager.came = ReadFields(arena, manager.fields_json);
  manager.parsed = true;
  return manager.fields;
}

void Managers::SetFields(Manager& manager, const FieldSet* fields) {
  manager.fields = fields;
  manager.parsed = true;
}

void Managers::DropEmpty() {
  std::erase_if(list_, [](const Manager& m) { return m.parsed && !m.fields; });
}

Value WithoutManagedFields(Arena& arena, const Value& object) {
  const Value* metadata = object.Find("metadata");
  if (!metadata || !metadata->Find("managedFields")) return object;
  Value stripped = Value::Object(arena, object.size());
  for (const value::Member& member : object.members()) {
    if (member.key != "metadata") {
      stripped.Add(arena, member.key, member.value);
      continue;
    }
    Value kept = Value::Object(arena, member.value.size());
    for (const value::Member& part : member.value.members()) {
      if (part.key != "managedFields") kept.Add(arena, part.key, part.value);
    }
    stripped.Add(arena, member.key, kept);
  }
  return stripped;
}

bool IsReset(const Value& managed_fields) {
  if (!managed_fields.is_array()) return false;
  return managed_fields.empty() ||
         (managed_fields.size() == 1 && managed_fields[0].empty() && !managed_fields[0].is_array());
}

namespace {

// The paths that nobody owns, made once.
const FieldSet* Unowned() {
  static constexpr std::string_view kUnowned[] = {"apiVersion",
                                                  "kind",
                                                  "metadata",
                                                  "metadata.name",
                                                  "metadata.namespace",
                                                  "metadata.creationTimestamp",
                                                  "metadata.selfLink",
                                                  "metadata.uid",
                                                  "metadata.clusterName",
                                                  "metadata.generation",
                                                  "metadata.managedFields",
                                                  "metadata.resourceVersion"};
  static const FieldSet* const set = [] {
    static Arena arena;
    const FieldSet* all = nullptr;
    for (std::string_view path : kUnowned) all = Union(arena, all, FromDottedPath(arena, path));
    return all;
  }();
  return set;
}

}  // namespace

const FieldSet* StripMetadata(Arena& arena, const FieldSet* set) { return Difference(arena, set, Unowned()); }

base::Result<Comparison> TakeChanged(Arena& arena, const schema::Type& type, const Value& live, const Value& updated,
                                     Reading reading, Managers& managers, const Manager& self, const Writer& writer,
                                     ConvertTo convert, std::vector<Conflict>* conflicts) {
  base::Result<Comparison> compared = Compare(arena, type, live, updated, reading);
  if (!compared) return compared;
  auto filtered = [&](Comparison c) {
    return Comparison{RecursiveDifference(arena, c.added, writer.reset_fields),
                      RecursiveDifference(arena, c.modified, writer.reset_fields),
                      RecursiveDifference(arena, c.removed, writer.reset_fields)};
  };
  struct Changes {
    bool same;
    const FieldSet* written;  // modified or added
    const FieldSet* removed;
  };
  const auto changes_of = [&](const Comparison& c) {
    return Changes{c.same(), Union(arena, c.modified, c.added), c.removed};
  };
  std::map<std::string_view, std::optional<Changes>> versions;
  versions[writer.api_version] = changes_of(filtered(*compared));
  for (size_t i = 0; i < managers.list().size(); ++i) {
    Manager& manager = managers.list()[i];
    if (manager.SameIdentity(self)) continue;
    auto [version, fresh] = versions.try_emplace(manager.api_version);
    if (fresh) {
      std::optional<VersionedObject> before = convert(live, writer.api_version, manager.api_version);
      std::optional<VersionedObject> after = convert(updated, writer.api_version, manager.api_version);
      if (before && after) {
        base::Result<Comparison> other =
            Compare(arena, *before->type, before->object, after->object, Reading::kConverted);
        if (!other) return other;
        version->second = changes_of(filtered(*other));  // all versions reset the same
      }
    }
    if (!version->second) {  // nobody serves that version any more
      Managers::SetFields(manager, nullptr);
      continue;
    }
    const Changes& changes = *version->second;
    if (changes.same) continue;
    const FieldSet* owned = managers.Fields(arena, manager);
    const FieldSet* taken = Intersection(arena, owned, changes.written);
    if (taken && conflicts) {
      conflicts->push_back({i, taken});
      continue;
    }
    Managers::SetFields(manager, Difference(arena, Difference(arena, owned, taken), changes.removed));
  }
  if (!conflicts || conflicts->empty()) managers.DropEmpty();
  return compared;
}

void CapUpdateManagers(Arena& arena, Managers& managers) {
  std::vector<Manager*> updaters;
  for (Manager& manager : managers.list()) {
    if (!manager.applied) updaters.push_back(&manager);
  }
  if (updaters.size() <= kMostUpdateManagers) return;
  std::ranges::stable_sort(
      updaters, {}, [](const Manager* m) { return std::tuple(m->time, m->name, m->api_version, m->subresource); });
  size_t left = updaters.size();
  struct Bucket {
    Manager* ancient;  // the oldest entry of a version, which the second one is put into
    std::vector<const FieldSet*> sets;
  };
  std::map<std::string_view, Bucket> buckets;
  for (Manager* manager : updaters) {
    if (left <= kMostUpdateManagers) break;
    auto [bucket, first] = buckets.try_emplace(manager->api_version, Bucket{manager, {}});
    bucket->second.sets.push_back(managers.Fields(arena, *manager));
    if (first) continue;
    Manager& ancient = *bucket->second.ancient;
    ancient.name = "ancient-changes";
    ancient.subresource = {};
    ancient.time = manager->time;
    Managers::SetFields(*manager, nullptr);
    --left;
  }
  for (auto& [version, bucket] : buckets) {
    if (bucket.sets.size() > 1) Managers::SetFields(*bucket.ancient, UnionAll(arena, std::move(bucket.sets)));
  }
  managers.DropEmpty();
}

Value TrackUpdate(Arena& arena, const schema::Type& type, const Value& live, const Value& updated, const Writer& writer,
                  bool creating, ConvertTo convert) {
  Managers managers = Starting(arena, live, updated, writer);
  if (managers.empty() && !creating) return {};  // after a reset nothing is tracked until the next apply
  Manager self{.name = writer.manager.empty() ? std::string_view("unknown") : writer.manager,
               .applied = false,
               .api_version = writer.api_version,
               .subresource = writer.subresource,
               .time = writer.now};
  // What this write does is gathered apart from what the same manager did before: only a change moves its time.
  Manager current = self;
  current.name = "\n";  // no field manager may be named so
  base::Result<Comparison> compared =
      TakeChanged(arena, type, WithoutManagedFields(arena, live), WithoutManagedFields(arena, updated),
                  Reading::kCanonical, managers, current, writer, convert, nullptr);
  if (!compared) return {};
  const FieldSet* mine = Union(arena, compared->modified, compared->added);
  mine = StripMetadata(arena, RecursiveDifference(arena, mine, writer.reset_fields));
  if (mine) {
    if (Manager* before = managers.Find(self)) {
      Managers::SetFields(*before, Union(arena, mine, managers.Fields(arena, *before)));
      before->time = writer.now;
    } else {
      Managers::SetFields(self, mine);
      managers.list().push_back(self);
    }
  }
  CapUpdateManagers(arena, managers);
  return managers.Encode(arena);
}

}  // namespace apply
