// Reviews: questions to the server that are posted as objects and never stored: who am I, may I, may they. Plugged into
// Subresources by server/, which supplies the authorizers. On the request's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "auth/authorizer.h"
#include "base/task.h"
#include "handlers/subresources/subresources.h"

namespace handlers {

// SelfSubjectReview, SelfSubjectAccessReview, SubjectAccessReview, LocalSubjectAccessReview and SelfSubjectRulesReview.
// `authorizer` outlives `subresources`.
void AddReviews(const auth::Authorizer& authorizer, Subresources& subresources);

// Whose a bearer token is, to who takes tokens for one of some audiences.
struct TokenVerdict {
  std::shared_ptr<const api::User> user;  // null: nobody's
  std::vector<std::string> audiences;     // the token's among those
  std::string error;                      // why it is nobody's
};
// Both outlive the task.
using TokenCheck =
    std::function<base::Task<TokenVerdict>(std::string_view token, const std::vector<std::string>& audiences)>;

// TokenReview; `audiences` are those of this API, for who names none.
void AddTokenReview(TokenCheck check, std::vector<std::string> audiences, Subresources& subresources);

}  // namespace handlers
