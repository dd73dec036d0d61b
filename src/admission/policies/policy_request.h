// What expressions see of a request: the variable `request`, and objects in the form in which a policy matches them.
// Values live in the request's arena. One thread.
#pragma once

#include "admission/policies/resource_matcher.h"
#include "base/result.h"
#include "cel/authorizer.h"
#include "value/value.h"

namespace admission {

// The AdmissionRequest without its objects; of the options what the server's own parameters say.
value::Value RequestVariable(MatchedRequest& matched, const registry::Resource& as);

// `object` as clients are shown it, with what the API writes although it is empty; read in place of the tree that
// admission works with. Linear in the object. Null stays null.
value::Value AsShown(const schema::Type* type, const value::Value& object, value::Arena& arena);

// `object` of the requested resource, shown as `as` serves it; null stays null. Fails where that has to be waited for.
base::Result<value::Value> InFormOf(MatchedRequest& matched, const registry::Resource& as, const value::Value& object);

// What authorizer.requestResource asks about.
cel::AuthorizerCheck RequestResourceCheck(MatchedRequest& matched);

}  // namespace admission
