#include "apply/apply.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "api/quote.h"
#include "apply/check_config.h"
#include "apply/go_convert.h"
#include "apply/merge.h"
#include "apply/nil_versus_empty.h"
#include "base/text.h"
#include "schema/decode.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace apply {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kBeforeFirstApply = "before-first-apply";

api::Error ServerError(std::string message) { return api::Generic(500, std::move(message)); }

// The manager as conflict texts name it: "m" with subresource "status" using v1 at TIME.
std::string Describe(const Manager& manager) {
  std::string text = api::Quote(manager.name);
  if (!manager.subresource.empty()) text += " with subresource " + api::Quote(manager.subresource);
  if (!manager.applied) text += " using " + std::string(manager.api_version);
  return text;
}

// What sorts managers in a conflict's message: their identity as JSON.
std::string Identity(const Manager& manager) {
  std::string text =
      "{\"manager\":" + api::Quote(manager.name) + ",\"operation\":" + (manager.applied ? "\"Apply\"" : "\"Update\"");
  if (!manager.applied) text += ",\"apiVersion\":" + api::Quote(manager.api_version);
  if (!manager.subresource.empty()) text += ",\"subresource\":" + api::Quote(manager.subresource);
  return text + "}";
}

// What a refusal tells comes to this, about: paths may be long, by the keys of items, and each is told twice.
constexpr size_t kMostConflictBytes = 1 << 20;
constexpr size_t kBytesOfCause = 32;

// The causes come in the order of the entries, as they mostly do where Go walks a map of them.
api::Error ConflictError(Managers& managers, const std::vector<Conflict>& conflicts) {
  api::Error error;
  error.code = 409;
  error.reason = "Conflict";
  error.has_details = true;
  std::map<std::string, std::string> texts;  // by the manager's identity
  size_t bytes = 0;
  for (const Conflict& conflict : conflicts) {
    if (bytes >= kMostConflictBytes) break;
    const Manager& manager = managers.list()[conflict.manager];
    const std::string described = Describe(manager);
    std::string& text = texts[Identity(manager)];
    text = "\nconflicts with " + described + ":";
    bytes += 2 * described.size();
    for (const std::string& path : Paths(conflict.fields, kMostConflictBytes, bytes)) {
      bytes += kBytesOfCause + described.size();
      text += "\n- " + path;
      error.details.causes.push_back({"FieldManagerConflict", "conflict with " + described, path});
    }
  }
  if (error.details.causes.size() == 1) {
    const api::Cause& only = error.details.causes[0];
    error.message = "Apply failed with 1 conflict: " + only.message + ": " + only.field;
    return error;
  }
  error.message = "Apply failed with " + std::to_string(error.details.causes.size()) + " conflicts: ";
  std::string listed;
  for (const auto& [identity, text] : texts) listed += text;
  error.message += listed.substr(1);
  return error;
}

class Applier {
 public:
  Applier(Arena& arena, const schema::Type& type, const Writer& writer, const ApplyOptions& options, ConvertTo convert)
      : arena_(arena), type_(type), writer_(writer), options_(options), convert_(convert) {}

  api::Result<Applied> Run(const Value& live_object, const Value& config) {
    api::Result<Managers> start = StartingManagers(live_object);
    if (!start) return std::unexpected(start.error());
    if (HasManagedFields(config)) return api::Fail(api::BadRequest("metadata.managedFields must be nil"));
    if (std::string wrong = CheckConfig(arena_, type_, config); !wrong.empty()) {
      return api::Fail(ServerError(base::Cat("failed to create typed patch object (", Named(config), "): ", wrong)));
    }
    const Value whole = WithoutManagedFields(arena_, live_object);
    const Value live = WithoutHiddenBytes(arena_, type_, whole);
    api::Result<Outcome> outcome = Attempt(live, config, *start, options_.force);
    if (!outcome) return std::unexpected(outcome.error());
    if (!outcome->conflicts.empty() && writer_.manager == "kubectl") {
      if (Resolve(live, config, outcome->conflicts)) outcome = Attempt(live, config, *start, true);
      if (!outcome) return std::unexpected(outcome.error());
    }
    if (!outcome->conflicts.empty()) return api::Fail(ConflictError(outcome->managers, outcome->conflicts));
    return Finish(whole, config, *outcome);
  }

 private:
  struct Outcome {
    Value object;
    bool changed = false;
    Managers managers;
    std::vector<Conflict> conflicts;
  };

