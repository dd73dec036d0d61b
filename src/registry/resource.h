// Resource: one resource type of one served version, as every verb sees it. A record of data plus a Behaviour, the few
// functions that say what data cannot. Records are made at start from data/api/resources.json (built in) or from a
// custom resource definition, and are immutable; handlers, registry and discovery share them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "api/features.h"
#include "api/names.h"
#include "api/request.h"
#include "schema/schema.h"
#include "store/store.h"
#include "value/value.h"

namespace registry {

using value::Arena;
using value::Value;

struct Resource;
using api::Feature;

// What a behaviour function may know of the request it works in. Plain facts; nothing here waits.
struct WriteContext {
  const api::RequestContext& request;
  const Resource& resource;
  Arena& arena;
  std::string_view subresource;  // "" for the object itself
  std::string_view now;  // RFC 3339, whole seconds: what every timestamp of this request says; lives in the arena
  std::vector<std::string>& warnings;

  bool Has(Feature feature) const;  // whether its gate is on
};

// One printed column (kubectl get). `cell` appends nothing itself: it returns the cell's value (null prints <none>
// client-side).
struct Column {
  std::string_view name, type, format;  // format "name" marks the identity column
  int priority = 0;                     // > 0 only with -o wide
  std::string_view description;
};

// How a resource's objects are shown as rows of a Table: `cells` gives one array, in the order of `columns`; `now` is
// RFC 3339.
struct Printer {
  std::span<const Column> columns;
  Value (*cells)(Arena& arena, const Value& object, std::string_view now) = nullptr;
  // What is said of the row, a JSON list; "" nothing. Null: never anything.
  std::string_view (*conditions)(const Value& object) = nullptr;
  // A list's rows come by this number, smallest first, and then by name. Null: in the list's own order.
  int64_t (*rank)(const Value& object) = nullptr;
};

// Name rule of a kind's objects (api/names.h); `prefix` is true for generateName, whose last dash is allowed.
using NameCheck = api::Complaints (*)(std::string_view name, bool prefix);

// What becomes of an object's dependents where a deletion does not say.
enum class DeletionDefault : uint8_t {
  kBackground,   // the garbage collector deletes them later
  kOrphan,       // the object waits with the `orphan` finalizer until they are let go
  kUnsupported,  // never waits for the garbage collector, whatever is asked (events)
};

// Parts of metadata; a set of them is the bitwise or.
enum MetadataPart : uint8_t {
  kLabels = 1,
  kAnnotations = 2,
  kOwnerReferences = 4,
  kFinalizers = 8,
  kForStatus = 15,        // these four
  kWholeMetadata = 0xff,  // everything but managedFields
};

// Which checks of metadata a kind's own validation of a change repeats after the ones that every object passes: the
// answer names an error as often as the real server finds it. kInRules: its update rules say themselves, between
// others. kNone: its own validation never looks at metadata, of new objects either.
enum class MetadataChecks : uint8_t { kNone, kInRules, kUpdate, kFull, kUpdateAndFull, kFullAndUpdate };

// Paths ("spec", "metadata.labels") that writes through one endpoint do not change, whatever they send: nobody owns
// them through it.
struct ResetPaths {
  std::string_view subresource;  // "" the object's own endpoint
  std::span<const std::string_view> paths;
};

// What one resource type does that data cannot say. Functions may be null; objects are canonical trees
// (schema/decode.h) of the served version and are changed in place. Order on create: Resource::set_defaults,
// prepare_for_create, validate, canonicalise. On update: Resource::set_defaults, prepare_for_update, validate_update,
// canonicalise.
struct Behaviour {
  void (*prepare_for_create)(WriteContext& context, Value object) = nullptr;  // drops what a creator may not set
  void (*prepare_for_update)(WriteContext& context, Value object,
                             const Value& old) = nullptr;  // keeps what an updater may not change
  // Errors beyond metadata's, which the registry finds itself and puts first.
  api::FieldErrors (*validate)(WriteContext& context, const Value& object) = nullptr;
  api::FieldErrors (*validate_update)(WriteContext& context, const Value& object, const Value& old) = nullptr;
  void (*canonicalise)(WriteContext& context, Value object) = nullptr;
  void (*warnings_on_write)(WriteContext& context, const Value& object, const Value* old) = nullptr;
  // The dotted path of a member of a stored object that is kept and that its own endpoints never show, only those of
  // subresources; "" none. Null: never any.
  std::string_view (*hidden_member)(const Value& stored) = nullptr;
  // Body::index of a stored object, and the field selector it answers ("spec.nodeName"); "" none.
  std::string_view index_selector;

  // What is said of a field that this kind cannot be selected by. Null: the texts that most kinds share.
  std::string (*unsupported_field)(std::string_view label) = nullptr;

  NameCheck check_name = nullptr;      // null: any path segment
  bool generate_name_is_name = false;  // metadata.generateName is the name, nothing is added
  MetadataChecks update_checks = MetadataChecks::kUpdate;
  bool strict_finalizers = true;  // metadata.finalizers are standard names or have a domain

