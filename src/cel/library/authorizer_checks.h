// The authorizer of expressions: the chain authorizer.group(...).resource(...).check(...) as values that live in the
// evaluation's arena. The question itself goes to an Authorizer (cel/authorizer.h), on the evaluating thread.
#pragma once

#include <string_view>
#include <type_traits>

#include "cel/authorizer.h"
#include "cel/library/outcome.h"
#include "cel/value.h"
#include "value/arena.h"

namespace cel::library {

// What values of the kinds kAuthorizer, kPathCheck, kGroupCheck and kResourceCheck refer to: the question as far as it
// has been put.
struct AuthorizerQuestion {
  Authorizer* authorizer = nullptr;
  AuthorizerCheck check;
};
static_assert(std::is_trivially_destructible_v<AuthorizerQuestion>);

// What values of the kind kDecision refer to.
struct Decision {
  bool allowed = false;
  bool errored = false;
  std::string_view reason, error;
};

// The variable `authorizer`, and `authorizer.requestResource` with what the request is about in `check`. `authorizer`
// and what `check` refers to outlive the arena's values.
Value AuthorizerValue(value::Arena& arena, Authorizer& authorizer);
Value ResourceCheckValue(value::Arena& arena, Authorizer& authorizer, const AuthorizerCheck& check);

// One more step of the chain: `value` with `text` for the field that the step sets.
Value WithPath(value::Arena& arena, const Value& value, std::string_view path);
Value WithGroup(value::Arena& arena, const Value& value, std::string_view group);
Value WithResource(value::Arena& arena, const Value& value, std::string_view resource);
Value WithServiceAccount(value::Arena& arena, const Value& value, std::string_view namespace_name,
                         std::string_view name);
Value With(value::Arena& arena, const Value& value, std::string_view AuthorizerCheck::* field, std::string_view text);
// Asks.
Value CheckVerb(value::Arena& arena, const Value& value, std::string_view verb);

}  // namespace cel::library