  // Whether Go reads entries of managedFields in the configuration; what is of another form is none, and does not fit
  // the schema, or becomes no object.
  bool HasManagedFields(const Value& config) {
    const Value sent = config.Get({"metadata", "managedFields"});
    const schema::Field* metadata = FindField(type_, "metadata");
    const schema::Field* entries = metadata && metadata->ref ? FindField(*metadata->ref, "managedFields") : nullptr;
    return sent.is_array() && entries && std::ranges::all_of(sent.items(), [&](const Value& entry) {
             return entry.is_object() && GoConvert(arena_, *entries->ref, value::DeepCopy(arena_, entry)) &&
                    schema::Decode(*entries->ref, entry, arena_, nullptr);
           });
  }

  // The object as errors name it: "namespace/name; apps/v1, Kind=Deployment".
  std::string Named(const Value& object) const {
    const Value metadata = object.Get("metadata");
    return base::Cat(metadata.GetString("namespace"), "/", metadata.GetString("name"), "; ", options_.kind);
  }

  Manager Self() const {
    return {.name = writer_.manager,
            .applied = true,
            .api_version = writer_.api_version,
            .subresource = writer_.subresource};
  }

  // The live object's managers. When nobody is tracked yet, what is there belongs to before-first-apply.
  api::Result<Managers> StartingManagers(const Value& live) {
    Value recorded = live.Get({"metadata", "managedFields"});
    base::Result<Managers> managers = Managers::Decode(arena_, recorded);
    if (!managers) return api::Fail(ServerError("failed to decode managed fields: " + managers.error().message));
    if (!managers->empty()) return std::move(*managers);
    Writer before = writer_;
    before.manager = kBeforeFirstApply;
    Value tracked = TrackUpdate(arena_, type_, Value::Object(arena_), live, before, true, convert_);
    if (std::string wrong = tracked.is_null() ? CheckLive(arena_, type_, live) : ""; !wrong.empty()) {
      return api::Fail(
          ServerError(base::Cat("failed to create manager for existing fields: failed to convert new object (",
                                Named(live), ") to smd typed: ", wrong)));
    }
    managers = Managers::Decode(arena_, tracked);
    return managers ? std::move(*managers) : Managers();
  }

  api::Result<Outcome> Attempt(const Value& live, const Value& config, Managers managers, bool force) {
    Outcome outcome;
    base::Result<const FieldSet*> set = ToFieldSet(arena_, type_, config, Reading::kDocument);
    if (!set) return api::Fail(ServerError("failed to get field set: " + set.error().message));
    Manager self = Self();
    Manager* before = managers.Find(self);
    const FieldSet* last = before ? managers.Fields(arena_, *before) : nullptr;
    std::string_view last_version = before ? before->api_version : std::string_view();
    if (!before) {
      managers.list().push_back(self);
      before = &managers.list().back();
      before->parsed = true;
    }
    before->api_version = writer_.api_version;
    Managers::SetFields(*before, RecursiveDifference(arena_, *set, writer_.reset_fields));
    drops_unwritten_ = false;
    reading_ = Reading::kMerged;
    Merged merged = Merge(arena_, type_, live, config);
    outcome.object = merged.object;
    if (last && MayGiveUp(managers, last, last_version))
      outcome.object = Prune(live, outcome.object, managers, last, last_version);
    Writer taking = writer_;
    base::Result<Comparison> compared = TakeChanged(arena_, type_, live, outcome.object, reading_, managers, self,
                                                    taking, convert_, force ? nullptr : &outcome.conflicts);
    if (!compared) return api::Fail(NotCompared(live, compared.error()));
    outcome.changed = merged.reordered || drops_unwritten_ || !compared->same();
    outcome.managers = std::move(managers);
    return outcome;
  }

  // The live object is read before anything is compared with it.
  api::Error NotCompared(const Value& live, const base::Error& error) const {
    const std::string wrong = CheckLive(arena_, type_, live);
    if (wrong.empty()) return ServerError(base::Cat("failed to compare objects: ", error.message));
    return ServerError(base::Cat("failed to create typed live object (", Named(live), "): ", wrong));
  }

  // An object of one version in another; nullopt where nobody serves that any more.
  std::optional<VersionedObject> InVersion(const Value& object, std::string_view from, std::string_view to) {
    if (from == to && to == writer_.api_version) return VersionedObject{&type_, object};
    return convert_(object, from, to);
  }

  // A conversion goes by way of Go's structs: then what those write is there too.
  const FieldSet* NamedSet(const VersionedObject& at, bool converted = false) {
    base::Result<const FieldSet*> set =
        ToFieldSet(arena_, *at.type, at.object, converted ? Reading::kCanonical : Reading::kDocument);
    return WithNamedParents(arena_, *at.type, set ? *set : nullptr);
  }

