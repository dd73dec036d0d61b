// Strategy: what one resource type does that data cannot say: its facts, and the functions that prepare and check an
// object on its way into the store. Called by the registry's writes (registry/strategy.h has the order). An object that
// may hold state (a compiled schema); immutable once its resource is published, called from any thread, nothing waits.
//
// Built-in types fill a StrategyTable with plain functions and are adapted by TableStrategy; types that are made at run
// time derive from Strategy.
#pragma once

#include <cstdint>
#include <memory>
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
#include "value/value.h"

namespace registry {

using api::Feature;
using value::Arena;
using value::Value;

struct Resource;

// What a strategy may know of the request it works in. Plain facts; nothing here waits.
struct WriteContext {
  const api::RequestContext& request;
  const Resource& resource;
  Arena& arena;
  std::string_view subresource;  // "" for the object itself
  std::string_view now;  // RFC 3339, whole seconds: what every timestamp of this request says; lives in the arena
  std::vector<std::string>& warnings;

  bool Has(Feature feature) const;  // whether its gate is on
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

// What of a strategy is data.
struct StrategyFacts {
  NameCheck check_name = nullptr;      // null: any path segment
  bool generate_name_is_name = false;  // metadata.generateName is the name, nothing is added
  MetadataChecks update_checks = MetadataChecks::kUpdate;
  bool strict_finalizers = true;  // metadata.finalizers are standard names or have a domain
  // Body::index of a stored object, and the field selector it answers ("spec.nodeName"); "" none.
  std::string_view index_selector;

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
  // A subresource beside `status` that writes the status too, as PrepareForUpdate() allows ("approval"); "" none.
  std::string_view also_writes_status;
  // Of a write to `status`: what it may not change beside everything outside status and metadata.
  uint8_t status_write_keeps = 0;  // MetadataPart set

  bool returns_deleted_object = false;  // DELETE answers the object in place of a Status
  DeletionDefault deletion_default = DeletionDefault::kBackground;
  // Said of a deletion that does not say what becomes of dependents; "" nothing.
  std::string_view deletion_warning;
  // The plural of a resource of the same group and version whose object of the same name goes when this one has gone
  // ("endpoints" of a service); "" none.
  std::string_view companion;
  // Whether an object that cannot be read may be deleted all the same, where that is allowed at all.
  bool deletes_unreadable = true;
  // Deletion in two steps (namespaces): the first DELETE only marks the object (BeginTermination), and it stays as long
  // as something is pending (TerminationPending).
  bool deletes_in_two_steps = false;
};

// Objects are canonical trees (schema/decode.h) of the served version and are changed in place. Order on create:
// SetDefaults, PrepareForCreate, Validate, Canonicalise. On update: SetDefaults, PrepareForUpdate, ValidateUpdate,
// Canonicalise.
class Strategy {
 public:
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  const StrategyFacts& facts() const { return facts_; }

  // Fills in what the versioned type defaults to, in a canonical tree of `type`: the served one's, or the stored one's.
  virtual void SetDefaults(const schema::Type& /*type*/, const Value& /*object*/, Arena& /*arena*/,
                           const api::Features& /*features*/) const {}
  // Drops what a creator may not set.
  virtual void PrepareForCreate(WriteContext& /*context*/, Value /*object*/) const {}
  // Keeps what an updater may not change.
  virtual void PrepareForUpdate(WriteContext& /*context*/, Value /*object*/, const Value& /*old*/) const {}
  // Errors beyond metadata's, which the registry finds itself and puts first.
  virtual api::FieldErrors Validate(WriteContext& /*context*/, const Value& /*object*/) const { return {}; }
  virtual api::FieldErrors ValidateUpdate(WriteContext& /*context*/, const Value& /*object*/,
                                          const Value& /*old*/) const {
    return {};
  }
  virtual void Canonicalise(WriteContext& /*context*/, Value /*object*/) const {}
  // Adds to the context's warnings; `old` is null on create.
  virtual void WarnOnWrite(WriteContext& /*context*/, const Value& /*object*/, const Value* /*old*/) const {}

