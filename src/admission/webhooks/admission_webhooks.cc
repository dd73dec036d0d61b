#include "admission/webhooks/admission_webhooks.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "admission/plugin_configuration.h"
#include "admission/policies/policy_request.h"
#include "api/group_version.h"
#include "api/quote.h"
#include "apply/json_patch.h"
#include "base/task_group.h"
#include "base/text.h"
#include "registry/registry.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using base::Cat;
using value::Arena;
using value::Value;
using Kind = WebhookVerdict::Kind;

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr size_t kMostAtOnce = 256;  // calls of one request

constexpr std::array<std::string_view, 6> kExempt = {
    "validatingwebhookconfigurations",   "mutatingwebhookconfigurations", "validatingadmissionpolicies",
    "validatingadmissionpolicybindings", "mutatingadmissionpolicies",     "mutatingadmissionpolicybindings"};

bool IsExempt(const AdmissionRequest& request) {
  return request.resource.group == kGroup && std::ranges::find(kExempt, request.resource.plural) != kExempt.end();
}

// Tells the metrics of a verdict, and gives what becomes of the request: nothing, where the webhook allows it or may
// fail.
api::Result<> Settle(const Webhook& webhook, const WebhookMetrics& metrics, registry::Operation operation,
                     WebhookVerdict& verdict, std::chrono::steady_clock::time_point asked) {
  const bool rejected = verdict.kind != Kind::kAllowed && (verdict.kind != Kind::kUncalled || webhook.fails);
  metrics.Asked(webhook.name, operation, std::chrono::steady_clock::now() - asked, verdict.code, rejected);
  if (rejected) {
    const auto fault = verdict.kind == Kind::kRefused    ? WebhookMetrics::Fault::kNone
                       : verdict.kind == Kind::kUncalled ? WebhookMetrics::Fault::kCall
                                                         : WebhookMetrics::Fault::kServer;
    metrics.Rejected(webhook.name, operation, fault, verdict.code);
    return api::Fail(std::move(verdict.error));
  }
  if (verdict.kind == Kind::kUncalled) metrics.FailedOpen(webhook.name);
  return {};
}

api::Error OutOfTime() { return api::Timeout("request did not complete within requested timeout", 0); }

// What both plugins have.
class WebhookPlugin : public Plugin {
 public:
  WebhookPlugin(std::string_view name, const PluginParts& parts, std::shared_ptr<exchange::WebhookClient> client,
                std::string_view configurations, std::string_view type)
      : Plugin(name),
        store_(parts.store),
        right_(parts.request_right),
        client_(std::move(client)),
        sets_(parts.store, parts.resources.Find(kGroup, "v1", configurations)),
        metrics_(*parts.metrics, type) {}

 protected:
  bool Asks(const AdmissionRequest& request) const {
    return !IsExempt(request) && !sets_.Current()->webhooks().empty();
  }

  store::Store& store_;
  const RequestRight right_;
  const std::shared_ptr<exchange::WebhookClient> client_;
  const WebhookSets sets_;
  const WebhookMetrics metrics_;
};

class ValidatingWebhooks final : public WebhookPlugin {
 public:
  ValidatingWebhooks(std::string_view name, const PluginParts& parts, std::shared_ptr<exchange::WebhookClient> client)
      : WebhookPlugin(name, parts, std::move(client), "validatingwebhookconfigurations", "validating") {}

  bool Waits(const AdmissionRequest& request) const override { return request.passes == nullptr && Asks(request); }
  base::Task<api::Result<>> ValidateAsync(AdmissionRequest& request) const override;

 private:
  struct Invocation {
    const Webhook* webhook;
    const RequestForm* form;
  };
  // Puts the first refusal, in time, into `outcome`.
  base::Task<bool> Ask(WebhookRequest& asked, Invocation invocation, api::Result<>& outcome) const;
};

base::Task<bool> ValidatingWebhooks::Ask(WebhookRequest& asked, Invocation invocation, api::Result<>& outcome) const {
  const auto began = std::chrono::steady_clock::now();
  WebhookVerdict verdict = co_await asked.Ask(*invocation.webhook, *invocation.form, /*mutating=*/false);
  auto settled = Settle(*invocation.webhook, metrics_, asked.request().operation, verdict, began);
  const bool allowed = settled.has_value();
  if (!allowed && outcome) outcome = std::move(settled);
  co_return allowed;
}

