#include "admission/service_account.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "auth/pod_references.h"
#include "base/text.h"
#include "registry/strategy.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr std::string_view kDefault = "default";
constexpr std::string_view kTokenPlace = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::string_view kTokenVolume = "kube-api-access-";

bool Concerns(const AdmissionRequest& request) {
  return request.IsFor("", "pods") && (request.subresource.empty() || request.subresource == "ephemeralcontainers");
}
bool CreatesPod(const AdmissionRequest& request) {
  return Concerns(request) && request.operation == Operation::kCreate && request.subresource.empty();
}

std::unexpected<api::Error> Refuse(const AdmissionRequest& request, std::string why) {
  return api::Fail(api::Forbidden(std::move(why), request.resource.group_resource(), request.ShownName()));
}

std::string_view AccountOf(const Value& pod) { return pod.Get("spec").GetString("serviceAccountName"); }

// As strconv.ParseBool reads it.
bool IsTrueText(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
  return std::ranges::find(kTrue, text) != std::end(kTrue);
}

bool Automounts(const Value& account, const Value& pod) {
  for (const Value& who : {pod.Get("spec"), account}) {
    const Value wanted = who.Get("automountServiceAccountToken");
    if (wanted.is_bool()) return wanted.AsBool();
  }
  return true;
}

Value TokenVolume(std::string_view name, value::Arena& arena) {
  constexpr int64_t kSeconds = 3607;  // an hour, and what tells this one from those that ask for an hour
  constexpr int64_t kMode = 0644;
  const auto object = [&](std::initializer_list<value::Member> members) {
    return Value::ObjectOf(arena, std::span(members.begin(), members.size()));
  };
  const auto list = [&](std::initializer_list<Value> items) {
    return Value::ArrayOf(arena, std::span(items.begin(), items.size()));
  };
  const Value token = object({{"expirationSeconds", Value::Int(kSeconds)}, {"path", Value::String("token")}});
  const Value authority =
      object({{"name", Value::String("kube-root-ca.crt")},
              {"items", list({object({{"key", Value::String("ca.crt")}, {"path", Value::String("ca.crt")}})})}});
  const Value own = object({{"apiVersion", Value::String("v1")}, {"fieldPath", Value::String("metadata.namespace")}});
  const Value place = object({{"items", list({object({{"path", Value::String("namespace")}, {"fieldRef", own}})})}});
  const Value sources = list(
      {object({{"serviceAccountToken", token}}), object({{"configMap", authority}}), object({{"downwardAPI", place}})});
  return object({{"name", Value::String(name)},
                 {"projected", object({{"sources", sources}, {"defaultMode", Value::Int(kMode)}})}});
}

// What `pod` may not use as its account has it; "" nothing.
class SecretCheck {
 public:
  SecretCheck(const Value& account, const Value& pod) : account_(account), pod_(pod) {
    for (const Value& secret : account.Get("secrets").items()) allowed_.insert(secret.GetString("name"));
  }
  std::string Check() const {
    for (const Value& volume : pod_.Get({"spec", "volumes"}).items()) {
      const Value source = volume.Get("secret");
      if (source.is_object() && !allowed_.contains(source.GetString("secretName"))) {
        return Cat("volume with secret.secretName=\"", source.GetString("secretName"), Because());
      }
    }
    for (const auto& [list, kind] : {std::pair{"initContainers", "init container"}, {"containers", "container"}}) {
      if (std::string why = CheckContainers(list, kind); !why.empty()) return why;
    }
    std::set<std::string_view> pulled;
    for (const Value& secret : account_.Get("imagePullSecrets").items()) pulled.insert(secret.GetString("name"));
    int index = 0;
    for (const Value& secret : pod_.Get({"spec", "imagePullSecrets"}).items()) {
      if (!pulled.contains(secret.GetString("name"))) {
        return Cat("imagePullSecrets[", index, "].name=\"", secret.GetString("name"),
                   "\" is not allowed because service account ", account_name(),
                   " does not reference that imagePullSecret");
      }
      ++index;
    }
    return "";
  }
  std::string CheckContainers(std::string_view list, std::string_view kind) const {
    for (const Value& container : pod_.Get({"spec", list}).items()) {
      const std::string who = Cat(kind, " ", container.GetString("name"), " with ");
      for (const Value& variable : container.Get("env").items()) {
        const Value secret = variable.Get({"valueFrom", "secretKeyRef"});
        if (!secret.is_object() || allowed_.contains(secret.GetString("name"))) continue;
        return Cat(who, "envVar ", variable.GetString("name"), " referencing secret.secretName=\"",
                   secret.GetString("name"), Because());
      }
      for (const Value& source : container.Get("envFrom").items()) {
        const Value secret = source.Get("secretRef");
        if (!secret.is_object() || allowed_.contains(secret.GetString("name"))) continue;
        return Cat(who, "envFrom referencing secret.secretName=\"", secret.GetString("name"), Because());
      }
    }
    return "";
  }

 private:
  std::string_view account_name() const { return account_.Get("metadata").GetString("name"); }
  std::string Because() const {
    return Cat("\" is not allowed because service account ", account_name(), " does not reference that secret");
  }
  const Value account_, pod_;
  std::set<std::string_view> allowed_;
};

bool LimitsSecrets(const Value& account) {
  return IsTrueText(account.Get({"metadata", "annotations"}).GetString("kubernetes.io/enforce-mountable-secrets"));
}