  // The dotted path of a member of a stored object that is kept and that its own endpoints never show, only those of
  // subresources; "" none.
  virtual std::string_view HiddenMember(const Value& /*stored*/) const { return {}; }
  // What is said of a field that this kind cannot be selected by; nullopt: the texts that most kinds share.
  virtual std::optional<std::string> UnsupportedField(std::string_view /*label*/) const { return std::nullopt; }
  // Whether the first update of an object as it was created writes though it changes nothing: the real server stores
  // some without what everybody reads in them, and puts that in with the first update.
  virtual bool FirstUpdateWrites(const Value& /*created*/) const { return false; }

  // Graceful deletion: how many seconds `object` is given when `asked` were asked for; nullopt: deleted at once.
  virtual std::optional<int64_t> GraceSeconds(const Value& /*object*/, std::optional<int64_t> /*asked*/) const {
    return std::nullopt;
  }
  // As StrategyFacts::deletes_in_two_steps says.
  virtual void BeginTermination(WriteContext& /*context*/, Value /*object*/) const {}
  virtual bool TerminationPending(const Value& /*object*/) const { return false; }

 protected:
  // `facts` live as long as this.
  explicit Strategy(const StrategyFacts& facts) : facts_(facts) {}

 private:
  const StrategyFacts& facts_;
};

// A strategy of plain functions, each of which may be null: then it does what Strategy says.
struct StrategyTable {
  void (*prepare_for_create)(WriteContext& context, Value object) = nullptr;
  void (*prepare_for_update)(WriteContext& context, Value object, const Value& old) = nullptr;
  api::FieldErrors (*validate)(WriteContext& context, const Value& object) = nullptr;
  api::FieldErrors (*validate_update)(WriteContext& context, const Value& object, const Value& old) = nullptr;
  void (*canonicalise)(WriteContext& context, Value object) = nullptr;
  void (*warnings_on_write)(WriteContext& context, const Value& object, const Value* old) = nullptr;
  std::string_view (*hidden_member)(const Value& stored) = nullptr;
  std::string (*unsupported_field)(std::string_view label) = nullptr;
  bool (*first_update_writes)(const Value& created) = nullptr;
  int64_t (*grace_seconds)(const Value& object, std::optional<int64_t> asked) = nullptr;
  void (*begin_termination)(WriteContext& context, Value object) = nullptr;
  bool (*termination_pending)(const Value& object) = nullptr;
  void (*set_defaults)(const schema::Type& type, const Value& object, Arena& arena,
                       const api::Features& features) = nullptr;
  StrategyFacts facts;
};

class TableStrategy final : public Strategy {
 public:
  explicit TableStrategy(const StrategyTable& table) : Strategy(table_.facts), table_(table) {}
  // To be changed before the resource is published.
  StrategyTable& table() { return table_; }

  void SetDefaults(const schema::Type& type, const Value& object, Arena& arena,
                   const api::Features& features) const override;
  void PrepareForCreate(WriteContext& context, Value object) const override;
  void PrepareForUpdate(WriteContext& context, Value object, const Value& old) const override;
  api::FieldErrors Validate(WriteContext& context, const Value& object) const override;
  api::FieldErrors ValidateUpdate(WriteContext& context, const Value& object, const Value& old) const override;
  void Canonicalise(WriteContext& context, Value object) const override;
  void WarnOnWrite(WriteContext& context, const Value& object, const Value* old) const override;
  std::string_view HiddenMember(const Value& stored) const override;
  std::optional<std::string> UnsupportedField(std::string_view label) const override;
  bool FirstUpdateWrites(const Value& created) const override;
  std::optional<int64_t> GraceSeconds(const Value& object, std::optional<int64_t> asked) const override;
  void BeginTermination(WriteContext& context, Value object) const override;
  bool TerminationPending(const Value& object) const override;

 private:
  StrategyTable table_;
};

}  // namespace registry
