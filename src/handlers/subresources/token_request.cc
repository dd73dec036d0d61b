#include "handlers/subresources/token_request.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/group_version.h"
#include "api/quote.h"
#include "base/random.h"
#include "base/text.h"
#include "handlers/subresources/virtual_resource.h"
#include "handlers/views.h"
#include "registry/field_manager.h"
#include "registry/object_meta.h"
#include "registry/stored_form.h"
#include "registry/strategy.h"
#include "schema/encode.h"
#include "value/json_writer.h"

namespace handlers {
namespace {

using base::Cat;
using value::Arena;
using value::Value;
using Type = api::FieldError::Type;
using std::chrono::seconds;

constexpr int64_t kUsualSeconds = 3600, kLeastSeconds = 600, kMostSeconds = int64_t{1} << 32;
// A kubelet of old asks for this, and means a token that it renews; what is asked for otherwise is not extended.
constexpr int64_t kRenewedSeconds = kUsualSeconds + 7;
constexpr int64_t kExtendedSeconds = int64_t{365} * 24 * 3600;

// One request for a token.
struct Request {
  const Scope& scope;
  const TokenIssuer& issuer;
  Value object;
  Arena& arena;
  Value spec() const { return object.Get("spec"); }
  std::string_view Name() const { return scope.name; }
};

// What a token is bound to besides its account; null Values where it is not.
struct Bound {
  Value pod, secret, node;
};

void SetDefaults(const Value& object, Arena& arena) {
  if (!object.Get("spec").is_object()) object.Set(arena, "spec", Value::Object(arena, 4));
  const Value spec = object.Get("spec");
  if (spec.Find("expirationSeconds") == nullptr) spec.Set(arena, "expirationSeconds", Value::Int(kUsualSeconds));
}

// Name and times as they are answered.
api::Result<> FillMetadata(const Request& request, std::string_view now) {
  Arena& arena = request.arena;
  if (!request.object.Get("metadata").is_object()) request.object.Set(arena, "metadata", Value::Object(arena, 4));
  const Value metadata = request.object.Get("metadata");
  const std::string_view said = metadata.GetString("name");
  if (!said.empty() && said != request.Name()) {
    const api::FieldErrors errors{
        {Type::kInvalid, "metadata.name", api::Quote(said), "must match the service account name if specified"}};
    return api::Fail(api::Invalid({"authentication.k8s.io", "TokenRequest"}, request.Name(), errors));
  }
  metadata.Set(arena, "name", Value::String(request.Name()));
  metadata.Set(arena, "creationTimestamp", Value::Copy(arena, now));
  return {};
}

api::Result<> CheckSpec(const Request& request) {
  const int64_t asked = request.spec().Get("expirationSeconds").AsInt();
  std::string_view why;
  if (asked < kLeastSeconds) why = "may not specify a duration less than 10 minutes";
  if (asked > kMostSeconds) why = "may not specify a duration larger than 2^32 seconds";
  if (why.empty()) return {};
  const api::FieldErrors errors{{Type::kInvalid, "spec.expirationSeconds", Cat(asked), std::string(why)}};
  return api::Fail(api::Invalid({"authentication.k8s.io", "TokenRequest"}, "", errors));
}

base::Task<api::Result<Value>> GetObject(const Request& request, std::string_view plural, std::string_view name) {
  const registry::Resource& resource = *request.scope.resources.Find("", "v1", plural);
  const std::string_view home = resource.namespaced ? request.scope.namespace_name : std::string_view();
  if (name.empty()) co_return api::Fail(api::BadRequest("Name parameter required."));
  registry::Call call = request.scope.call();
  auto cell = co_await request.scope.services.registry.Get(call, resource, {home, name}, {});
  if (!cell) co_return std::unexpected(std::move(cell.error()));
  auto object = registry::DecodeStored(resource, **cell, request.arena);
  if (!object) co_return std::unexpected(std::move(object.error()));
  // The cell goes with this frame.
  co_return DeepCopy(request.arena, *object);
}

// The node of a pod; only its name where it is gone.
base::Task<api::Result<Value>> NodeOf(const Request& request, const Value& pod) {
  const std::string_view name = pod.Get("spec").GetString("nodeName");
  if (name.empty()) co_return Value();
  auto node = co_await GetObject(request, "nodes", name);
  if (node) co_return *node;
  if (node.error().code != 404) co_return api::Fail(api::Internal(node.error().message));
  const Value metadata = Value::Object(request.arena, 1), named = Value::Object(request.arena, 1);
  metadata.Add(request.arena, "name", Value::Copy(request.arena, name));
  named.Add(request.arena, "metadata", metadata);
  co_return named;
}

struct KindName {
  std::string_view group, version, kind;
  std::string text() const { return Cat(group, "/", version, ", Kind=", kind); }
};

// A reference's apiVersion that is none counts as empty.
KindName KindOf(const Value& reference) {
  const std::string_view api_version = reference.GetString("apiVersion"), kind = reference.GetString("kind");
  const auto named = api::GroupVersion::Parse(api_version).value_or(api::GroupVersion{});
  return {named.group, named.version, kind};
}

base::Task<api::Result<Bound>> FindBound(const Request& request) {
  const Value reference = request.spec().Get("boundObjectRef");
  if (!reference.is_object()) co_return Bound{};
  const KindName kind = KindOf(reference);
  const std::string_view name = reference.GetString("name"), uid = reference.GetString("uid");
  const bool is_core = kind.group.empty();
  const std::string_view plural = !is_core                ? ""
                                  : kind.kind == "Pod"    ? "pods"
                                  : kind.kind == "Node"   ? "nodes"
                                  : kind.kind == "Secret" ? "secrets"
                                                          : "";
  if (plural.empty()) co_return api::Fail(api::BadRequest(Cat("cannot bind token to object of type ", kind.text())));
  if (plural == "nodes" && !request.scope.resource.features.Has(api::Feature::kServiceAccountTokenNodeBinding)) {
    co_return api::Fail(
        api::BadRequest("cannot bind token to a Node object as the \"ServiceAccountTokenNodeBinding\" "
                        "feature-gate is disabled"));
  }
  auto object = co_await GetObject(request, plural, name);
  if (!object) co_return std::unexpected(std::move(object.error()));
  Bound bound;
  (plural == "pods" ? bound.pod : plural == "nodes" ? bound.node : bound.secret) = *object;
  if (plural == "pods") {
    if (object->Get("spec").GetString("serviceAccountName") != request.Name()) {
      co_return api::Fail(api::BadRequest(Cat("cannot bind token for serviceaccount ", api::Quote(request.Name()),
                                              " to pod running with different serviceaccount name.")));
    }
    auto node = co_await NodeOf(request, *object);
    if (!node) co_return std::unexpected(std::move(node.error()));
    bound.node = *node;
  }
  if (!uid.empty() && uid != object->Get("metadata").GetString("uid")) {
    co_return api::Fail(api::Conflict({"", kind.kind}, name,
                                      Cat("the UID in the bound object reference (", uid,
                                          ") does not match the UID in record. The object might have been deleted and "
                                          "then recreated")));
  }
  co_return bound;
}

Value NameAndUid(const Value& object, Arena& arena) {
  const Value reference = Value::Object(arena, 2);
  for (std::string_view key : {"name", "uid"}) {
    const std::string_view text = object.Get("metadata").GetString(key);
    if (!text.empty()) reference.Add(arena, key, Value::String(text));
  }
  return reference;
}

Value PrivateClaims(const Request& request, const Value& account, const Bound& bound, std::optional<int64_t> warn_at) {
  Arena& arena = request.arena;
  const Value claims = Value::Object(arena, 6);
  claims.Add(arena, "namespace", Value::String(request.scope.namespace_name));
  if (bound.node.is_object()) claims.Add(arena, "node", NameAndUid(bound.node, arena));
  if (bound.pod.is_object()) claims.Add(arena, "pod", NameAndUid(bound.pod, arena));
  if (bound.secret.is_object()) claims.Add(arena, "secret", NameAndUid(bound.secret, arena));
  claims.Add(arena, "serviceaccount", NameAndUid(account, arena));
  if (warn_at) claims.Add(arena, "warnafter", Value::Int(*warn_at));
  return claims;
}

// The token. `spec` is complete.
std::string Issue(const Request& request, const Value& account, const Bound& bound, int64_t now) {
  Arena& arena = request.arena;
  const int64_t asked = request.spec().Get("expirationSeconds").AsInt();
  const Value audiences = request.spec().Get("audiences");
  const bool for_this_api = std::ranges::all_of(audiences.items(), [&](const Value& audience) {
    return std::ranges::find(request.issuer.audiences, audience.AsString()) != request.issuer.audiences.end();
  });
  const bool extend = request.issuer.extends_hour && bound.pod.is_object() && asked == kRenewedSeconds && for_this_api;
  std::optional<int64_t> warn_at;
  if (extend) warn_at = now + asked;
  const Value claims = Value::Object(arena, 8);
  claims.Add(arena, "aud", audiences);
  claims.Add(arena, "exp", Value::Int(now + (extend ? kExtendedSeconds : asked)));
  claims.Add(arena, "iat", Value::Int(now));
  claims.Add(arena, "iss", Value::String(request.issuer.issuer));
  claims.Add(arena, "jti", Value::Copy(arena, base::NewUuid(request.scope.services.random)));
  claims.Add(arena, "kubernetes.io", PrivateClaims(request, account, bound, warn_at));
  claims.Add(arena, "nbf", Value::Int(now));
  claims.Add(arena, "sub",
             Value::Copy(arena, Cat("system:serviceaccount:", request.scope.namespace_name, ":", request.Name())));
  return request.issuer.signer->Sign(value::ToJson(claims));
}

void SetAudiences(const Request& request) {
  if (!request.spec().Get("audiences").empty()) return;
  const Value audiences = Value::Array(request.arena, 1);
  for (const std::string& audience : request.issuer.audiences) {
    audiences.Append(request.arena, Value::String(audience));
  }
  request.spec().Set(request.arena, "audiences", audiences);
}

void Shorten(const Request& request) {
  const int64_t asked = request.spec().Get("expirationSeconds").AsInt(), longest = request.issuer.longest.count();
  if (longest == 0 || asked <= longest) return;
  request.scope.context().warnings.push_back(
      Cat("requested expiration of ", asked, " seconds shortened to ", longest, " seconds"));
  request.spec().Set(request.arena, "expirationSeconds", Value::Int(longest));
}

Answer CreateToken(const Scope& scope, const TokenIssuer& issuer) {
  Arena arena;
  auto posted =
      co_await ReadVirtualResource(scope, handlers::KindOf(*scope.subresource), arena, {.set_defaults = SetDefaults});
  if (!posted) co_return std::unexpected(std::move(posted.error()));
  const Request request{scope, issuer, posted->object, arena};
  const auto now = std::chrono::floor<seconds>(scope.services.clock.Now());
  auto filled = FillMetadata(request, registry::TimeText(now));
  if (!filled) co_return std::unexpected(std::move(filled.error()));
  auto account = co_await GetObject(request, "serviceaccounts", scope.name);
  if (!account) co_return std::unexpected(std::move(account.error()));
  SetAudiences(request);
  request.object.Remove("status");
  if (auto good = CheckSpec(request); !good) co_return std::unexpected(std::move(good.error()));
  if (auto admitted = co_await AdmitVirtualResource(scope, *posted, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  auto bound = co_await FindBound(request);
  if (!bound) co_return std::unexpected(std::move(bound.error()));
  Shorten(request);
  const Value status = Value::Object(arena, 2);
  const seconds holds(request.spec().Get("expirationSeconds").AsInt());
  status.Add(arena, "token", Value::Copy(arena, Issue(request, *account, *bound, now.time_since_epoch().count())));
  status.Add(arena, "expirationTimestamp", Value::Copy(arena, registry::TimeText(now + holds)));
  request.object.Set(arena, "status", status);
  std::string json;
  schema::EncodeJson(*scope.subresource->type, request.object, json);
  co_return RespondJson(scope, posted->output, 201, std::move(json), scope.subresource->type,
                        "authentication.k8s.io/v1", scope.subresource->kind);
}

}  // namespace

void AddTokenRequests(TokenIssuer issuer, Subresources& subresources) {
  subresources.Add("", "serviceaccounts", "token",
                   [shared = std::make_shared<const TokenIssuer>(std::move(issuer))](
                       const Scope& scope, std::string_view) { return CreateToken(scope, *shared); });
}

}  // namespace handlers
