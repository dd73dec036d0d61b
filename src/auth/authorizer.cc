#include "auth/authorizer.h"

#include "api/quote.h"
#include "auth/policy_rule.h"
#include "base/text.h"

namespace auth {
namespace {

void AddReason(std::string reason, std::string& reasons) {
  if (reason.empty()) return;
  if (!reasons.empty()) reasons += '\n';
  reasons += reason;
}

}  // namespace

Attributes AttributesOf(const api::RequestContext& context) {
  const api::RequestInfo& info = context.info;
  Attributes attributes{.user = context.user,
                        .verb = info.verb,
                        .is_resource_request = info.is_resource_request,
                        .namespace_name = info.namespace_name,
                        .group = info.group,
                        .version = info.version,
                        .resource = info.resource,
                        .subresource = info.subresource,
                        .name = info.name,
                        .path = info.path};
  const bool selects = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection";
  if (!info.is_resource_request || !selects) return attributes;
  attributes.field_selector = context.query.Get("fieldSelector");
  attributes.label_selector = context.query.Get("labelSelector");
  return attributes;
}

void Authorizer::CollectRules(const api::User&, std::string_view, UserRules&) const {}

void AlwaysAllow::CollectRules(const api::User&, std::string_view, UserRules& out) const {
  out.rules.push_back({.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .urls = {"*"}});
}

Decision PrivilegedGroup::Authorize(const Attributes& attributes, bool) const {
  if (attributes.user.InGroup(group_)) return {Decision::Outcome::kAllow, ""};
  return {};
}

Decision AuthorizerChain::Authorize(const Attributes& attributes, bool explain) const {
  std::string reasons;
  for (const auto& authorizer : authorizers_) {
    Decision decision = authorizer->Authorize(attributes, explain);
    if (decision.outcome != Decision::Outcome::kNoOpinion) return decision;
    AddReason(std::move(decision.reason), reasons);
  }
  return {Decision::Outcome::kNoOpinion, std::move(reasons)};
}

base::Task<Decision> AuthorizerChain::AuthorizeAsync(const Attributes& attributes, bool explain,
                                                     base::Executor& executor) const {
  std::string reasons;
  for (const auto& authorizer : authorizers_) {
    Decision decision = authorizer->Authorize(attributes, explain);
    if (decision.must_wait()) decision = co_await authorizer->AuthorizeAsync(attributes, explain, executor);
    if (decision.outcome != Decision::Outcome::kNoOpinion) co_return decision;
    AddReason(std::move(decision.reason), reasons);
  }
  co_return Decision{Decision::Outcome::kNoOpinion, std::move(reasons)};
}

base::Task<Decision> Decide(const Authorizer& authorizer, const Attributes& attributes, bool explain,
                            base::Executor& executor) {
  Decision decision = authorizer.Authorize(attributes, explain);
  if (decision.must_wait()) decision = co_await authorizer.AuthorizeAsync(attributes, explain, executor);
  co_return decision;
}

void AuthorizerChain::CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const {
  for (const auto& authorizer : authorizers_) authorizer->CollectRules(user, namespace_name, out);
}

std::string RefusalText(const Attributes& attributes) {
  std::string text = base::Cat("User ", api::Quote(attributes.user.name), " cannot ", attributes.verb);
  if (!attributes.is_resource_request) return base::Cat(text, " path ", api::Quote(attributes.path));
  std::string resource(attributes.resource);
  if (!attributes.subresource.empty()) base::Append(resource, "/", attributes.subresource);
  base::Append(text, " resource ", api::Quote(resource), " in API group ", api::Quote(attributes.group));
  if (attributes.namespace_name.empty()) return text + " at the cluster scope";
  return base::Cat(text, " in the namespace ", api::Quote(attributes.namespace_name));
}

api::Error Refusal(const Attributes& attributes, std::string_view reason) {
  std::string message = EscapeHtml(RefusalText(attributes));
  if (!reason.empty()) base::Append(message, ": ", reason);
  return api::Forbidden(std::move(message), {attributes.group, attributes.resource}, attributes.name);
}

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace auth
