#include <algorithm>
#include <array>

#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "resources/flowcontrol/flow_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::flowcontrol {
namespace {

constexpr int64_t kLastPrecedence = 10000;
constexpr std::array<std::string_view, 2> kDistinguishers = {"ByNamespace", "ByUser"};
constexpr std::array<std::string_view, 9> kVerbs = {"create", "delete", "deletecollection", "get",  "list",
                                                    "patch",  "proxy",  "update",           "watch"};
constexpr std::array<std::string_view, 3> kSubjectKinds = {"Group", "ServiceAccount", "User"};

// The member of a subject that its kind asks for; the others may not be there.
struct SubjectMember {
  std::string_view kind, field, required, forbidden;
};
constexpr SubjectMember kSubjectMembers[] = {
    {"ServiceAccount", "serviceAccount", "serviceAccount is required when subject kind is 'ServiceAccount'",
     "serviceAccount is forbidden when subject kind is not 'ServiceAccount'"},
    {"User", "user", "user is required when subject kind is 'User'",
     "user is forbidden when subject kind is not 'User'"},
    {"Group", "group", "group is required when subject kind is 'Group'",
     "group is forbidden when subject kind is not 'Group'"},
};

bool HasWildcard(const Value& list) {
  return std::ranges::any_of(list.items(), [](const Value& item) { return item.AsString() == "*"; });
}

void CheckServiceAccountName(Scope& account) {
  const std::string_view name = account.String("name");
  if (name != "*" && !name.empty()) kDnsSubdomain(account.errors, account.At("name"), name);
}

constexpr Rule kNamed[] = {Required("name")};
constexpr Rule kServiceAccount[] = {
    Required("name"),
    Call(CheckServiceAccountName),
    Required("namespace", "must specify namespace for service account"),
    Format("namespace", kDnsLabel),
};

void CheckSubject(Scope& subject) {
  const std::string_view kind = subject.String("kind");
  const auto own = std::ranges::find(kSubjectMembers, kind, &SubjectMember::kind);
  if (own == std::end(kSubjectMembers)) return subject.errors.NotSupported(subject.At("kind"), kind, kSubjectKinds);
  if (subject.Has(own->field)) {
    const bool account = own->field == "serviceAccount";
    Check(subject, account ? Rules(kServiceAccount) : Rules(kNamed), subject.At(own->field), subject.Get(own->field),
          nullptr);
  } else {
    subject.errors.Required(subject.At(own->field), own->required);
  }
  for (const SubjectMember& other : kSubjectMembers) {
    if (other.kind != kind && subject.Has(other.field)) {
      subject.errors.Forbidden(subject.At(other.field), other.forbidden);
    }
  }
}

void CheckVerbs(Scope& rule) {
  const Value verbs = rule.Get("verbs");
  const FieldPath path = rule.At("verbs");
  if (verbs.empty()) return rule.errors.Required(path, "verbs must contain at least one value");
  if (HasWildcard(verbs)) {
    if (verbs.size() > 1) rule.errors.Invalid(path, verbs, "if '*' is present, must not specify other verbs");
    return;
  }
  const auto known = [](const Value& verb) { return std::ranges::find(kVerbs, verb.AsString()) != kVerbs.end(); };
  if (!std::ranges::all_of(verbs.items(), known)) rule.errors.NotSupportedAs(path, PrintBadValue(verbs), kVerbs);
}

// A list with at least one item, of which "*" stands alone.
void CheckAllOrSome(Scope& rule, std::string_view field, std::string_view required, std::string_view alone) {
  const Value list = rule.Get(field);
  if (list.empty()) {
    rule.errors.Required(rule.At(field), required);
  } else if (list.size() > 1 && HasWildcard(list)) {
    rule.errors.Invalid(rule.At(field), list, alone);
  }
}

void CheckNamespaces(Scope& rule) {
  const Value list = rule.Get("namespaces"), cluster = rule.Get("clusterScope");
  const FieldPath path = rule.At("namespaces");
  if (list.empty() && !(cluster.is_bool() && cluster.AsBool())) {
    return rule.errors.Required(path, "resource rules that are not cluster scoped must supply at least one namespace");
  }
  if (HasWildcard(list)) {
    if (list.size() > 1) rule.errors.Invalid(path, list, "if '*' is present, must not specify other namespaces");
    return;
  }
  for (uint32_t i = 0; i < list.size(); ++i) {
    for (const std::string& complaint : api::CheckDns1123Label(list[i].AsString())) {
      rule.errors.Invalid(path.Index(i), list[i].AsString(),
                          base::Cat("each member of this list must be '*' or a DNS-1123 label; ", complaint));
    }
  }
}

void CheckResourceRule(Scope& rule) {
  CheckVerbs(rule);
  CheckAllOrSome(rule, "apiGroups", "resource rules must supply at least one api group",
                 "if '*' is present, must not specify other api groups");
  CheckAllOrSome(rule, "resources", "resource rules must supply at least one resource",
                 "if '*' is present, must not specify other resources");
  CheckNamespaces(rule);
}

// Why `url` is no path of a rule; "" where it is one.
std::string_view UrlComplaint(std::string_view url) {
  if (url.empty()) return "must not be empty";
  if (url == "/") return {};
  if (!url.starts_with('/')) return "must start with slash";
  if (url.contains(' ')) return "must not contain white-space";
  if (url.contains("//")) return "must not contain double slash";
  const auto stars = std::ranges::count(url, '*');
  if (stars > 1 || (stars == 1 && !url.ends_with("/*"))) return "wildcard can only do suffix matching";
  return {};
}

void CheckNonResourceRule(Scope& rule) {
  CheckVerbs(rule);
  const Value urls = rule.Get("nonResourceURLs");
  const FieldPath path = rule.At("nonResourceURLs");
  CheckAllOrSome(rule, "nonResourceURLs", "nonResourceURLs must contain at least one value",
                 "if '*' is present, must not specify other non-resource URLs");
  if (HasWildcard(urls)) return;
  for (uint32_t i = 0; i < urls.size(); ++i) {
    const std::string_view url = urls[i].AsString(), complaint = UrlComplaint(url);
    if (!complaint.empty()) rule.errors.Invalid(path.Index(i), url, complaint);
  }
}

void CheckHasRules(Scope& rule) {
  if (!rule.Get("resourceRules").empty() || !rule.Get("nonResourceRules").empty()) return;
  rule.errors.Required(rule.path, "at least one of resourceRules and nonResourceRules has to be non-empty");
}

void CheckDistinguisher(Scope& spec) {
  if (!spec.Has("distinguisherMethod")) return;
  const Value method = spec.Get("distinguisherMethod");
  if (std::ranges::find(kDistinguishers, method.GetString("type")) != kDistinguishers.end()) return;
  const FieldPath path = spec.At("distinguisherMethod");
  spec.errors.NotSupportedAs(path.Child("type"), value::ToJson(method), kDistinguishers);
}

void CheckPriorityLevel(Scope& spec) {
  const FieldPath level = spec.At("priorityLevelConfiguration");
  const std::string_view name = spec.Get("priorityLevelConfiguration").GetString("name");
  if (name.empty()) return spec.errors.Required(level.Child("name"), "must reference a priority level");
  kDnsSubdomain(spec.errors, level.Child("name"), name);
}

void CheckPrecedence(Scope& spec) {
  const int64_t precedence = spec.Int("matchingPrecedence");
  const FieldPath path = spec.At("matchingPrecedence");
  if (precedence <= 0) spec.errors.Invalid(path, precedence, "must be a positive value");
  if (precedence > kLastPrecedence) {
    spec.errors.Invalid(path, precedence, base::Cat("must not be greater than ", kLastPrecedence));
  }
  const std::string_view name = registry::ObjectMeta(spec.parent->object).name();
  if (precedence == 1 && name != "exempt") {
    spec.errors.Invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
}

constexpr Rule kSubject[] = {Call(CheckSubject)};
constexpr Rule kResourceRule[] = {Call(CheckResourceRule)};
constexpr Rule kNonResourceRule[] = {Call(CheckNonResourceRule)};
constexpr Rule kPolicyRule[] = {
    Required("subjects", "subjects must contain at least one value"),
    Each("subjects", kSubject),
    Call(CheckHasRules),
    Each("resourceRules", kResourceRule),
    Each("nonResourceRules", kNonResourceRule),
};
constexpr Rule kSpecRules[] = {
    Call(CheckPrecedence),
    Call(CheckDistinguisher),
    Call(CheckPriorityLevel),
    Each("rules", kPolicyRule),
};

void CheckSpec(Scope& schema) {
  const Value spec = schema.Get("spec");
  Check(schema, kSpecRules, schema.At("spec"), spec, nullptr);
  const std::string_view name = registry::ObjectMeta(schema.object).name();
  const Value fixed = MandatorySpec(schema.context, name);
  if (fixed.is_null()) return;
  const Value wanted = Value::Object(schema.context.arena, 1);
  wanted.Add(schema.context.arena, "spec", fixed);
  if (registry::SameAt(*schema.context.resource.type, "spec", schema.object, wanted)) return;
  schema.errors.InvalidAs(schema.At("spec"), base::Cat("flowcontrol.FlowSchemaSpec", value::ToJson(spec)),
                          base::Cat("spec of '", name, "' must equal the fixed value"));
}

constexpr Rule kRules[] = {Call(CheckSpec)};
constexpr Rule kStatus[] = {Call(CheckConditions)};
constexpr Rule kStatusRules[] = {Into("status", kStatus)};

}  // namespace

constinit const registry::StrategyTable kFlowSchemas = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kFull,
            .has_generation = true,
            .generation_of = kSpec,
            .resets = kStatusResets,
            .status_write_keeps = registry::kWholeMetadata,
        },
};

}  // namespace resources::flowcontrol
