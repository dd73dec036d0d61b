#include "handlers/subresources/reviews.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "auth/policy_rule.h"
#include "base/text.h"
#include "handlers/subresources/review_selectors.h"
#include "handlers/subresources/virtual_resource.h"
#include "handlers/views.h"
#include "registry/field_manager.h"
#include "registry/object_meta.h"
#include "registry/strategy.h"
#include "schema/encode.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

using value::Arena;
using value::Value;
using Type = api::FieldError::Type;

base::Task<api::Result<VirtualResource>> ReadReview(const Scope& scope, Arena& arena) {
  return ReadVirtualResource(scope, KindOf(scope.resource), arena);
}

api::Result<exchange::Response> RespondReview(const Scope& scope, const Output& output, const Value& review) {
  std::string json;
  schema::EncodeJson(*scope.resource.type, review, json);
  return RespondJson(scope, output, 201, std::move(json), scope.resource.type, scope.resource.group_version(),
                     scope.resource.kind);
}

Value StringList(const std::vector<std::string>& texts, Arena& arena) {
  Value list = Value::Array(arena, texts.size());
  for (const std::string& text : texts) list.Append(arena, Value::String(text));
  return list;
}

Value UserInfo(const api::User& user, Arena& arena) {
  Value info = Value::Object(arena, 4);
  if (!user.name.empty()) info.Add(arena, "username", Value::String(user.name));
  if (!user.uid.empty()) info.Add(arena, "uid", Value::String(user.uid));
  if (!user.groups.empty()) info.Add(arena, "groups", StringList(user.groups, arena));
  if (user.extra.empty()) return info;
  Value extra = Value::Object(arena, user.extra.size());
  for (const auto& [key, values] : user.extra) extra.Add(arena, key, StringList(values, arena));
  info.Add(arena, "extra", extra);
  return info;
}

