#include "admission/webhooks/webhook_call.h"

#include <algorithm>
#include <utility>

#include "admission/policies/policy_evaluator.h"
#include "admission/policies/policy_request.h"
#include "api/quote.h"
#include "base/random.h"
#include "base/text.h"
#include "registry/registry.h"
#include "registry/stored_form.h"

namespace admission {
namespace {

using base::Cat;
using registry::Converter;
using value::Value;
using Kind = WebhookVerdict::Kind;

constexpr size_t kMostWarnings = 100;  // of one request; an answer tells 4096 bytes of them at most

WebhookVerdict Uncalled(const Webhook& webhook, std::string_view reason, int code) {
  return {.kind = Kind::kUncalled,
          .error = api::Internal(Cat("failed calling webhook ", api::Quote(webhook.name), ": ", reason)),
          .code = code,
          .patch = {},
          .patch_type = {}};
}

}  // namespace

bool WebhookRequest::out_of_time() const { return request_.call.request.deadline <= std::chrono::steady_clock::now(); }

bool WebhookRequest::HasOwnBody() const {
  const registry::Resource& own = request_.resource;
  const registry::Subresource* sub = request_.subresource.empty() ? nullptr : own.FindSubresource(request_.subresource);
  return sub != nullptr && !sub->kind.empty() && (sub->kind != own.kind || sub->group != own.group);
}

const schema::Type* WebhookRequest::TypeIn(const registry::Resource& as) const {
  return HasOwnBody() ? request_.resource.FindSubresource(request_.subresource)->type : as.type;
}

api::Result<const registry::Resource*> WebhookRequest::Match(const Webhook& webhook) {
  const auto as = webhook.matcher.Match(matched_);
  if (as) return *as;
  if (as.error().code != base::Code::kNotFound) return api::Fail(api::Internal(as.error().message));
  return api::Fail(api::NotFound({"", "namespaces"}, matched_.namespace_name()));
}

api::Result<bool> WebhookRequest::MeetsConditions(const Webhook& webhook, const RequestForm& form) {
  if (webhook.conditions == nullptr) return true;
  const PolicyInput input{.object = form.object,
                          .old_object = form.old_object,
                          .namespace_object = Value(),
                          .request = RequestVariable(matched_, *form.as),
                          .authorizer = authorizer_,
                          .request_resource = RequestResourceCheck(matched_)};
  const ConditionResult conditions = CheckMatchConditions(*webhook.conditions, input, Value());
  if (!conditions.error.empty() && webhook.fails) {
    return api::Fail(api::Forbidden(conditions.error, request_.resource.group_resource(), matched_.name()));
  }
  if (!conditions.matches) metrics_.Excluded(webhook.name, request_.operation);
  return conditions.matches;
}

base::Task<api::Result<Value>> WebhookRequest::Convert(const registry::Resource& from, const registry::Resource& to,
                                                       Value object) {
  const Converter::Request request{request_.call.request, request_.call.executor};
  if (from.converter != nullptr) {
    auto stored =
        co_await from.converter->Convert(Converter::To::kStored, request, std::span(&object, 1), request_.arena);
    if (!stored) co_return api::Fail(api::Internal(stored.error().message));
  }
  if (to.converter != nullptr) {
    auto served =
        co_await to.converter->Convert(Converter::To::kServed, request, std::span(&object, 1), request_.arena);
    if (!served) co_return api::Fail(api::Internal(served.error().message));
  }
  const Value made = Value::ObjectOf(request_.arena, object.members());
  made.Set(request_.arena, "apiVersion", Value::Copy(request_.arena, to.group_version()));
  made.Set(request_.arena, "kind", Value::Copy(request_.arena, to.kind));
  co_return made;
}

base::Task<api::Result<RequestForm>> WebhookRequest::FormOf(const registry::Resource& as) {
  const registry::Resource& own = request_.resource;
  RequestForm form{
      .as = &as, .object = request_.object, .old_object = request_.old == nullptr ? Value() : *request_.old};
  for (Value* object : {&form.object, &form.old_object}) {
    if (!object->is_object()) continue;
    if (&as != &own && !HasOwnBody()) {
      auto converted = co_await Convert(own, as, *object);
      if (!converted) co_return std::unexpected(std::move(converted.error()));
      *object = *converted;
    }
    *object = AsShown(TypeIn(as), *object, request_.arena);
  }
  co_return form;
}

base::Task<api::Result<Value>> WebhookRequest::FromForm(const registry::Resource& as, Value object) {
  if (&as == &request_.resource || HasOwnBody()) co_return object;
  co_return co_await Convert(as, request_.resource, object);
}

void WebhookRequest::Warn(std::vector<std::string> texts) {
  std::vector<std::string>& warnings = request_.call.warnings;
  for (std::string& text : texts) {
    if (warnings.size() >= kMostWarnings) return;
    if (!text.empty() && std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(std::move(text));
  }
}

base::Task<WebhookVerdict> WebhookRequest::Ask(const Webhook& webhook, const RequestForm& form, bool mutating) {
  if (request_.dry_run && !webhook.allows_dry_run) {
    const std::string why = Cat("admission webhook ", api::Quote(webhook.name), " does not support dry run");
    co_return WebhookVerdict{
        .kind = Kind::kImpossible, .error = api::BadRequest(why), .code = 0, .patch = {}, .patch_type = {}};
  }
  if (webhook.review_version.empty()) {
    co_return Uncalled(webhook,
                       "could not create admission objects: webhook does not accept known AdmissionReview versions "
                       "(v1, v1beta1)",
                       400);
  }
  const std::string uid = base::NewUuid(base::SystemRandom());
  const auto deadline = std::min(request_.call.request.deadline, std::chrono::steady_clock::now() + webhook.timeout);
  exchange::WebhookCall call{.address = webhook.address,
                             .body = WriteReview({.version = webhook.review_version,
                                                  .uid = uid,
                                                  .request = RequestVariable(matched_, *form.as),
                                                  .object = form.object,
                                                  .old_object = form.old_object}),
                             .deadline = deadline};
  const auto answer = co_await client_.Post(request_.call.executor, std::move(call));
  if (!answer) {
    const exchange::WebhookFailure& failure = answer.error();
    const std::string_view what = failure.before_call ? "could not get REST client: " : "failed to call webhook: ";
    co_return Uncalled(webhook, Cat(what, failure.message), failure.code);
  }
  co_return Judge(webhook, uid, *answer, mutating);
}

WebhookVerdict WebhookRequest::Judge(const Webhook& webhook, std::string_view uid, std::string_view body,
                                     bool mutating) {
  value::Arena arena;
  auto review = ReadReview(body, webhook.review_version, uid, mutating, arena);
  if (!review) {
    const ReviewFault& fault = review.error();
    if (fault.unreadable) return Uncalled(webhook, Cat("failed to call webhook: ", fault.message), 400);
    return Uncalled(webhook, Cat("received invalid webhook response: ", fault.message), 503);
  }
  Warn(std::move(review->warnings));
  WebhookVerdict verdict{.error = {}, .patch = std::move(review->patch), .patch_type = std::move(review->patch_type)};
  if (review->allowed) return verdict;
  verdict.kind = Kind::kRefused;
  verdict.error = RefusalBy(webhook.name, review->status);
  verdict.code = verdict.error.code;
  return verdict;
}

}  // namespace admission
