// Escalation: nobody may grant by a role what they do not hold themselves. Pure; any thread.
#pragma once

#include <string>

#include "api/request.h"
#include "auth/policy_rule.h"

namespace auth {

// What of `granted` the rules `held` do not cover: a rule for each verb on each resource, or URL. As much as a refusal
// has room for.
PolicyRules Uncovered(const PolicyRules& held, const PolicyRules& granted);

// What a role may do that `held.rules` do not cover, as the refusal says it to `user`, with what went wrong as the
// user's rules were looked up; "" where everything is covered. The product of a rule's lists is not enumerated: work
// and text are bounded, and what could not be compared within the bound counts as not covered.
std::string Escalation(const api::User& user, const UserRules& held, const PolicyRules& granted);

// The rules of who may do everything.
PolicyRules FullAuthority();

}  // namespace auth
