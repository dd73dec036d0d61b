#include "admission/policies/type_checker.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "admission/policies/type_declaration.h"
#include "api/group_version.h"
#include "base/text.h"
#include "cel/policy_environment.h"
#include "cel/program.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr size_t kMostTypes = 10;  // of one rule; there it ends for the whole policy

struct Kind {
  std::string_view group, version, kind;
  const schema::Type* type = nullptr;
  auto name() const { return std::tie(group, version, kind); }
};

// The words of a rule in order; none where one of them stands for several.
std::vector<std::string> Words(const Value& words, bool skips) {
  std::vector<std::string> sorted;
  for (const Value& word : words.items()) {
    const std::string_view text = word.AsString();
    if (text.contains('*') || (skips && text.contains('/'))) {
      if (!skips) return {};
      continue;
    }
    sorted.emplace_back(text);
  }
  std::ranges::sort(sorted);
  return sorted;
}

// The kinds of what is served under that name; the group without a name stands for any.
void FindKinds(const registry::ResourceTable& resources, std::string_view group, std::string_view version,
               std::string_view name, std::vector<Kind>& kinds) {
  const std::string wanted = base::ToLower(name);
  for (const registry::Resource* resource : resources.All()) {
    if (resource->version != version || (!group.empty() && resource->group != group)) continue;
    if (wanted != resource->plural && wanted != resource->singular) continue;
    kinds.push_back({resource->group, resource->version, resource->kind, resource->type});
  }
}

// In order, each once.
std::vector<Kind> KindsOf(const Value& rules, const registry::ResourceTable& resources) {
  std::vector<Kind> kinds;
  for (const Value& rule : rules.items()) {
    const auto groups = Words(rule.Get("apiGroups"), false), versions = Words(rule.Get("apiVersions"), false);
    const auto names = Words(rule.Get("resources"), true);
    const size_t before = kinds.size();
    bool full = false;
    for (const std::string& group : groups) {
      for (const std::string& version : versions) {
        for (const std::string& name : names) {
          if (!full) FindKinds(resources, group, version, name, kinds);
          full = full || kinds.size() - before >= kMostTypes;
        }
      }
    }
    if (!full) continue;
    kinds.resize(before + kMostTypes);
    break;
  }
  std::ranges::sort(kinds, {}, &Kind::name);
  const auto repeated = std::ranges::unique(kinds, {}, &Kind::name);
  kinds.erase(repeated.begin(), repeated.end());
  std::erase_if(kinds, [](const Kind& kind) { return kind.type == nullptr; });
  return kinds;
}

const schema::Type* ParameterType(const Value& kind, const registry::ResourceTable& resources) {
  const auto named = api::GroupVersion::Parse(kind.GetString("apiVersion"));
  if (!kind.is_object() || !named) return nullptr;
  const std::string_view name = kind.GetString("kind");
  if (const schema::Type* built_in = schema::FindKind(named->group, named->version, name)) return built_in;
  for (const registry::Resource* resource : resources.All()) {
    if (resource->group == named->group && resource->version == named->version && resource->kind == name) {
      return resource->type;
    }
  }
  return nullptr;
}

// The environment of the policy's expressions where its objects are of one kind.
std::shared_ptr<const cel::Environment> EnvironmentFor(const Kind& kind, const schema::Type* parameters,
                                                       std::string_view parameter_kind, const Value& variables) {
  const auto declarations = std::make_shared<cel::Declarations>();
  cel::PolicyTypes types;
  types.object = DeclareType(*declarations, *kind.type, kind.kind);
  // The two may be of one kind, and are two types all the same.
  if (parameters != nullptr) types.params = DeclareType(*declarations, *parameters, Cat(parameter_kind, "@params"));
  types.declarations = declarations;
  cel::PolicyEnvironment environment(std::move(types));
  size_t count = 0;
  for (const Value& variable : variables.items()) {
    if (count++ >= cel::kMostPolicyVariables) break;
    const auto checked = cel::Check(environment.Get(cel::kStoredExpressions, true), variable.GetString("expression"));
    environment.Add(variable.GetString("name"), checked ? &checked->type() : nullptr);
  }
  return environment.Get(cel::kStoredExpressions, true);
}

}  // namespace

std::vector<ExpressionWarning> CheckTypes(const Value& policy, const registry::ResourceTable& resources) {
  const Value spec = policy.Get("spec"), validations = spec.Get("validations");
  std::vector<ExpressionWarning> warnings;
  if (validations.empty()) return warnings;
  const std::vector<Kind> kinds = KindsOf(spec.Get("matchConstraints").Get("resourceRules"), resources);
  if (kinds.empty()) return warnings;
  const schema::Type* parameters = ParameterType(spec.Get("paramKind"), resources);
  std::vector<std::shared_ptr<const cel::Environment>> environments;
  for (const Kind& kind : kinds) {
    environments.push_back(
        EnvironmentFor(kind, parameters, spec.Get("paramKind").GetString("kind"), spec.Get("variables")));
  }
  const auto check = [&](std::string field, std::string_view expression) {
    std::vector<std::string> found;
    for (size_t i = 0; i < kinds.size(); ++i) {
      const auto checked = cel::Check(environments[i], expression);
      if (checked) continue;
      found.push_back(
          Cat(kinds[i].group, "/", kinds[i].version, ", Kind=", kinds[i].kind, ": ", checked.error(), "\n"));
    }
    if (!found.empty()) warnings.push_back({std::move(field), base::Join(found, "\n")});
  };
  for (size_t i = 0; i < validations.items().size(); ++i) {
    const Value validation = validations.items()[i];
    const std::string field = Cat("spec.validations[", i, "].");
    check(field + "expression", validation.GetString("expression"));
    const std::string_view message = validation.GetString("messageExpression");
    if (!message.empty()) check(field + "messageExpression", message);
  }
  return warnings;
}

}  // namespace admission