base::Task<api::Result<>> ValidatingWebhooks::ValidateAsync(AdmissionRequest& request) const {
  const std::shared_ptr<const WebhookSet> set = sets_.Current();
  WebhookRequest asked(request, store_, right_, *client_, metrics_);
  std::vector<std::unique_ptr<const RequestForm>> forms;  // a few: the versions of one resource
  std::vector<Invocation> invocations;
  for (const auto& webhook : set->webhooks()) {
    const auto as = asked.Match(*webhook);
    if (!as) co_return api::Fail(as.error());
    if (*as == nullptr) continue;
    auto form = std::ranges::find(forms, *as, [](const auto& one) { return one->as; });
    if (form == forms.end()) {
      auto made = co_await asked.FormOf(**as);
      if (!made) co_return api::Fail(std::move(made.error()));
      form = forms.insert(forms.end(), std::make_unique<const RequestForm>(*std::move(made)));
    }
    const auto meets = asked.MeetsConditions(*webhook, **form);
    if (!meets) co_return api::Fail(meets.error());
    if (*meets) invocations.push_back({.webhook = webhook.get(), .form = form->get()});
  }
  if (invocations.empty()) co_return api::Result<>();
  if (asked.out_of_time()) co_return api::Fail(OutOfTime());
  api::Result<> outcome;
  base::TaskGroup group(kMostAtOnce);
  for (const Invocation& invocation : invocations) {
    co_await group.Room();
    group.Start(Ask(asked, invocation, outcome));
  }
  co_await group.AllDone();
  co_return outcome;
}

// Which webhooks a request passes again, as kube-apiserver keeps it.
struct Reinvocations final : registry::MutationPasses::State {
  std::set<std::string> invoked;    // that may be asked again
  std::set<std::string> reinvoked;  // that are, in the second pass
  Value last_output;                // a copy

  void RequireInvoked() {
    reinvoked.merge(invoked);
    invoked.clear();
  }
};

class MutatingWebhooks final : public WebhookPlugin {
 public:
  MutatingWebhooks(std::string_view name, const PluginParts& parts, std::shared_ptr<exchange::WebhookClient> client)
      : WebhookPlugin(name, parts, std::move(client), "mutatingwebhookconfigurations", "admit") {}

  bool Waits(const AdmissionRequest& request) const override { return request.passes != nullptr && Asks(request); }
  base::Task<api::Result<>> MutateAsync(AdmissionRequest& request) const override;

 private:
  base::Task<api::Result<>> AskAll(WebhookRequest& asked, Reinvocations& again) const;
  // Whether the answer changed the object.
  base::Task<api::Result<bool>> Apply(WebhookRequest& asked, const Webhook& webhook, const RequestForm& form,
                                      const WebhookVerdict& verdict) const;
};

// In place of the content of `object`, which others hold.
void ReplaceContent(const Value& object, const Value& with, Arena& arena) {
  if (object.SameAs(with)) return;
  object.Truncate(0);
  for (const value::Member& member : with.members()) object.Add(arena, member.key, member.value);
}

// The patched document as an object of the kind that it names, which is that of the form unless the patch changed it.
api::Result<Value> DecodePatched(WebhookRequest& asked, const RequestForm& form, const Value& patched, Arena& arena) {
  const schema::Type* type = asked.TypeIn(*form.as);
  std::string_view api_version = patched.GetString("apiVersion"), kind = patched.GetString("kind");
  const std::string_view own_version = form.object.GetString("apiVersion"), own_kind = form.object.GetString("kind");
  if (api_version.empty()) api_version = own_version;
  if (kind.empty()) kind = own_kind;
  const bool is_same = api_version == own_version && kind == own_kind;
  if (!is_same) {
    type = nullptr;
    const auto named = api::GroupVersion::Parse(api_version);
    for (const registry::Resource* resource : asked.request().call.resources.All()) {
      if (named && resource->group == named->group && resource->version == named->version && resource->kind == kind) {
        type = resource->type;
        break;
      }
    }
    if (type == nullptr) {
      return api::Fail(api::Internal(Cat("no kind ", api::Quote(kind), " is registered for version ",
                                         api::Quote(api_version), " in scheme \"pkg/runtime/scheme.go:100\"")));
    }
  }
  if (!patched.is_object()) return api::Fail(api::Internal("json: cannot unmarshal into Go value of type struct"));
  if (type == nullptr) return patched;
  auto decoded = schema::Decode(*type, patched, arena, nullptr);
  if (!decoded) return api::Fail(api::Internal(decoded.error().message));
  if (!is_same) {
    const auto version_of = [](std::string_view text) { return text.substr(text.rfind('/') + 1); };
    return api::Fail(api::Generic(500, Cat("converting (", version_of(api_version), ".", kind, ") to (core.", own_kind,
                                           "): unknown conversion")));
  }
  decoded->Set(arena, "apiVersion", Value::Copy(arena, api_version));
  decoded->Set(arena, "kind", Value::Copy(arena, kind));
  return decoded;
}