api::Result<> ValidateMirrorPod(const AdmissionRequest& request) {
  const Value& pod = request.object;
  if (!AccountOf(pod).empty()) return Refuse(request, "a mirror pod may not reference service accounts");
  bool secrets = false;
  auth::ForEachReference(pod, [&](auth::PodReference kind, std::string_view) {
    secrets = secrets || kind == auth::PodReference::kSecret;
  });
  if (secrets) return Refuse(request, "a mirror pod may not reference secrets");
  for (const Value& volume : pod.Get({"spec", "volumes"}).items()) {
    for (const Value& source : volume.Get({"projected", "sources"}).items()) {
      if (!source.Get("serviceAccountToken").is_object()) continue;
      return Refuse(request, "a mirror pod may not use ServiceAccountToken volume projections");
    }
  }
  return {};
}

}  // namespace

void MountToken(const Value& pod, value::Arena& arena, base::Random& random) {
  const Value spec = pod.Get("spec");
  std::string_view name;
  for (const Value& volume : spec.Get("volumes").items()) {
    if (name.empty() && volume.GetString("name").starts_with(kTokenVolume)) name = volume.GetString("name");
  }
  const bool there = !name.empty();
  if (!there) name = arena.CopyString(registry::GenerateName(kTokenVolume, random));
  bool needed = false;
  for (std::string_view list : {"initContainers", "containers"}) {
    for (const Value& container : spec.Get(list).items()) {
      if (!container.is_object()) continue;
      Value mounts = container.Get("volumeMounts");
      const bool taken = std::ranges::any_of(
          mounts.items(), [](const Value& mount) { return mount.GetString("mountPath") == kTokenPlace; });
      if (taken) continue;
      if (!mounts.is_array()) {
        mounts = Value::Array(arena, 1);
        container.Set(arena, "volumeMounts", mounts);
      }
      const Value mount = Value::Object(arena, 3);
      mount.Add(arena, "name", Value::String(name));
      mount.Add(arena, "readOnly", Value::Bool(true));
      mount.Add(arena, "mountPath", Value::String(kTokenPlace));
      mounts.Append(arena, mount);
      needed = true;
    }
  }
  if (there || !needed) return;
  Value volumes = spec.Get("volumes");
  if (!volumes.is_array()) {
    volumes = Value::Array(arena, 1);
    spec.Set(arena, "volumes", volumes);
  }
  volumes.Append(arena, TokenVolume(name, arena));
}

api::Result<Value> ServiceAccount::Find(const AdmissionRequest& request) const {
  const std::string_view name = AccountOf(request.object), in = request.key.namespace_name;
  const Value account = stored_.Find("", "v1", "serviceaccounts", in, name, request.arena);
  if (account.is_object()) return account;
  return Refuse(request,
                Cat("error looking up service account ", in, "/", name, ": serviceaccount \"", name, "\" not found"));
}

api::Result<> ServiceAccount::Mutate(AdmissionRequest& request) const {
  if (!CreatesPod(request)) return {};
  const Value& pod = request.object;
  if (auth::IsMirrorPod(pod)) return ValidateMirrorPod(request);
  Value spec = pod.Get("spec");
  if (!spec.is_object()) {
    spec = Value::Object(request.arena);
    pod.Set(request.arena, "spec", spec);
  }
  if (AccountOf(pod).empty()) {
    spec.Set(request.arena, "serviceAccountName", Value::String(kDefault));
    spec.Set(request.arena, "serviceAccount", Value::String(kDefault));
  }
  const api::Result<Value> account = Find(request);
  if (!account) return std::unexpected(account.error());
  if (Automounts(*account, pod)) MountToken(pod, request.arena, base::SystemRandom());
  const Value pulled = account->Get("imagePullSecrets");
  if (spec.Get("imagePullSecrets").empty() && !pulled.empty()) spec.Set(request.arena, "imagePullSecrets", pulled);
  return Validate(request);
}

api::Result<> ServiceAccount::Validate(AdmissionRequest& request) const {
  const bool looks_in = Concerns(request) && request.operation == Operation::kUpdate && !request.subresource.empty();
  if (!looks_in && !CreatesPod(request)) return {};
  const Value& pod = request.object;
  if (!looks_in && auth::IsMirrorPod(pod)) return ValidateMirrorPod(request);
  if (AccountOf(pod).empty()) {
    return Refuse(request, Cat("no service account specified for pod ", request.key.namespace_name, "/",
                               pod.Get("metadata").GetString("name")));
  }
  const api::Result<Value> account = Find(request);
  if (!account) return std::unexpected(account.error());
  if (!LimitsSecrets(*account)) return {};
  const SecretCheck check(*account, pod);
  std::string why = looks_in ? check.CheckContainers("ephemeralContainers", "ephemeral container") : check.Check();
  if (why.empty()) return {};
  // What is said of containers that look into a pod is no refusal, but an error without a reason.
  if (looks_in) return api::Fail(api::Generic(500, std::move(why)));
  return Refuse(request, std::move(why));
}

bool ServiceAccount::Waits(const AdmissionRequest& request) const {
  if (!CreatesPod(request) || auth::IsMirrorPod(request.object)) return false;
  const std::string_view name = AccountOf(request.object);
  return (name.empty() || name == kDefault) &&
         !stored_.Find("", "v1", "serviceaccounts", request.key.namespace_name, kDefault, request.arena).is_object();
}

base::Task<api::Result<>> ServiceAccount::MutateAsync(AdmissionRequest& request) const {
  constexpr int kLooks = 10;
  constexpr std::chrono::milliseconds kPause{100};
  for (int look = 0; look < kLooks && Waits(request); ++look) {
    std::unique_ptr<base::Timer> timer;
    co_await base::Await<bool>(request.call.executor, [&](auto done) {
      auto answer = std::make_shared<decltype(done)>(std::move(done));
      timer = request.call.executor.PostAfter(kPause, [answer] { (*answer)(true); });
    });
  }
  co_return Mutate(request);
}

}  // namespace admission
