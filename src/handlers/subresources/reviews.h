// Reviews: questions to the server that are posted as objects and never stored: who am I, may I, may they. Plugged into
// Subresources by server/, which supplies the authorizer. On the request's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "handlers/subresources/subresources.h"

namespace handlers {

// What an access review asks. Borrows from the review.
struct AccessQuestion {
  const api::User& user;
  std::string_view verb;
  bool is_resource = true;
  std::string_view namespace_name, group, version, resource, subresource, name;
  std::string_view path;  // of what is no resource
};
struct AccessVerdict {
  bool allowed = false, denied = false;
  std::string reason;
};
using AccessCheck = std::function<AccessVerdict(const AccessQuestion&)>;

// SelfSubjectReview, SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview.
void AddReviews(AccessCheck check, Subresources& subresources);

// What a user may do in a namespace, for SelfSubjectRulesReview.
struct RuleList {
  struct Rule {
    std::vector<std::string> verbs, groups, resources, resource_names, urls;
  };
  std::vector<Rule> rules;
  std::string error;  // why some may be missing, "" if none is
};
using RuleCheck = std::function<RuleList(const api::User& user, std::string_view namespace_name)>;

// Whose a bearer token is, to who takes tokens for one of some audiences.
struct TokenVerdict {
  std::shared_ptr<const api::User> user;  // null: nobody's
  std::vector<std::string> audiences;     // the token's among those
  std::string error;                      // why it is nobody's
};
using TokenCheck = std::function<TokenVerdict(std::string_view token, const std::vector<std::string>& audiences)>;

// TokenReview; `audiences` are those of this API, for who names none.
void AddTokenReview(TokenCheck check, std::vector<std::string> audiences, Subresources& subresources);

// SelfSubjectRulesReview.
void AddRulesReview(RuleCheck check, Subresources& subresources);

}  // namespace handlers