api::Result<Value> ReadPatch(std::string_view text, Arena& arena) {
  const auto patch = value::ReadJson(arena.CopyString(text), arena);
  if (!patch) return api::Fail(api::Internal(patch.error().message));
  if (patch->is_null()) return Value();
  const auto word = [](const Value& v) {
    return v.is_object()   ? "object"
           : v.is_array()  ? "array"
           : v.is_string() ? "string"
           : v.is_bool()   ? "bool"
                           : "number";
  };
  if (!patch->is_array()) {
    return api::Fail(
        api::Internal(Cat("json: cannot unmarshal ", word(*patch), " into Go value of type jsonpatch.Patch")));
  }
  for (const Value& operation : patch->items()) {
    if (operation.is_object() || operation.is_null()) continue;
    return api::Fail(
        api::Internal(Cat("json: cannot unmarshal ", word(operation), " into Go value of type jsonpatch.Operation")));
  }
  return *patch;
}

base::Task<api::Result<bool>> MutatingWebhooks::Apply(WebhookRequest& asked, const Webhook& webhook,
                                                      const RequestForm& form, const WebhookVerdict& verdict) const {
  AdmissionRequest& request = asked.request();
  Arena& arena = request.arena;
  if (verdict.patch.empty()) co_return false;
  const auto patch = ReadPatch(verdict.patch, arena);
  if (!patch) co_return api::Fail(patch.error());
  if (patch->empty()) co_return false;
  if (!request.object.is_object()) {
    co_return api::Fail(
        api::Internal(Cat("admission webhook ", api::Quote(webhook.name),
                          " attempted to modify the object, which is not supported for this operation")));
  }
  const auto patched = apply::ApplyJsonPatch(arena, form.object, *patch);
  if (!patched) co_return api::Fail(api::Internal(patched.error().message));
  const auto decoded = DecodePatched(asked, form, *patched, arena);
  if (!decoded) co_return api::Fail(decoded.error());
  const bool has_own_body = asked.TypeIn(*form.as) != form.as->type;
  if (!has_own_body && form.as->strategy != nullptr) form.as->SetDefaults(*decoded, arena);
  // Compared as it is shown, in which form what the patch saw is.
  const bool changed = !value::Equal(form.object, AsShown(asked.TypeIn(*form.as), *decoded, arena));
  const auto own = co_await asked.FromForm(*form.as, *decoded);
  if (!own) co_return api::Fail(own.error());
  ReplaceContent(request.object, *own, arena);
  co_return changed;
}