  bool named_by_uuid = false;              // an object without a name, and without generateName, is given one
  bool allow_create_on_update = false;     // PUT of an absent object creates it
  bool allow_unconditional_update = true;  // PUT without resourceVersion
  // metadata.generation is 1 at creation; without this it is what the creator sent.
  bool has_generation = false;
  // Members ("spec", "metadata.annotations") of which any change adds 1 to metadata.generation.
  std::span<const std::string_view> generation_of;
  // Where the endpoints reset other fields than usual (registry/field_manager.cc says what is usual).
  std::span<const ResetPaths> resets;
  // What holds for resources with a `status` subresource: creation drops the status, an update of the object keeps the
  // old one. Nodes are created with theirs.
  bool creates_with_status = false;
  bool updates_with_status = false;  // the object's own endpoint writes status like the rest
  // A subresource beside `status` that writes the status too, as prepare_for_update allows ("approval"); "" none.
  std::string_view also_writes_status;
  // Of a write to `status`: what it may not change beside everything outside status and metadata.
  uint8_t status_write_keeps = 0;  // MetadataPart set

  // Whether the first update of an object as it was created writes though it changes nothing: the real server stores
  // some without what everybody reads in them, and puts that in with the first update. Null: never.
  bool (*first_update_writes)(const Value& created) = nullptr;

  bool returns_deleted_object = false;  // DELETE answers the object in place of a Status
  DeletionDefault deletion_default = DeletionDefault::kBackground;
  // Said of a deletion that does not say what becomes of dependents; "" nothing.
  std::string_view deletion_warning;
  // The plural of a resource of the same group and version whose object of the same name goes when this one has gone
  // ("endpoints" of a service); "" none.
  std::string_view companion;
  // Whether an object that cannot be read may be deleted all the same, where that is allowed at all.
  bool deletes_unreadable = true;
  // Graceful deletion: how many seconds `object` is given when `asked` were asked for. Null: deleted at once.
  int64_t (*grace_seconds)(const Value& object, std::optional<int64_t> asked) = nullptr;
  // Deletion in two steps (namespaces): the first DELETE only marks the object, and it stays as long as something is
  // pending. Both or none.
  void (*begin_termination)(WriteContext& context, Value object) = nullptr;
  bool (*termination_pending)(const Value& object) = nullptr;
};

struct Subresource {
  std::string name;  // "status", "scale", ...
  std::vector<std::string> verbs;
  std::string group, version, kind;  // of the body
  const schema::Type* type = nullptr;
  bool connect = false;
  bool table = true;  // whether it can be shown as one
  bool returns_resource = false;
  const Printer* printer = nullptr;  // where its objects are shown as other rows than the resource's
};

// Where objects of a resource are kept, whatever version serves them. Shared by the versions of one resource.
struct Storage {
  std::string collection;            // "pods", "services/specs": the key prefix after /registry/
  std::string group, version, kind;  // of the stored form
  const schema::Type* type = nullptr;
  store::CollectionId id{};  // given when the registry opens
};

// A field that field selectors may name beyond metadata.name and metadata.namespace.
struct SelectableField {
  std::string label;  // "source"
  std::vector<std::string>
      paths;         // in the stored form; the first that is not empty counts. None: the value is always ""
  std::string zero;  // value where all are absent: "", "0" or "false"
};

struct Resource {
  std::string group, version, plural, singular, kind, list_kind;
  bool namespaced = false;
  bool custom = false;  // made of a custom resource definition
  std::vector<std::string> verbs, short_names, categories;
  const schema::Type* type = nullptr;  // of the served version
  const schema::Type* list_type = nullptr;
  const Storage* storage = nullptr;  // null: virtual (reviews, bindings)
  // Between the stored and the served form; null where the two are one (or differ in apiVersion only).
  Value (*from_storage)(Arena& arena, const Value& stored) = nullptr;
  Value (*to_storage)(Arena& arena, const Value& served) = nullptr;
  // Fills in what the versioned type defaults to, in a canonical tree of `type`; null: nothing.
  void (*set_defaults)(const schema::Type& type, const Value& object, Arena& arena,
                       const api::Features& features) = nullptr;
  api::Features features;  // of the server
  std::string storage_version_hash;
  std::vector<Subresource> subresources;
  std::vector<SelectableField> selectable_fields;
  bool selects_namespace = true;  // metadata.namespace is a field selector too
  std::string deletes_returns;    // kind in OpenAPI
  std::string deprecation;        // what every request to it is warned of; "" nothing
  bool watch_cached = true;  // false for events: the real server keeps no watch cache for them, which clients can tell
  const Printer* printer = nullptr;      // null: a Table shows name and creation time
  const Behaviour* behaviour = nullptr;  // never null once registered

  std::string group_version() const { return group.empty() ? version : group + "/" + version; }
  api::GroupResource group_resource() const { return {group, plural}; }
  bool HasVerb(std::string_view verb) const;
  const Subresource* FindSubresource(std::string_view name) const;
  const SelectableField* FindSelectableField(std::string_view label) const;
  // Calls set_defaults.
  void SetDefaults(const Value& object, Arena& arena) const {
    if (set_defaults != nullptr) set_defaults(*type, object, arena, features);
  }
};

inline bool WriteContext::Has(Feature feature) const { return resource.features.Has(feature); }

// All served resources, by group, version and plural. Immutable.
class ResourceTable {
 public:
  virtual ~ResourceTable() = default;
  virtual const Resource* Find(std::string_view group, std::string_view version, std::string_view plural) const = 0;
  virtual std::span<const Resource* const> All() const = 0;  // in discovery order
};

}  // namespace registry
