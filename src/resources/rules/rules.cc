#include "resources/rules/rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "registry/rule_log.h"

namespace resources {
namespace {

constexpr Value kNothing;

bool IsEmpty(const Value* v) {
  if (!v || v->is_null()) return true;
  if (v->is_string()) return v->AsString().empty();
  return (v->is_array() || v->is_object()) && v->empty();
}

std::string_view TextOf(const Value* v) { return v && v->is_string() ? v->AsString() : std::string_view(); }

void CheckEnum(const Rule& rule, const Scope& scope, const Value* found) {
  std::string_view text = TextOf(found);
  const bool says = found != nullptr || rule.even_if_absent;
  if (text.empty() && !(rule.empty_unsupported && says)) {
    if (rule.even_if_absent) scope.errors.Required(scope.At(rule.field), rule.text);
    return;
  }
  if (std::ranges::find(rule.words, text) == rule.words.end())
    scope.errors.NotSupported(scope.At(rule.field), text, rule.words);
}

void CheckRange(const Rule& rule, const Scope& scope, const Value* found) {
  if (!found || !found->is_int()) return;
  if (found->AsInt() < rule.least || found->AsInt() > rule.most) {
    scope.errors.Invalid(scope.At(rule.field), found->AsInt(), rule.text);
  }
}

void CheckImmutable(const Rule& rule, const Scope& scope, const Value* found) {
  if (!scope.old) return;
  Value now = found ? *found : Value();
  if (value::Equal(now, scope.old->Get(rule.field))) return;
  if (now.is_null() && rule.even_if_absent) now = Value::String("");
  scope.errors.Invalid(scope.At(rule.field), now, rule.text);
}

void CheckEach(const Rule& rule, const Scope& scope, const Value* found) {
  if (!found) return;
  FieldPath list = scope.At(rule.field);
  for (uint32_t i = 0; found->is_array() && i < found->size(); ++i)
    Check(scope, rule.rules, list.Index(i), (*found)[i], nullptr);
  for (const value::Member& member : found->members())
    Check(scope, rule.rules, list.Key(member.key), member.value, nullptr);
}

void CheckEachFormat(const Rule& rule, const Scope& scope, const Value* found) {
  if (!found) return;
  FieldPath list = scope.At(rule.field);
  for (uint32_t i = 0; found->is_array() && i < found->size(); ++i)
    rule.format(scope.errors, list.Index(i), TextOf(&(*found)[i]));
}

void CheckUnique(const Rule& rule, const Scope& scope, const Value* found) {
  if (!found || !found->is_array() || found->size() < 2) return;
  FieldPath list = scope.At(rule.field);
  std::vector<std::pair<std::string_view, uint32_t>> seen;  // sorted by text, then by place
  for (uint32_t i = 0; i < found->size(); ++i) {
    std::string_view text = rule.text.empty() ? TextOf(&(*found)[i]) : (*found)[i].GetString(rule.text);
    if (!text.empty()) seen.emplace_back(text, i);
  }
  std::ranges::sort(seen);
  std::vector<uint32_t> repeated;
  for (size_t i = 1; i < seen.size(); ++i) {
    if (seen[i].first == seen[i - 1].first) repeated.push_back(seen[i].second);
  }
  std::ranges::sort(repeated);
  for (uint32_t i : repeated) {
    FieldPath item = list.Index(i);
    if (rule.text.empty()) {
      scope.errors.Duplicate(item, (*found)[i]);
    } else {
      scope.errors.Duplicate(item.Child(rule.text), (*found)[i].GetString(rule.text));
    }
  }
}

void Apply(const Rule& rule, Scope& scope) {
  const Value* found = rule.field.empty() ? &scope.object : scope.object.Find(rule.field);
  switch (rule.op) {
    case Rule::Op::kRequired:
      if (IsEmpty(found)) scope.errors.Required(scope.At(rule.field), rule.text);
      return;
    case Rule::Op::kFormat:
      if (!IsEmpty(found)) rule.format(scope.errors, scope.At(rule.field), TextOf(found));
      return;
    case Rule::Op::kEnum:
      return CheckEnum(rule, scope, found);
    case Rule::Op::kRange:
      return CheckRange(rule, scope, found);
    case Rule::Op::kMaxBytes:
      if (static_cast<int64_t>(TextOf(found).size()) > rule.most) scope.errors.TooLong(scope.At(rule.field), rule.most);
      return;
    case Rule::Op::kMaxItems:
      if (found && found->size() > rule.most) scope.errors.TooMany(scope.At(rule.field), found->size(), rule.most);
      return;
    case Rule::Op::kImmutable:
      return CheckImmutable(rule, scope, found);
    case Rule::Op::kForbiddenSet:
      if (!IsEmpty(found)) scope.errors.Forbidden(scope.At(rule.field), rule.text);
      return;
    case Rule::Op::kInto: {
      const bool there = found && found->is_object();
      if (!there && !rule.even_if_absent) return;
      const Value* former = scope.old ? scope.old->Find(rule.field) : nullptr;
      if (!former && scope.old && rule.even_if_absent) former = &kNothing;
      return Check(scope, rule.rules, scope.At(rule.field), there ? *found : kNothing, former);
    }
    case Rule::Op::kEach:
      return CheckEach(rule, scope, found);
    case Rule::Op::kEachFormat:
      return CheckEachFormat(rule, scope, found);
    case Rule::Op::kUnique:
      return CheckUnique(rule, scope, found);
    case Rule::Op::kCall:
      return rule.call(scope);
  }
}

// Whether there is something that the rule could find wrong.
bool Concerns(const Rule& rule, const Scope& scope) {
  const Value* found = scope.object.Find(rule.field);
  switch (rule.op) {
    case Rule::Op::kRequired:
    case Rule::Op::kForbiddenSet:
      return true;
    case Rule::Op::kImmutable:
      return scope.old != nullptr && (found != nullptr || scope.old->Find(rule.field) != nullptr);
    case Rule::Op::kUnique:
      return found != nullptr && found->size() > 1;
    default:
      return !IsEmpty(found);
  }
}

[[maybe_unused]] void Log(const Rule& rule, const Scope& scope, bool broken) {
  // What only leads to other rules is none itself.
  if (rule.op == Rule::Op::kInto || rule.op == Rule::Op::kEach || rule.op == Rule::Op::kCall) return;
  if (broken || Concerns(rule, scope)) registry::NoteRow(&rule, broken);
}

void Hold(Rules rules, Scope& scope) {
  for (const Rule& rule : rules) {
    const size_t before = scope.errors.size();
    Apply(rule, scope);
    if constexpr (registry::kRulesAreLogged) Log(rule, scope, scope.errors.size() > before);
  }
}

}  // namespace

int64_t Scope::Int(std::string_view field, int64_t absent) const {
  const Value* found = object.Find(field);
  return found && found->is_int() ? found->AsInt() : absent;
}

void Check(registry::WriteContext& context, Rules rules, const FieldPath& path, const Value& object, const Value* old,
           Errors& errors) {
  Scope scope{context, path, object, old, errors};
  Hold(rules, scope);
}

void Check(const Scope& parent, Rules rules, const FieldPath& path, const Value& object, const Value* old) {
  Scope scope{parent.context, path, object, old, parent.errors, &parent};
  Hold(rules, scope);
}

}  // namespace resources