base::Task<api::Result<>> MutatingWebhooks::AskAll(WebhookRequest& asked, Reinvocations& again) const {
  AdmissionRequest& request = asked.request();
  const std::shared_ptr<const WebhookSet> set = sets_.Current();
  for (const auto& webhook : set->webhooks()) {
    const auto as = asked.Match(*webhook);
    if (!as) co_return api::Fail(as.error());
    if (*as == nullptr) continue;
    if (webhook->conditions == nullptr && request.passes->is_second && !again.reinvoked.contains(webhook->uid))
      continue;
    const auto form = co_await asked.FormOf(**as);
    if (!form) co_return api::Fail(form.error());
    const auto meets = asked.MeetsConditions(*webhook, *form);
    if (!meets) co_return api::Fail(meets.error());
    if (!*meets) continue;
    if (request.passes->is_second && !again.reinvoked.contains(webhook->uid)) continue;

    const auto began = std::chrono::steady_clock::now();
    WebhookVerdict verdict = co_await asked.Ask(*webhook, *form, /*mutating=*/true);
    bool changed = false;
    if (verdict.kind == Kind::kAllowed && !verdict.patch.empty() && verdict.patch_type != "JSONPatch") {
      verdict.kind = Kind::kUncalled;
      verdict.error = api::Internal(Cat("failed calling webhook ", api::Quote(webhook->name),
                                        ": unsupported patch type ", api::Quote(verdict.patch_type)));
      verdict.code = 400;
    } else if (verdict.kind == Kind::kAllowed) {
      auto applied = co_await Apply(asked, *webhook, *form, verdict);
      if (applied) {
        changed = *applied;
      } else {
        verdict.kind = Kind::kImpossible;
        verdict.error = std::move(applied.error());
        verdict.code = 0;
      }
    }
    auto settled = Settle(*webhook, metrics_, request.operation, verdict, began);
    if (changed) {
      again.RequireInvoked();
      request.passes->wants_second = true;
    }
    if (webhook->reinvokes) again.invoked.insert(webhook->uid);
    if (!settled) co_return settled;
    if (verdict.kind == Kind::kUncalled && asked.out_of_time()) co_return api::Fail(OutOfTime());
  }
  co_return api::Result<>();
}

base::Task<api::Result<>> MutatingWebhooks::MutateAsync(AdmissionRequest& request) const {
  registry::MutationPasses& passes = *request.passes;
  if (passes.webhooks == nullptr) passes.webhooks = std::make_unique<Reinvocations>();
  auto& again = static_cast<Reinvocations&>(*passes.webhooks);
  if (passes.is_second && !value::Equal(again.last_output, request.object)) again.RequireInvoked();
  WebhookRequest asked(request, store_, right_, *client_, metrics_);
  auto admitted = co_await AskAll(asked, again);
  if (admitted && passes.wants_second && !passes.is_second) {
    again.last_output = value::DeepCopy(request.arena, request.object);
  }
  co_return admitted;
}

// Whom the plugin calls with, as its document says.
base::Result<std::shared_ptr<exchange::WebhookClient>> ClientOf(const PluginParts& parts, const Value& document) {
  if (document.is_null()) return parts.webhook_client("");
  base::Result<> read =
      document.GetString("apiVersion") == "apiserver.config.k8s.io/v1alpha1"
          ? CheckConfigurationKind(document, "apiserver.config.k8s.io", {"v1alpha1"}, "WebhookAdmission")
          : CheckConfigurationKind(document, "apiserver.config.k8s.io", {"v1"}, "WebhookAdmissionConfiguration");
  if (read) read = CheckConfigurationFields(document, {"apiVersion", "kind", "kubeConfigFile"});
  if (!read) return std::unexpected(std::move(read.error()));
  const auto file = ReadConfigurationText(document, "kubeConfigFile");
  if (!file) return std::unexpected(file.error());
  if (!file->empty() && !file->starts_with('/')) {
    return base::Fail(base::Code::kInvalid,
                      Cat("kubeConfigFile: Invalid value: ", api::Quote(*file), ": must be an absolute file path"));
  }
  return parts.webhook_client(*file);
}

template <class Made>
base::Result<std::unique_ptr<const Plugin>> Make(std::string_view name, const PluginParts& parts,
                                                 const Value& document) {
  if (!parts.webhook_client || parts.metrics == nullptr) return nullptr;
  auto client = ClientOf(parts, document);
  if (!client) return std::unexpected(std::move(client.error()));
  return std::make_unique<const Made>(name, parts, *std::move(client));
}

}  // namespace

base::Result<std::unique_ptr<const Plugin>> MakeMutatingWebhooks(std::string_view name, const PluginParts& parts,
                                                                 const Value& document) {
  return Make<MutatingWebhooks>(name, parts, document);
}

base::Result<std::unique_ptr<const Plugin>> MakeValidatingWebhooks(std::string_view name, const PluginParts& parts,
                                                                   const Value& document) {
  return Make<ValidatingWebhooks>(name, parts, document);
}

}  // namespace admission
