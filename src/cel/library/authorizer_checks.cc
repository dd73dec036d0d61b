#include "cel/library/authorizer_checks.h"

#include <new>

#include "api/names.h"
#include "cel/library/strings.h"

namespace cel::library {
namespace {

template <class T>
Value Made(value::Arena& arena, OpaqueKind kind, const T& object) {
  return Value::Opaque(kind, new (arena.Allocate(sizeof(T), alignof(T))) T(object));
}

}  // namespace

Value AuthorizerValue(value::Arena& arena, Authorizer& authorizer) {
  return Made(arena, OpaqueKind::kAuthorizer, AuthorizerQuestion{.authorizer = &authorizer});
}

Value ResourceCheckValue(value::Arena& arena, Authorizer& authorizer, const AuthorizerCheck& check) {
  AuthorizerQuestion question{.authorizer = &authorizer, .check = check};
  question.check.is_resource = true;
  return Made(arena, OpaqueKind::kResourceCheck, question);
}

Value WithPath(value::Arena& arena, const Value& value, std::string_view path) {
  if (Trim(path).empty()) return Value::Error("path must not be empty");
  auto question = value.opaque<AuthorizerQuestion>();
  question.check.path = path;
  return Made(arena, OpaqueKind::kPathCheck, question);
}

Value WithGroup(value::Arena& arena, const Value& value, std::string_view group) {
  auto question = value.opaque<AuthorizerQuestion>();
  question.check.group = group;
  return Made(arena, OpaqueKind::kGroupCheck, question);
}

Value WithResource(value::Arena& arena, const Value& value, std::string_view resource) {
  if (Trim(resource).empty()) return Value::Error("resource must not be empty");
  auto question = value.opaque<AuthorizerQuestion>();
  question.check.is_resource = true;
  question.check.resource = resource;
  return Made(arena, OpaqueKind::kResourceCheck, question);
}

Value WithServiceAccount(value::Arena& arena, const Value& value, std::string_view namespace_name,
                         std::string_view name) {
  if (!api::CheckNameIsDnsSubdomain(name, false).empty()) return Value::Error("Invalid service account name");
  if (!api::CheckNameIsDnsLabel(namespace_name, false).empty()) {
    return Value::Error("Invalid service account namespace");
  }
  auto question = value.opaque<AuthorizerQuestion>();
  question.check.service_account_namespace = namespace_name;
  question.check.service_account_name = name;
  return Made(arena, OpaqueKind::kAuthorizer, question);
}

Value With(value::Arena& arena, const Value& value, std::string_view AuthorizerCheck::* field, std::string_view text) {
  auto question = value.opaque<AuthorizerQuestion>();
  question.check.*field = text;
  return Made(arena, OpaqueKind::kResourceCheck, question);
}

Value CheckVerb(value::Arena& arena, const Value& value, std::string_view verb) {
  AuthorizerCheck check = value.opaque<AuthorizerQuestion>().check;
  check.verb = verb;
  const AuthorizerDecision decided = value.opaque<AuthorizerQuestion>().authorizer->Authorize(check);
  return Made(arena, OpaqueKind::kDecision,
              Decision{.allowed = decided.allowed,
                       .errored = decided.errored,
                       .reason = arena.CopyString(decided.reason),
                       .error = arena.CopyString(decided.error)});
}

}  // namespace cel::library
