#include "admission/webhooks/webhook_set.h"

#include <utility>

#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/stored_form.h"
#include "schema/text_forms.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

std::string_view ReviewVersion(const Value& versions) {
  for (const Value& version : versions.items()) {
    if (!version.is_string()) continue;
    if (version.AsString() == "v1") return "v1";
    if (version.AsString() == "v1beta1") return "v1beta1";
  }
  return "";
}

exchange::WebhookAddress AddressOf(const Value& config) {
  exchange::WebhookAddress address;
  address.url = config.GetString("url");
  if (const Value service = config.Get("service"); service.is_object()) {
    const Value port = service.Get("port");
    address.service.emplace();
    address.service->namespace_name = service.GetString("namespace");
    address.service->name = service.GetString("name");
    address.service->path = service.GetString("path");
    if (port.is_int() && port.AsInt() > 0) address.service->port = static_cast<uint16_t>(port.AsInt());
  }
  // What is stored is base64.
  if (!schema::DecodeBase64(config.GetString("caBundle"), address.authorities_pem)) address.authorities_pem = " ";
  return address;
}

std::unique_ptr<const CompiledPolicy> ConditionsOf(const Value& webhook, cel::ProgramCache& programs) {
  const Value conditions = webhook.Get("matchConditions");
  if (conditions.empty()) return nullptr;
  value::Arena arena;
  const Value spec = Value::Object(arena, 1), policy = Value::Object(arena, 1);
  spec.Add(arena, "matchConditions", conditions);
  policy.Add(arena, "spec", spec);
  return std::make_unique<const CompiledPolicy>(policy, programs);
}

}  // namespace

Webhook::Webhook(const Value& webhook, std::string uid_of_it, cel::ProgramCache& programs)
    : name(webhook.GetString("name")),
      uid(std::move(uid_of_it)),
      address(AddressOf(webhook.Get("clientConfig"))),
      matcher(ResourceMatcher::OfWebhook(webhook)),
      conditions(ConditionsOf(webhook, programs)),
      fails(webhook.GetString("failurePolicy") != "Ignore"),
      reinvokes(webhook.GetString("reinvocationPolicy") == "IfNeeded"),
      review_version(ReviewVersion(webhook.Get("admissionReviewVersions"))) {
  const std::string_view effects = webhook.GetString("sideEffects");
  allows_dry_run = effects == "None" || effects == "NoneOnDryRun";
  if (const Value seconds = webhook.Get("timeoutSeconds"); seconds.is_int()) {
    timeout = std::chrono::seconds(seconds.AsInt());
  }
}

WebhookSet::Configuration WebhookSets::Make(const store::Cell& cell) const {
  WebhookSet::Configuration made{.cell = store::CellRef(&cell), .webhooks = {}};
  if (!cell.readable()) return made;
  value::Arena arena;
  const auto object = registry::DecodeStored(*configurations_, cell, arena);
  if (!object) return made;
  const std::string_view name = registry::ObjectMeta(*object).name();
  for (const Value& webhook : object->Get("webhooks").items()) {
    std::string uid = Cat(name, "/", webhook.GetString("name"), "/", made.webhooks.size());
    made.webhooks.push_back(std::make_shared<const Webhook>(webhook, std::move(uid), programs_));
  }
  return made;
}

std::shared_ptr<const WebhookSet> WebhookSets::Current() const {
  std::shared_ptr<const WebhookSet> newest;
  {
    const std::lock_guard lock(mutex_);
    newest = newest_;
  }
  if (configurations_ == nullptr) return newest;
  const store::Snapshot snapshot = store_.Latest(configurations_->storage->id);
  bool same = true;
  {
    store::Scan scan = snapshot.Scan();
    for (const auto& configuration : newest->configurations_) same = same && scan.Next() == configuration.cell.get();
    same = same && scan.Next() == nullptr;
  }
  if (same) return newest;
  auto renewed = std::make_shared<WebhookSet>();
  auto former = newest->configurations_.begin();
  const auto end = newest->configurations_.end();
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) {
    while (former != end && former->cell->key() < cell->key()) ++former;
    renewed->configurations_.push_back(former != end && former->cell.get() == cell ? *former : Make(*cell));
    const auto& webhooks = renewed->configurations_.back().webhooks;
    renewed->webhooks_.insert(renewed->webhooks_.end(), webhooks.begin(), webhooks.end());
  }
  const std::lock_guard lock(mutex_);
  // Of two threads the later one stays, whichever it is: the next request looks again.
  newest_ = renewed;
  return renewed;
}

}  // namespace admission
