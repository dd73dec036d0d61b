#include "auth/abac.h"

#include <algorithm>
#include <utility>

#include "auth/policy_rule.h"
#include "base/files.h"
#include "base/text.h"
#include "value/json_reader.h"

namespace auth {
namespace {

using base::Cat;
using base::Code;
using value::Value;

constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr size_t kLongestLine = 64 << 10;

bool IsOrAll(std::string_view wanted, std::string_view text) { return wanted == "*" || wanted == text; }

// Fails where a member is there and is of another type.
base::Result<std::string> Text(const Value& object, std::string_view member) {
  const Value* found = object.Find(member);
  if (found == nullptr || found->is_null()) return std::string();
  if (!found->is_string()) return base::Fail(Code::kInvalid, Cat(member, " must be a string"));
  return std::string(found->AsString());
}

}  // namespace

base::Result<Abac::Policy> Abac::ParsePolicy(std::string_view line) {
  value::Arena arena;
  const base::Result<Value> object = value::ReadJson(line, arena);
  if (!object) return std::unexpected(object.error());
  if (!object->is_object()) return base::Fail(Code::kInvalid, "a policy must be an object");
  const std::string_view version = object->GetString("apiVersion"), kind = object->GetString("kind");
  const bool versioned = version == "abac.authorization.kubernetes.io/v1beta1" && kind == "Policy";
  const Value spec = versioned ? object->Get("spec") : *object;
  Policy policy;
  const std::pair<std::string_view, std::string*> members[] = {
      {"user", &policy.user},          {"group", &policy.group},
      {"resource", &policy.resource},  {"namespace", &policy.namespace_name},
      {"apiGroup", &policy.api_group}, {"nonResourcePath", &policy.path}};
  for (const auto& [name, member] : members) {
    if (!versioned && (member == &policy.api_group || member == &policy.path)) continue;
    base::Result<std::string> text = Text(spec, name);
    if (!text) return std::unexpected(text.error());
    *member = *std::move(text);
  }
  if (const Value* read_only = spec.Find("readonly"); read_only != nullptr && !read_only->is_null()) {
    if (!read_only->is_bool()) return base::Fail(Code::kInvalid, "readonly must be true or false");
    policy.read_only = read_only->AsBool();
  }
  const bool nobody = policy.user.empty() && policy.group.empty();
  if (policy.user == "*" || policy.group == "*" || (!versioned && nobody)) {
    policy.group = kAuthenticated;
    policy.user.clear();
  }
  if (versioned) return policy;
  policy.api_group = "*";
  if (policy.namespace_name.empty() && policy.resource.empty()) policy.path = "*";
  if (policy.namespace_name.empty()) policy.namespace_name = "*";
  if (policy.resource.empty()) policy.resource = "*";
  return policy;
}

base::Result<std::unique_ptr<Abac>> Abac::Parse(std::string_view content, std::string_view path) {
  auto abac = std::make_unique<Abac>();
  for (size_t number = 1; !content.empty(); ++number) {
    const std::string_view line = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(content.size(), line.size() + 1));
    const std::string_view text = base::TrimSpace(line);
    if (text.empty() || text.starts_with('#')) continue;
    if (line.size() >= kLongestLine) {
      return base::Fail(Code::kInvalid, Cat("error reading policy file ", path, ": bufio.Scanner: token too long"));
    }
    base::Result<Policy> policy = ParsePolicy(text);
    if (!policy) {
      return base::Fail(Code::kInvalid, Cat("error reading policy file ", path, ", line ", number, ": ", line, ": ",
                                            policy.error().message));
    }
    abac->policies_.push_back(*std::move(policy));
  }
  return abac;
}

base::Result<std::unique_ptr<Abac>> Abac::Load(const std::string& path) {
  const base::Result<std::string> content = base::ReadFile(path);
  if (!content) return std::unexpected(content.error());
  return Parse(*content, path);
}

bool Abac::Policy::AppliesTo(const api::User& who) const {
  if (!user.empty() && user != who.name) return false;
  if (!group.empty() && !who.InGroup(group)) return false;
  return !user.empty() || !group.empty();
}

bool Abac::Policy::Allows(const Attributes& attributes) const {
  if (!AppliesTo(attributes.user)) return false;
  const std::string_view verb = attributes.verb;
  if (read_only && verb != "get" && verb != "list" && verb != "watch") return false;
  if (attributes.is_resource_request) {
    return IsOrAll(namespace_name, attributes.namespace_name) && IsOrAll(resource, attributes.resource) &&
           IsOrAll(api_group, attributes.group);
  }
  if (IsOrAll(path, attributes.path)) return true;
  if (!path.ends_with('*')) return false;
  return attributes.path.starts_with(std::string_view(path).substr(0, path.find_last_not_of('*') + 1));
}

Decision Abac::Authorize(const Attributes& attributes, bool) const {
  const bool allowed = std::ranges::any_of(policies_, [&](const Policy& policy) { return policy.Allows(attributes); });
  if (allowed) return {Decision::Outcome::kAllow, ""};
  return {Decision::Outcome::kNoOpinion, "No policy matched."};
}

void Abac::CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const {
  for (const Policy& policy : policies_) {
    if (!policy.AppliesTo(user) || !IsOrAll(policy.namespace_name, namespace_name)) continue;
    const std::vector<std::string> verbs =
        policy.read_only ? std::vector<std::string>{"get", "list", "watch"} : std::vector<std::string>{"*"};
    if (!policy.resource.empty()) {
      out.rules.push_back({.verbs = verbs, .groups = {policy.api_group}, .resources = {policy.resource}});
    }
    if (!policy.path.empty()) out.rules.push_back({.verbs = verbs, .urls = {policy.path}});
  }
}

}  // namespace auth
