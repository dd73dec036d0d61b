#include "resources/admissionregistration/matching_rules.h"

#include <algorithm>

#include "api/group_version.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"

namespace resources::admissionregistration {
namespace {

constexpr int64_t kMostMatchConditions = 64;
constexpr std::array<std::string_view, 5> kOperations = {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
constexpr std::array<std::string_view, 4> kMutatingOperations = {"*", "CONNECT", "CREATE", "UPDATE"};
constexpr std::array<std::string_view, 3> kScopes = {"*", "Cluster", "Namespaced"};
constexpr std::array<std::string_view, 2> kNotFoundActions = {"Deny", "Allow"};

bool IsOneOf(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// A list of at least one, of which "*" stands alone.
void CheckAllOrSome(Scope& rule, std::string_view field, std::string_view alone, std::string_view go_type = "string") {
  const Value list = rule.Get(field);
  if (list.empty()) rule.errors.Required(rule.At(field));
  const auto wild = [](const Value& item) { return item.AsString() == "*"; };
  if (list.size() < 2 || std::ranges::none_of(list.items(), wild)) return;
  rule.errors.InvalidAs(rule.At(field), PrintListOf(go_type, list), alone);
}

// What was seen of a rule's resources on the way along the list. Only what stands after a wildcard is refused for it.
class ResourceList {
 public:
  ResourceList(Errors& errors, const FieldPath& path) : errors_(errors), path_(path) {}

  void Look(std::string_view resource, int64_t index) {
    const FieldPath at = path_.Index(index);
    if (resource.empty()) return errors_.Required(at);
    double_wildcard_ |= resource == "*/*";
    single_wildcard_ |= resource == "*";
    const size_t slash = resource.find('/');
    if (slash == resource.npos) {
      whole_resource_ = resource != "*";
      return;
    }
    const std::string_view whole = resource.substr(0, slash), part = resource.substr(slash + 1);
    if (all_parts_of_.contains(whole)) {
      errors_.Invalid(at, resource, base::Cat("if '", whole, "/*' is present, must not specify ", resource));
    }
    if (part_of_all_.contains(part)) {
      errors_.Invalid(at, resource, base::Cat("if '*/", part, "' is present, must not specify ", resource));
    }
    if (part == "*") all_parts_of_.insert(whole);
    if (whole == "*") part_of_all_.insert(part);
  }

  void Finish(const Value& list) {
    if (list.size() > 1 && double_wildcard_) {
      errors_.Invalid(path_, list, "if '*/*' is present, must not specify other resources");
    }
    if (single_wildcard_ && whole_resource_) {
      errors_.Invalid(path_, list, "if '*' is present, must not specify other resources without subresources");
    }
  }

 private:
  Errors& errors_;
  const FieldPath& path_;
  std::set<std::string_view> all_parts_of_, part_of_all_;
  bool double_wildcard_ = false, single_wildcard_ = false, whole_resource_ = false;
};

void CheckResources(Scope& rule) {
  const Value list = rule.Get("resources");
  const FieldPath path = rule.At("resources");
  if (list.empty()) rule.errors.Required(path);
  ResourceList resources(rule.errors, path);
  int64_t index = 0;
  for (const Value& resource : list.items()) resources.Look(resource.AsString(), index++);
  resources.Finish(list);
}

void CheckResourceNames(Scope& rule) {
  const FieldPath list = rule.At("resourceNames");
  std::set<std::string_view> seen;
  int64_t index = 0;
  for (const Value& item : rule.Get("resourceNames").items()) {
    const FieldPath at = list.Index(index++);
    const std::string_view name = item.AsString();
    PutComplaints(rule.errors, at, name, api::CheckPathSegment(name));
    if (!seen.insert(name).second) rule.errors.Duplicate(at, name);
  }
}

void CheckMatchCondition(Scope& list, const FieldPath& at, const Value& condition, ConditionOptions options) {
  const std::string_view whole = condition.GetString("expression"), text = Trimmed(whole);
  if (text.empty()) {
    list.errors.Required(at.Child("expression"));
  } else {
    const bool stored = options.stored != nullptr && options.stored->contains(whole);
    ExpressionChecker().Check(list.errors, at.Child("expression"),
                              {.kind = ExpressionKind::kMatchCondition,
                               .text = text,
                               .reported = text,
                               .has_params = options.has_params,
                               .stored = stored});
  }
  const std::string_view name = condition.GetString("name");
  if (name.empty()) return list.errors.Required(at.Child("name"));
  kQualifiedName(list.errors, at.Child("name"), name);
}

void CheckSelector(Scope& matching, std::string_view field) {
  if (!matching.Has(field)) return matching.errors.Required(matching.At(field));
  CheckLabelSelector(matching.errors, matching.At(field), matching.Get(field));
}

void CheckSelectors(Scope& matching) {
  CheckSelector(matching, "namespaceSelector");
  CheckSelector(matching, "objectSelector");
}

constexpr Rule kNamedRule[] = {Call(CheckResourceNames), Call(CheckRuleWithOperations)};

void CheckMatchPolicy(Scope& matching) {
  if (!matching.Has("matchPolicy")) matching.errors.Required(matching.At("matchPolicy"));
}

constexpr Rule kMatchResources[] = {
    Call(CheckMatchPolicy),
    EnumWhereSet("matchPolicy", kMatchPolicies),
    Call(CheckSelectors),
    Each("resourceRules", kNamedRule),
    Each("excludeResourceRules", kNamedRule),
};

// "group/version", or a version of the group "".
void CheckApiVersion(Errors& errors, const FieldPath& path, std::string_view text) {
  if (text.empty()) return errors.Required(path);
  const auto named = api::GroupVersion::Parse(text);
  if (!named) return errors.Invalid(path, text, base::Cat("unexpected GroupVersion string: ", text));
  const auto [group, version] = *named;
  const auto put = [&](std::string_view part, const api::Complaints& complaints) {
    std::string joined;
    for (const std::string& complaint : complaints) base::Append(joined, joined.empty() ? "" : ",", complaint);
    if (!joined.empty()) errors.Invalid(path, part, joined);
  };
  if (!group.empty()) put(group, api::CheckDns1123Subdomain(group));
  if (version.empty()) return errors.Invalid(path, text, "version must be specified");
  put(version, api::CheckDns1035Label(version));
}

void CheckParamRef(Scope& ref) {
  const std::string_view name = ref.String("name");
  const bool selects = ref.Has("selector");
  if (!name.empty()) {
    PutComplaints(ref.errors, ref.At("name"), name, api::CheckPathSegment(name));
    if (selects) ref.errors.Forbidden(ref.At("name"), "name and selector are mutually exclusive");
  }
  if (selects) {
    CheckLabelSelector(ref.errors, ref.At("selector"), ref.Get("selector"));
    if (!name.empty()) ref.errors.Forbidden(ref.At("selector"), "name and selector are mutually exclusive");
  }
  if (name.empty() && !selects) ref.errors.Required(ref.path, "one of name or selector must be specified");
}

constexpr Rule kParamRef[] = {Call(CheckParamRef), RequiredEnum("parameterNotFoundAction", kNotFoundActions)};
constexpr Rule kBoundPolicy[] = {Into("paramRef", kParamRef)};

}  // namespace

void CheckRuleWithOperations(Scope& rule) {
  CheckAllOrSome(rule, "operations", "if '*' is present, must not specify other operations",
                 "admissionregistration.OperationType");
  const FieldPath operations = rule.At("operations"), versions = rule.At("apiVersions");
  int64_t index = 0;
  for (const Value& item : rule.Get("operations").items()) {
    const FieldPath at = operations.Index(index++);
    if (!IsOneOf(kOperations, item.AsString())) rule.errors.NotSupported(at, item.AsString(), kOperations);
  }
  CheckAllOrSome(rule, "apiGroups", "if '*' is present, must not specify other API groups");
  CheckAllOrSome(rule, "apiVersions", "if '*' is present, must not specify other API versions");
  index = 0;
  for (const Value& item : rule.Get("apiVersions").items()) {
    const FieldPath at = versions.Index(index++);
    if (item.AsString().empty()) rule.errors.Required(at);
  }
  CheckResources(rule);
  static constexpr Rule kScope[] = {EnumWhereSet("scope", kScopes)};
  Check(rule, kScope, rule.path, rule.object, nullptr);
}

void CheckMatchResources(const Scope& scope, std::string_view field) {
  if (!scope.Has(field)) return;
  Check(scope, kMatchResources, scope.At(field), scope.Get(field), nullptr);
}

// The error stands at no rule.
void CheckMutatingOperations(Scope& scope, std::string_view field) {
  const FieldPath matching = scope.At(field);
  const FieldPath rules = matching.Child("resourceRules");
  for (const Value& rule : scope.Get({field, "resourceRules"}).items()) {
    for (const Value& operation : rule.Get("operations").items()) {
      if (IsOneOf(kMutatingOperations, operation.AsString())) continue;
      scope.errors.NotSupported(rules.Child("operations"), operation.AsString(), kMutatingOperations);
    }
  }
}

void CheckMatchConditions(Scope& scope, ConditionOptions options) {
  const Value conditions = scope.Get("matchConditions");
  const FieldPath list = scope.At("matchConditions");
  if (conditions.size() > kMostMatchConditions) scope.errors.TooMany(list, conditions.size(), kMostMatchConditions);
  std::set<std::string_view> names;
  for (uint32_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = list.Index(i);
    CheckMatchCondition(scope, at, conditions[i], options);
    const std::string_view name = conditions[i].GetString("name");
    if (!name.empty() && !names.insert(name).second) scope.errors.Duplicate(at.Child("name"), name);
  }
}

void CheckParamKind(Scope& spec) {
  if (!spec.Has("paramKind")) return;
  const FieldPath path = spec.At("paramKind");
  CheckApiVersion(spec.errors, path.Child("apiVersion"), spec.Get("paramKind").GetString("apiVersion"));
  const std::string_view kind = spec.Get("paramKind").GetString("kind");
  if (kind.empty()) return spec.errors.Required(path.Child("kind"));
  std::string joined;
  for (const std::string& complaint : api::CheckDns1035Label(base::ToLower(kind))) {
    base::Append(joined, joined.empty() ? "" : ",", complaint);
  }
  if (joined.empty()) return;
  spec.errors.Invalid(path.Child("kind"), kind, base::Cat("may have mixed case, but should otherwise match: ", joined));
}

void CheckBoundPolicy(Scope& spec) {
  const std::string_view name = spec.String("policyName");
  if (name.empty()) {
    spec.errors.Required(spec.At("policyName"));
  } else {
    kDnsSubdomain(spec.errors, spec.At("policyName"), name);
  }
  Check(spec, kBoundPolicy, spec.path, spec.object, nullptr);
  CheckMatchResources(spec, "matchResources");
}

}  // namespace resources::admissionregistration
