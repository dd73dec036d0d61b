// AdmissionReview (admission.k8s.io v1 and v1beta1): what a webhook is asked, and what it answers. Answers are foreign
// bytes: read within the bounds of the readers, judged as kube-apiserver does and with its words.
//
// Pure; any thread. Trees live in the arena.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "value/value.h"

namespace admission {

struct ReviewRequest {
  std::string_view version;  // v1 or v1beta1
  std::string_view uid;
  value::Value request;             // RequestVariable(): all but what follows
  value::Value object, old_object;  // as shown; null where there is none
};
// The review as JSON.
std::string WriteReview(const ReviewRequest& review);

struct ReviewAnswer {
  bool allowed = false;
  value::Value status;  // metav1.Status of a refusal; null: none
  std::string patch;    // JSON, decoded from base64; "" none
  std::string patch_type;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> audit_annotations;
};

struct ReviewFault {
  std::string message;
  bool unreadable = false;  // it is no review at all; else one that says what it must not say
};

// `text`: the body that was answered to a review of that version and uid.
std::expected<ReviewAnswer, ReviewFault> ReadReview(std::string_view text, std::string_view version,
                                                    std::string_view uid, bool mutating, value::Arena& arena);

// What the client is told of a refusal by `webhook`.
api::Error RefusalBy(std::string_view webhook, const value::Value& status);

}  // namespace admission
