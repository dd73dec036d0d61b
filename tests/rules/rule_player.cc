#include "rule_player.h"

#include <future>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "registry/keys.h"
#include "registry/object_meta.h"
#include "registry/stored_form.h"
#include "schema/decode.h"

namespace rules {
namespace {

using registry::Resource;
using value::Arena;
using value::Value;

// Every version that there is, and what needs a gate.
resources::ApiResourceConfig Everything() {
  const std::vector<resources::ApiResourceConfig::Setting> all = {{"api/all", "true"}};
  resources::ApiResourceConfig everything = resources::ApiResourceConfig::Make(all).value();
  api::Features features;
  features.Set(api::Feature::kClusterTrustBundle, true);
  everything.SetFeatures(features);
  return everything;
}

Answer Unasked(std::string_view why) { return {.code = 0, .reason = {}, .message = std::string(why)}; }

// The document as the registry gets it.
api::Result<Value> Decoded(const Resource& resource, const Value& document, Arena& arena) {
  auto object = schema::Decode(*resource.type, document, arena, nullptr);
  if (!object) return object;
  const Value* metadata = object->Find("metadata");
  if (metadata == nullptr || !metadata->is_object()) object->Set(arena, "metadata", Value::Object(arena, 1));
  return object;
}

registry::Key KeyOf(const Resource& resource, const Value& object) {
  return {resource.namespaced ? kNamespace : "", object.Get("metadata").GetString("name")};
}

}  // namespace

RulePlayer::RulePlayer()
    : store_(store::OpenMemoryStore()),
      table_(resources::MakeBuiltinTable(Everything(), store_.get()).value()),
      tables_(table_),
      allocator_(*store_, table_->Find("", "v1", "services")->storage->id,
                 {.address_ranges = {*api::IpPrefix::ParseLoosely("10.0.0.0/24")}}, base::SystemRandom()) {
  registry::WriteHooks hooks;
  hooks.allocate = [this](registry::WriteContext& context, const Value& object, const Value* old,
                          bool dry_run) -> api::Result<registry::Reservation> {
    if (context.resource.group != "" || context.resource.plural != "services") return registry::Reservation();
    return allocator_.Allocate(context, object, old, dry_run);
  };
  registry_ = std::make_unique<registry::Registry>(*store_, tables_, clock_, base::SystemRandom(), std::move(hooks));
  Arena arena;
  const Value name = Value::Object(arena, 1), space = Value::Object(arena, 1);
  name.Set(arena, "name", Value::String(kNamespace));
  space.Set(arena, "metadata", name);
  registry::Call call{request_, executor_, warnings_, *table_};
  request_.info.verb = "create";
  (void)executor_.Run(registry_->CreateObject(call, *table_->Find("", "v1", "namespaces"), {{"", ""}, space, &arena}));
}

// Puts `old` into the store as it is.
api::Result<> RulePlayer::Keep(const Resource& resource, const Value& old, Arena& arena) {
  auto object = Decoded(resource, old, arena);
  if (!object) return std::unexpected(object.error());
  registry::ObjectMeta(*object, arena).SetString("namespace", resource.namespaced ? kNamespace : "");
  auto body = registry::EncodeForStore(resource, *object, arena);
  if (!body) return std::unexpected(body.error());
  std::vector<store::Write> writes(1);
  writes[0] = {resource.storage->id, registry::StoreKey(resource, KeyOf(resource, *object)), *std::move(body),
               store::kAnyRevision};
  std::promise<base::Result<store::Committed>> done;
  store_->Commit(std::move(writes), [&](base::Result<store::Committed> result) { done.set_value(std::move(result)); });
  if (auto committed = done.get_future().get(); !committed) {
    return api::Fail(api::Internal(committed.error().message));
  }
  return {};
}

api::Result<registry::WriteResult> RulePlayer::Put(const Resource& resource, const Write& write, const Value& object,
                                                   Arena& arena) {
  registry::Call call{request_, executor_, warnings_, *table_};
  if (write.old == nullptr) {
    return executor_.Run(registry_->CreateObject(
        call, resource,
        {.key = {resource.namespaced ? kNamespace : "", ""}, .object = object, .arena = &arena, .dry_run = true}));
  }
  const std::string_view version = write.old->Get("metadata").GetString("resourceVersion");
  registry::Registry::Update update{
      .key = KeyOf(resource, *write.old), .subresource = write.subresource, .dry_run = true};
  update.transform = [&](const Value* current, const Value&, Arena& into) -> api::Result<Value> {
    auto sent = Decoded(resource, write.object, into);
    if (!sent) return sent;
    registry::ObjectMeta meta(*sent, into);
    meta.SetString("namespace", resource.namespaced ? kNamespace : "");
    if (current != nullptr && meta.resource_version() == version) {
      meta.SetString("resourceVersion", into.CopyString(registry::ObjectMeta(*current).resource_version()));
    }
    return sent;
  };
  return executor_.Run(registry_->UpdateObject(call, resource, std::move(update)));
}

Answer RulePlayer::Play(const Write& write) {
  const Resource* resource = table_->Find(write.group, write.version, write.resource);
  if (resource == nullptr || resource->storage == nullptr) return Unasked("no such resource");
  if (!write.subresource.empty() && resource->FindSubresource(write.subresource) == nullptr) {
    return Unasked("no such subresource");
  }
  Arena arena;
  auto object = Decoded(*resource, write.object, arena);
  if (!object) return Unasked(base::Cat("does not decode: ", object.error().message));
  registry::ObjectMeta(*object, arena).SetString("namespace", resource->namespaced ? kNamespace : "");
  if (write.old != nullptr) {
    if (auto kept = Keep(*resource, *write.old, arena); !kept) return Unasked(kept.error().message);
  }
  warnings_.clear();
  request_.info.verb = write.old != nullptr ? "update" : "create";
  request_.info.subresource = write.subresource;
  auto written = Put(*resource, write, *object, arena);
  if (written) return {.code = written->created ? 201 : 200, .warnings = warnings_};
  const api::Error& error = written.error();
  return {error.code, error.reason, error.message, error.details.causes, warnings_};
}

}  // namespace rules