  // Whether the applier may have had anything that it no longer says. Where it says all that it had, and nobody owns
  // fields in another version, pruning takes nothing away: most applies.
  bool MayGiveUp(Managers& managers, const FieldSet* last, std::string_view last_version) {
    const auto of_this_version = [&](const Manager& manager) { return manager.api_version == writer_.api_version; };
    if (last_version != writer_.api_version || !std::ranges::all_of(managers.list(), of_this_version)) return true;
    const FieldSet* now = managers.Fields(arena_, *managers.Find(Self()));
    return Difference(arena_, last, now) != nullptr || !OwnsItsItems(last);
  }

  // Whether items of lists are in the set wherever something in them is.
  static bool OwnsItsItems(const FieldSet* set) {
    return !set || std::ranges::all_of(set->nodes, [](const PathNode& node) {
      const bool is_item = node.element.kind != PathElement::Kind::kField;
      return (!is_item || node.member) && OwnsItsItems(node.children);
    });
  }

  // Removes what the applier had last time and no longer says, where nobody else owns it.
  Value Prune(const Value& live, const Value& merged, Managers& managers, const FieldSet* last,
              std::string_view last_version) {
    std::optional<VersionedObject> at = InVersion(merged, writer_.api_version, last_version);
    if (!at) return merged;
    const FieldSet* last_named = WithNamedParents(arena_, *at->type, last);
    VersionedObject pruned{at->type, RemovePaths(arena_, *at->type, at->object, last_named)};
    const FieldSet* merged_set = NamedSet(*at);
    // Back comes what somebody owns (other appliers, updaters, this applier's new configuration)...
    std::map<std::string_view, std::vector<const FieldSet*>> sets;
    for (Manager& manager : managers.list()) sets[manager.api_version].push_back(managers.Fields(arena_, manager));
    std::map<std::string_view, const FieldSet*> owned;
    for (auto& [version, of_version] : sets) owned[version] = UnionAll(arena_, std::move(of_version));
    const FieldSet* zeros = nullptr;
    if (owned.size() > 1)
      zeros = GivenUpZeros(InVersion(live, writer_.api_version, last_version), last_named, owned[last_version]);
    pruned.object = AddBack(*at, pruned, owned[last_version], false, zeros);
    bool converted = false;
    for (const auto& [version, set] : owned) {
      if (version == last_version) continue;
      std::optional<VersionedObject> whole = InVersion(at->object, last_version, version),
                                     part = InVersion(pruned.object, last_version, version);
      if (!whole || !part) continue;
      Value kept = AddBack(*whole, *part, set, true, nullptr);
      converted = true;
      if (std::optional<VersionedObject> back = InVersion(kept, version, last_version)) pruned.object = back->object;
    }
    if (!converted) NoteUnwritten(*at, Difference(arena_, last_named, merged_set), owned[last_version]);
    // ... and what the applier never had.
    const FieldSet* gone =
        Intersection(arena_, Difference(arena_, merged_set, NamedSet(pruned, converted)), last_named);
    Value result = RemovePaths(arena_, *at->type, at->object, gone);
    std::optional<VersionedObject> back = InVersion(result, last_version, writer_.api_version);
    if (back && last_version != writer_.api_version) reading_ = Reading::kCanonical;
    return back ? back->object : merged;
  }

  // What the applier gives up may be there though no tree writes it: zeros that Go's structs have always. Then the
  // object changes and stays as it is.
  void NoteUnwritten(const VersionedObject& merged, const FieldSet* given_up, const FieldSet* owned) {
    if (!given_up) return;
    const FieldSet* unwritten = Intersection(arena_, given_up, NamedSet(merged, true));
    drops_unwritten_ |= Difference(arena_, unwritten, WithNamedParents(arena_, *merged.type, owned)) != nullptr;
  }

  // What Go's struct of the live object writes beside its tree, of what the applier gives up and nobody has: without
  // it an object may be empty, and an empty one is none on the way to another version.
  const FieldSet* GivenUpZeros(const std::optional<VersionedObject>& live, const FieldSet* given_up,
                               const FieldSet* owned) {
    if (!live) return nullptr;
    const FieldSet* all = NamedSet(*live, true);
    const FieldSet* gone = Difference(arena_, all, RecursiveDifference(arena_, all, given_up));
    return Difference(arena_, gone, WithNamedParents(arena_, *live->type, owned));
  }