Answer SelfSubjectReview(const Scope& scope) {
  Arena arena;
  auto question = co_await ReadReview(scope, arena);
  if (!question) co_return std::unexpected(std::move(question.error()));
  if (auto admitted = co_await AdmitVirtualResource(scope, *question, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  Value metadata = Value::Object(arena, 1), status = Value::Object(arena, 1);
  metadata.Add(arena, "creationTimestamp", Value::Copy(arena, NowText(scope.services.clock)));
  status.Add(arena, "userInfo", UserInfo(scope.context().user, arena));
  Value review = Value::Object(arena, 4);
  for (std::string_view key : {"kind", "apiVersion"}) review.Add(arena, key, question->object.Get(key));
  review.Add(arena, "metadata", metadata);
  review.Add(arena, "status", status);
  co_return RespondReview(scope, question->output, review);
}

void AddInvalid(std::string field, std::string value, std::string detail, api::FieldErrors& errors) {
  errors.push_back({Type::kInvalid, std::move(field), std::move(value), std::move(detail)});
}

// Selectors are nobody's concern while their gate is off.
bool KnowsSelectors(const Scope& scope) { return scope.resource.features.Has(api::Feature::kAuthorizeWithSelectors); }

void DropSelectors(const Scope& scope, const Value& review) {
  if (KnowsSelectors(scope)) return;
  const Value attributes = review.Get({"spec", "resourceAttributes"});
  if (!attributes.is_object()) return;
  for (std::string_view selector : {"fieldSelector", "labelSelector"}) attributes.Remove(selector);
}

api::FieldErrors CheckSpec(const Scope& scope, const Value& spec, bool names_user) {
  api::FieldErrors errors;
  const Value* resource = spec.Find("resourceAttributes");
  const Value* path = spec.Find("nonResourceAttributes");
  if (resource != nullptr && path != nullptr) {
    AddInvalid("spec.nonResourceAttributes", base::Cat("authorization.NonResourceAttributes", value::ToJson(*path)),
               "cannot be specified in combination with resourceAttributes", errors);
  }
  if (resource == nullptr && path == nullptr) {
    AddInvalid("spec.resourceAttributes", "\"null\"",
               "exactly one of nonResourceAttributes or resourceAttributes must be specified", errors);
  }
  if (names_user && spec.GetString("user").empty() && spec.Get("groups").empty()) {
    AddInvalid("spec.user", "\"\"", "at least one of user or group must be specified", errors);
  }
  if (resource != nullptr && KnowsSelectors(scope)) CheckReviewSelectors(*resource, "spec.resourceAttributes", errors);
  return errors;
}

bool HasMetadata(const Value& review, bool may_have_namespace) {
  for (const value::Member& member : review.Get("metadata").members()) {
    if (member.key == "managedFields" || (may_have_namespace && member.key == "namespace")) continue;
    return true;
  }
  return false;
}

enum class Asked { kSelf, kSubject, kLocalSubject };

api::FieldErrors CheckReview(const Scope& scope, const Value& review, Asked asked) {
  Value spec = review.Get("spec");
  api::FieldErrors errors = CheckSpec(scope, spec, asked != Asked::kSelf);
  if (HasMetadata(review, asked == Asked::kLocalSubject)) {
    AddInvalid("metadata", base::Cat("v1.ObjectMeta", value::ToJson(review.Get("metadata"))),
               asked == Asked::kLocalSubject ? "must be empty except for namespace" : "must be empty", errors);
  }
  if (asked != Asked::kLocalSubject) return errors;
  if (const Value* resource = spec.Find("resourceAttributes")) {
    std::string_view namespace_name = resource->GetString("namespace");
    if (namespace_name != scope.namespace_name) {
      AddInvalid("spec.resourceAttributes.namespace", api::Quote(namespace_name), "must match metadata.namespace",
                 errors);
    }
  }
  if (const Value* path = spec.Find("nonResourceAttributes")) {
    AddInvalid("spec.nonResourceAttributes", base::Cat("authorization.NonResourceAttributes", value::ToJson(*path)),
               "disallowed on this kind of request", errors);
  }
  return errors;
}

api::User UserOf(const Value& spec) {
  api::User user{.name = std::string(spec.GetString("user")), .uid = std::string(spec.GetString("uid"))};
  for (const Value& group : spec.Get("groups").items()) user.groups.emplace_back(group.AsString());
  for (const value::Member& extra : spec.Get("extra").members()) {
    auto& values = user.extra[std::string(extra.key)];
    for (const Value& value : extra.value.items()) values.emplace_back(value.AsString());
  }
  return user;
}

auth::Attributes AttributesOf(const Value& spec, const api::User& user, Arena& arena) {
  if (const Value* r = spec.Find("resourceAttributes")) {
    return {.user = user,
            .verb = r->GetString("verb"),
            .namespace_name = r->GetString("namespace"),
            .group = r->GetString("group"),
            .version = r->GetString("version"),
            .resource = r->GetString("resource"),
            .subresource = r->GetString("subresource"),
            .name = r->GetString("name"),
            .field_selector = FieldSelectorText(r->Get("fieldSelector"), arena),
            .label_selector = LabelSelectorText(r->Get("labelSelector"), arena)};
  }
  Value path = spec.Get("nonResourceAttributes");
  return {.user = user, .verb = path.GetString("verb"), .is_resource_request = false, .path = path.GetString("path")};
}

Answer AccessReview(const Scope& scope, Asked asked, const auth::Authorizer& authorizer) {
  Arena arena;
  auto question = co_await ReadReview(scope, arena);
  if (!question) co_return std::unexpected(std::move(question.error()));
  Value review = question->object;
  if (api::FieldErrors errors = CheckReview(scope, review, asked); !errors.empty()) {
    co_return api::Fail(api::Invalid({scope.resource.group, ""}, "", errors));
  }
  Value spec = review.Get("spec");
  api::User user = asked == Asked::kSelf ? scope.context().user : UserOf(spec);
  if (auto admitted = co_await AdmitVirtualResource(scope, *question, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  DropSelectors(scope, review);
  const auth::Decision decision =
      co_await auth::Decide(authorizer, AttributesOf(spec, user, arena), /*explain=*/true, scope.exchange.executor());
  const std::string ignored = SelectorEvaluationError(spec.Get("resourceAttributes"), "spec.resourceAttributes");
  Value status = Value::Object(arena, 4);
  if (decision.allowed()) status.Add(arena, "allowed", Value::Bool(true));
  if (decision.outcome == auth::Decision::Outcome::kDeny) status.Add(arena, "denied", Value::Bool(true));
  if (!decision.reason.empty()) status.Add(arena, "reason", Value::Copy(arena, decision.reason));
  if (!ignored.empty()) status.Add(arena, "evaluationError", Value::String(ignored));
  review.Set(arena, "status", status);
  co_return RespondReview(scope, question->output, review);
}

Value RuleStatus(const auth::UserRules& list, Arena& arena) {
  Value resources = Value::Array(arena), paths = Value::Array(arena), status = Value::Object(arena, 4);
  for (const auth::PolicyRule& rule : list.rules) {
    if (!rule.resources.empty()) {
      Value entry = Value::Object(arena, 4);
      entry.Add(arena, "verbs", StringList(rule.verbs, arena));
      if (!rule.groups.empty()) entry.Add(arena, "apiGroups", StringList(rule.groups, arena));
      entry.Add(arena, "resources", StringList(rule.resources, arena));
      if (!rule.resource_names.empty()) entry.Add(arena, "resourceNames", StringList(rule.resource_names, arena));
      resources.Append(arena, entry);
    }
    if (!rule.urls.empty()) {
      Value entry = Value::Object(arena, 2);
      entry.Add(arena, "verbs", StringList(rule.verbs, arena));
      entry.Add(arena, "nonResourceURLs", StringList(rule.urls, arena));
      paths.Append(arena, entry);
    }
  }
  status.Add(arena, "resourceRules", resources);
  status.Add(arena, "nonResourceRules", paths);
  status.Add(arena, "incomplete", Value::Bool(list.incomplete));
  const std::string errors = base::Join(list.errors, ", ");
  if (list.errors.size() == 1) status.Add(arena, "evaluationError", Value::Copy(arena, errors));
  if (list.errors.size() > 1) status.Add(arena, "evaluationError", Value::Copy(arena, base::Cat("[", errors, "]")));
  return status;
}

Answer RulesReview(const Scope& scope, const auth::Authorizer& authorizer) {
  Arena arena;
  auto question = co_await ReadReview(scope, arena);
  if (!question) co_return std::unexpected(std::move(question.error()));
  const Value review = question->object;
  const std::string_view namespace_name = review.Get("spec").GetString("namespace");
  if (namespace_name.empty()) co_return api::Fail(api::BadRequest("no namespace on request"));
  if (auto admitted = co_await AdmitVirtualResource(scope, *question, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  auth::UserRules list;
  authorizer.CollectRules(scope.context().user, namespace_name, list);
  // What was asked is not repeated in the answer.
  review.Set(arena, "metadata", Value::Object(arena));
  review.Set(arena, "spec", Value::Object(arena));
  review.Set(arena, "status", RuleStatus(list, arena));
  co_return RespondReview(scope, question->output, review);
}

Answer TokenReview(const Scope& scope, const TokenCheck& check, const std::vector<std::string>& own_audiences) {
  Arena arena;
  auto question = co_await ReadReview(scope, arena);
  if (!question) co_return std::unexpected(std::move(question.error()));
  const Value review = question->object, spec = review.Get("spec");
  const std::string_view token = spec.GetString("token");
  if (token.empty()) co_return api::Fail(api::BadRequest("token is required for TokenReview in authentication"));
  if (auto admitted = co_await AdmitVirtualResource(scope, *question, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  std::vector<std::string> audiences;
  for (const Value& audience : spec.Get("audiences").items()) audiences.emplace_back(audience.AsString());
  const TokenVerdict verdict = co_await check(token, audiences.empty() ? own_audiences : audiences);
  // What was sent as status stays where nothing is known.
  if (!review.Get("status").is_object()) review.Set(arena, "status", Value::Object(arena, 4));
  const Value status = review.Get("status");
  status.Remove("authenticated");
  if (!verdict.error.empty()) status.Set(arena, "error", Value::String(verdict.error));
  if (verdict.user) {
    status.Set(arena, "authenticated", Value::Bool(true));
    status.Set(arena, "user", UserInfo(*verdict.user, arena));
    status.Set(arena, "audiences", StringList(verdict.audiences, arena));
  }
  co_return RespondReview(scope, question->output, review);
}

}  // namespace

void AddTokenReview(TokenCheck check, std::vector<std::string> audiences, Subresources& subresources) {
  subresources.Add("authentication.k8s.io", "tokenreviews", "",
                   [check = std::make_shared<const TokenCheck>(std::move(check)),
                    audiences = std::make_shared<const std::vector<std::string>>(std::move(audiences))](
                       const Scope& scope, std::string_view) { return TokenReview(scope, *check, *audiences); });
}

void AddReviews(const auth::Authorizer& authorizer, Subresources& subresources) {
  subresources.Add("authentication.k8s.io", "selfsubjectreviews", "",
                   [](const Scope& scope, std::string_view) { return SelfSubjectReview(scope); });
  subresources.Add("authorization.k8s.io", "selfsubjectrulesreviews", "",
                   [&authorizer](const Scope& scope, std::string_view) { return RulesReview(scope, authorizer); });
  auto add = [&](std::string_view resource, Asked asked) {
    subresources.Add("authorization.k8s.io", resource, "", [asked, &authorizer](const Scope& scope, std::string_view) {
      return AccessReview(scope, asked, authorizer);
    });
  };
  add("selfsubjectaccessreviews", Asked::kSelf);
  add("subjectaccessreviews", Asked::kSubject);
  add("localsubjectaccessreviews", Asked::kLocalSubject);
}

}  // namespace handlers
