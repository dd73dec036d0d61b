#include "customresources/served_definitions.h"

#include <openssl/evp.h>

#include <array>
#include <utility>

#include "api/error.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "schema/texts.h"
#include "store/snapshot.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace customresources {

using value::Arena;
using value::Value;

namespace {

// Of all that resources are made of.
std::string ContentHash(const Value& definition) {
  std::string text = value::ToJson(definition.Get("spec"), value::KeyOrder::kSorted);
  value::WriteJson(definition.Get({"status", "acceptedNames"}), text, value::KeyOrder::kSorted);
  text += ConditionStatus(definition, "Established");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

// Ends a claim.
class ServedDefinitions::Reserved {
 public:
  Reserved(ServedDefinitions& owner, std::list<Claim>::iterator claim) : owner_(owner), claim_(claim) {}
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  ~Reserved() {
    const std::lock_guard lock(owner_.mutex_);
    owner_.claims_.erase(claim_);
  }

 private:
  ServedDefinitions& owner_;
  const std::list<Claim>::iterator claim_;
};

ServedDefinitions::ServedDefinitions(store::Store& store, registry::ResourceTables& tables, const Options& options)
    : store_(store),
      tables_(tables),
      options_(options),
      definitions_(tables.Snapshot()->FindEntry("apiextensions.k8s.io", "v1", "customresourcedefinitions")) {}

ServedDefinitions::~ServedDefinitions() = default;

base::Result<> ServedDefinitions::Start() {
  if (definitions_ == nullptr) return {};
  const store::Snapshot snapshot = store_.Latest(definitions_->storage->id);
  store::Scan scan = snapshot.Scan();
  const std::lock_guard lock(mutex_);
  while (const store::Cell* cell = scan.Next()) {
    if (base::Result<> done = Refresh(cell->key()); !done) return done;
  }
  return {};
}

// What columns say of ObjectMeta's fields is loaded when the first definition comes.
const ServingContext& ServedDefinitions::Context() {
  if (context_ == nullptr) {
    constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    const auto texts = schema::Texts::Load();
    context_ = std::make_unique<const ServingContext>(
        ServingContext{.compiler = compiler_,
                       .features = options_.features,
                       .name_text = std::string(texts->Of(kMeta, "name")),
                       .age_text = std::string(texts->Of(kMeta, "creationTimestamp")),
                       .storage_version_hashes = options_.storage_version_hashes,
                       .webhooks = options_.webhooks});
  }
  return *context_;
}

UsedNames ServedDefinitions::NamesOf(std::string_view group, std::string_view but_claims_of) const {
  UsedNames used;
  const auto add = [&](const UsedNames& names) {
    used.resources.insert(names.resources.begin(), names.resources.end());
    used.kinds.insert(names.kinds.begin(), names.kinds.end());
  };
  for (const auto& [name, served] : served_) {
    if (served.group == group) add(served.names);
  }
  for (const Claim& claim : claims_) {
    if (claim.group == group && claim.definition != but_claims_of) add(claim.names);
  }
  return used;
}

api::Result<registry::WriteHooks::Completion> ServedDefinitions::Complete(registry::WriteContext& context,
                                                                          const Value& object, const Value* old) {
  registry::WriteHooks::Completion completion;
  const CustomFacts* custom = context.resource.custom ? FactsOf(context.resource) : nullptr;
  if (custom != nullptr && *custom->terminating && old == nullptr) {
    api::Error refusal = api::MethodNotSupported(context.resource.group_resource(), "create");
    refusal.message = "create not allowed while custom resource definition is terminating";
    return api::Fail(std::move(refusal));
  }
  const registry::ObjectMeta meta(object);
  if (!IsDefinitions(context.resource) || meta.deleting()) return completion;
  Arena& arena = context.arena;
  const Value definition = Value::Object(arena, object.members().size() + 1);
  for (const value::Member& member : object.members()) {
    definition.Add(arena, member.key, member.key == "status" ? value::DeepCopy(arena, member.value) : member.value);
  }
  const std::string group(object.Get("spec").GetString("group"));
  const std::lock_guard lock(mutex_);
  const UsedNames used = NamesOf(group, meta.name());
  if (!ReconcileStatus(arena, definition, {.used = &used, .now = context.now})) return completion;
  claims_.push_front({.definition = std::string(meta.name()), .group = group, .names = {}});
  claims_.front().names.Add(definition);
  completion.reservation = std::make_shared<const Reserved>(*this, claims_.begin());
  completion.status = definition.Get("status");
  return completion;
}

void ServedDefinitions::Committed(const registry::Resource& resource, std::string_view key) {
  if (!IsDefinitions(resource)) return;
  const std::lock_guard lock(mutex_);
  // Where a collection cannot be made the definition serves nothing: its requests tell.
  (void)Refresh(key);
}

struct ServedDefinitions::ReadDefinition {
  store::CellRef cell;
  Arena arena;
  Value definition;
};

std::shared_ptr<const ServedDefinitions::ReadDefinition> ServedDefinitions::Read(std::string_view name) const {
  if (definitions_ == nullptr) return nullptr;
  const store::Snapshot snapshot = store_.Latest(definitions_->storage->id);
  const store::Cell* cell = snapshot.Get(name);
  if (cell == nullptr || !cell->readable()) return nullptr;
  const std::lock_guard lock(reading_);
  if (last_read_ != nullptr && &*last_read_->cell == cell) return last_read_;
  auto read = std::make_shared<ReadDefinition>();
  read->cell = store::CellRef(cell);
  const base::Result<Value> definition = value::ReadJson(cell->bytes(), read->arena);
  if (!definition) return nullptr;
  read->definition = *definition;
  return last_read_ = std::move(read);
}

std::string ServedDefinitions::OpenApiSchema(const registry::Resource& resource, OpenApiForm form, bool list) const {
  const auto read = Read(base::Cat(resource.plural, ".", resource.group));
  if (read == nullptr) return {};
  Arena arena;
  const Value spec = read->definition.Get("spec");
  for (const Value& version : spec.Get("versions").items()) {
    if (version.GetString("name") != resource.version) continue;
    std::call_once(described_, [this] {
      constexpr std::string_view kTypeMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta";
      const auto texts = schema::Texts::Load();
      api_version_text_ = texts->Of(kTypeMeta, "apiVersion");
      kind_text_ = texts->Of(kTypeMeta, "kind");
    });
    const Value preserves = spec.Get("preserveUnknownFields");
    const OpenApiKind kind{.group = resource.group,
                           .version = resource.version,
                           .kind = resource.kind,
                           .list_kind = resource.list_kind,
                           .plural = resource.plural,
                           .api_version_text = api_version_text_,
                           .kind_text = kind_text_,
                           .metadata_text = "Standard object metadata.",
                           .list_metadata_text = "Standard list metadata.",
                           .selectable_fields = version.Get("selectableFields")};
    const Value schema =
        preserves.is_bool() && preserves.AsBool() ? Value() : version.Get({"schema", "openAPIV3Schema"});
    return value::ToJson(list ? PublishedListSchema(arena, kind, form) : PublishedSchema(arena, schema, kind, form),
                         value::KeyOrder::kSorted);
  }
  return {};
}

void ServedDefinitions::ShowTerminating(Served& served, bool terminating) {
  if (served.terminating->exchange(terminating) == terminating) return;
  registry::ResourceTable::Edit edit;
  for (registry::ResourceRef& resource : served.resources) {
    resource = WithVerbs(*resource, terminating);
    edit.put.push_back(resource);
  }
  if (!edit.put.empty()) tables_.Publish(edit);
}

// Brings the table to what is stored of that definition now, whichever write asks first.
base::Result<> ServedDefinitions::Refresh(std::string_view name) {
  const store::Snapshot snapshot = store_.Latest(definitions_->storage->id);
  const store::Cell* cell = snapshot.Get(name);
  const auto known = served_.find(name);
  if (cell != nullptr && known != served_.end() && known->second.revision == cell->modified()) return {};
  registry::ResourceTable::Edit edit;
  const auto remove = [&] {
    if (known == served_.end()) return;
    for (const registry::ResourceRef& resource : known->second.resources) {
      edit.remove.push_back({resource->group, resource->version, resource->plural});
    }
  };
  if (cell == nullptr || !cell->readable()) {
    remove();
    if (known != served_.end()) served_.erase(known);
    if (!edit.remove.empty()) tables_.Publish(edit);
    return {};
  }
  Served served{.revision = cell->modified(), .terminating = std::make_shared<std::atomic<bool>>()};
  Arena arena;
  const base::Result<Value> definition = value::ReadJson(cell->bytes(), arena);
  if (!definition) return std::unexpected(definition.error());
  const bool terminating = ConditionStatus(*definition, "Terminating") == "True";
  served.content = ContentHash(*definition);
  if (known != served_.end() && known->second.content == served.content) {
    // What uses the resources need not notice.
    known->second.revision = cell->modified();
    ShowTerminating(known->second, terminating);
    return {};
  }
  remove();
  *served.terminating = terminating;
  served.group = definition->Get("spec").GetString("group");
  served.names.Add(*definition);
  base::Result<store::CollectionRef> collection = store_.Collection(CollectionName(*definition));
  if (!collection) return std::unexpected(std::move(collection.error()));
  served.collection = *std::move(collection);
  edit.put = MakeResources(Context(), *definition, served.collection, served.terminating);
  served.resources = edit.put;
  served_.insert_or_assign(std::string(name), std::move(served));
  if (!edit.remove.empty() || !edit.put.empty()) tables_.Publish(edit);
  return {};
}

}  // namespace customresources
