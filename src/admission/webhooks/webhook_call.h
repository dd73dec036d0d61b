// WebhookRequest: one request as webhooks are asked about it: which of them it is for, the review that each is sent,
// and the verdict that comes of its answer. What mutating and validating webhooks share. Belongs to its request's
// thread.
#pragma once

#include <optional>
#include <string>

#include "admission/plugins.h"
#include "admission/policies/request_authorizer.h"
#include "admission/policies/resource_matcher.h"
#include "admission/webhooks/admission_review.h"
#include "admission/webhooks/webhook_metrics.h"
#include "admission/webhooks/webhook_set.h"

namespace admission {

// What a request is in the form of one resource that serves it.
struct RequestForm {
  const registry::Resource* as = nullptr;
  value::Value object, old_object;  // as that resource shows them
};

struct WebhookVerdict {
  enum class Kind : uint8_t {
    kAllowed,
    kRefused,    // by the webhook
    kUncalled,   // the webhook could not be asked, or answered nothing of use: its failurePolicy decides
    kImpossible  // an error whatever the failurePolicy says
  };
  Kind kind = Kind::kAllowed;
  api::Error error;  // unless allowed
  int code = 200;    // for metrics
  std::string patch, patch_type;
};

class WebhookRequest {
 public:
  // All outlive it.
  WebhookRequest(AdmissionRequest& request, store::Store& store, const RequestRight& right,
                 exchange::WebhookClient& client, const WebhookMetrics& metrics)
      : request_(request),
        matched_(request, store),
        authorizer_(right, request.call.request.user),
        client_(client),
        metrics_(metrics) {}

  AdmissionRequest& request() { return request_; }

  // Whether rules and selectors send the request to `webhook`, and as which resource; null: they do not.
  api::Result<const registry::Resource*> Match(const Webhook& webhook);
  // Whether its match conditions do, too.
  api::Result<bool> MeetsConditions(const Webhook& webhook, const RequestForm& form);
  // The request as `as` serves it. A conversion may have to be waited for.
  base::Task<api::Result<RequestForm>> FormOf(const registry::Resource& as);
  // `object`, which is in the form of `as`, in the form of the requested resource.
  base::Task<api::Result<value::Value>> FromForm(const registry::Resource& as, value::Value object);
  // The type of the request's object in the form of `as`; null: it has none.
  const schema::Type* TypeIn(const registry::Resource& as) const;

  // Asks. Both outlive the task.
  base::Task<WebhookVerdict> Ask(const Webhook& webhook, const RequestForm& form, bool mutating);
  // Whether the request itself has no time left.
  bool out_of_time() const;

 private:
  base::Task<api::Result<value::Value>> Convert(const registry::Resource& from, const registry::Resource& to,
                                                value::Value object);
  bool HasOwnBody() const;
  void Warn(std::vector<std::string> warnings);
  WebhookVerdict Judge(const Webhook& webhook, std::string_view uid, std::string_view body, bool mutating);

  AdmissionRequest& request_;
  MatchedRequest matched_;
  RequestAuthorizer authorizer_;
  exchange::WebhookClient& client_;
  const WebhookMetrics& metrics_;
  std::optional<value::Value> shown_namespace_;
};

}  // namespace admission