  // `zeros`: go as well.
  Value AddBack(const VersionedObject& merged, const VersionedObject& pruned, const FieldSet* owned, bool converted,
                const FieldSet* zeros) {
    const FieldSet* kept = Union(arena_, NamedSet(pruned, converted), WithNamedParents(arena_, *merged.type, owned));
    const FieldSet* gone = Difference(arena_, NamedSet(merged, converted), kept);
    return RemovePaths(arena_, *merged.type, merged.object, Union(arena_, gone, zeros));
  }

  // kubectl's move from client-side apply: conflicts over fields that its annotation claims, with the values they still
  // have, are no conflicts. Drops those; true when none is left.
  bool Resolve(const Value& live, const Value& config, std::vector<Conflict>& conflicts) {
    const Value annotation = live.Get({"metadata", "annotations", kLastApplied});
    if (!annotation.is_string() || annotation.AsString().empty()) return false;
    base::Result<Value> last = value::ReadJson(annotation.AsString(), arena_);
    if (!last || last->GetString("apiVersion") != writer_.api_version ||
        last->GetString("kind") != config.GetString("kind") || !CheckConfig(arena_, type_, *last).empty())
      return false;
    base::Result<const FieldSet*> claimed = ToFieldSet(arena_, type_, *last, Reading::kDocument);
    base::Result<Comparison> differs = Compare(arena_, type_, live, *last, Reading::kMerged);
    if (!claimed || !differs) return false;
    const FieldSet* allowed = *claimed;
    for (const FieldSet* other : {differs->modified, differs->added, differs->removed})
      allowed = Difference(arena_, allowed, other);
    for (Conflict& conflict : conflicts) conflict.fields = Difference(arena_, conflict.fields, allowed);
    std::erase_if(conflicts, [](const Conflict& conflict) { return !conflict.fields; });
    return conflicts.empty();
  }

  api::Result<Applied> Finish(const Value& live, const Value& config, Outcome& outcome) {
    Managers& managers = outcome.managers;
    if (Manager* self = managers.Find(Self())) {
      Managers::SetFields(*self, StripMetadata(arena_, managers.Fields(arena_, *self)));
      if (outcome.changed) self->time = writer_.now;
    }
    managers.DropEmpty();
    Applied applied;
    applied.changed = outcome.changed;
    applied.object = OwnObject(outcome.changed ? outcome.object : live);
    Value metadata = *applied.object.Find("metadata");
    if (writer_.manager == "kubectl") RefreshLastApplied(metadata, config);
    // Sent entries that are still here are none: who reads the object tells what they are.
    if (!metadata.Get("managedFields").is_array()) metadata.Set(arena_, "managedFields", managers.Encode(arena_));
    return applied;
  }

  // `object` with its own top level and metadata, to be changed in place.
  Value OwnObject(const Value& object) {
    Value own = Value::Object(arena_, object.size() + 1);
    bool has_metadata = false;
    for (const value::Member& member : object.members()) {
      bool metadata = member.key == "metadata" && member.value.is_object();
      has_metadata |= metadata;
      own.Add(arena_, member.key, metadata ? value::DeepCopy(arena_, member.value) : member.value);
    }
    if (!has_metadata) own.Set(arena_, "metadata", Value::Object(arena_));
    return own;
  }

  // kubectl's annotation, where the object has it, follows what kubectl applies.
  void RefreshLastApplied(const Value& metadata, const Value& config) {
    Value* annotations = metadata.Find("annotations");
    if (!annotations || annotations->GetString(kLastApplied).empty()) return;
    Value said = value::DeepCopy(arena_, config);
    if (const Value* own = said.Find("metadata")) {
      if (const Value* of_config = own->Find("annotations")) of_config->Remove(kLastApplied);
    }
    std::string text = value::ToJson(said, value::KeyOrder::kSorted) + "\n";
    annotations->Set(arena_, kLastApplied, Value::Copy(arena_, text));
  }

  Arena& arena_;
  const schema::Type& type_;
  const Writer& writer_;
  const ApplyOptions& options_;
  ConvertTo convert_;
  bool drops_unwritten_ = false;
  Reading reading_ = Reading::kMerged;  // of what the apply made
};

}  // namespace

api::Result<Applied> Apply(Arena& arena, const schema::Type& type, const Value& live, const Value& config,
                           const Writer& writer, const ApplyOptions& options, ConvertTo convert) {
  return Applier(arena, type, writer, options, convert).Run(live, config);
}

}  // namespace apply
