#include "admission/parameter_rights.h"

#include <optional>
#include <string>
#include <utility>

#include "api/group_version.h"
#include "auth/find_stored.h"
#include "base/text.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kPrivileged = "system:masters";

// As Go prints what it knows of a user.
std::string Printed(const api::User& user) {
  std::string extra;
  for (const auto& [key, values] : user.extra) {
    base::Append(extra, extra.empty() ? "" : " ", key, ":[", base::Join(values, " "), "]");
  }
  return Cat("&{", user.name, " ", user.uid, " [", base::Join(user.groups, " "), "] map[", extra, "]}");
}

bool SameKind(const Value& one, const Value& other) {
  return one.GetString("apiVersion") == other.GetString("apiVersion") &&
         one.GetString("kind") == other.GetString("kind");
}

// Of a resource's own errors, the one that is said here.
api::Result<> Refuse(const registry::Resource& resource, const Value& object, std::string_view field,
                     std::string complaint) {
  const api::FieldErrors errors{
      {.type = api::FieldError::Type::kForbidden, .field = std::string(field), .detail = std::move(complaint)}};
  return api::Fail(api::Invalid({resource.storage->group, resource.storage->kind},
                                object.Get("metadata").GetString("name"), errors));
}

}  // namespace

struct ParameterRights::Kind {
  std::string_view group = "*", version = "*", resource = "*";
  bool parsed = false, resolved = false;
};

api::Result<> ParameterRights::Validate(AdmissionRequest& request) const {
  const registry::Resource& resource = request.resource;
  const api::User& user = request.call.request.user;
  if (resource.group != kGroup || !request.subresource.empty() || user.InGroup(kPrivileged)) return {};
  if (request.operation == registry::Operation::kDelete) return {};
  const Value& object = request.object;
  const Value* old = request.old;
  value::Arena& arena = request.arena;
  const Value spec = object.Get("spec");
  if (spec.Find("paramKind") != nullptr) {
    if (old != nullptr && SameKind(spec.Get("paramKind"), old->Get({"spec", "paramKind"}))) return {};
    std::string complaint = PolicyComplaint(request.call, spec.Get("paramKind"));
    if (!complaint.empty()) return Refuse(resource, object, "spec.paramKind", std::move(complaint));
  }
  // A binding is asked about with every change, also of something else.
  if (spec.Find("paramRef") != nullptr) {
    std::string complaint = BindingComplaint(request.call, resource, spec, arena);
    if (!complaint.empty()) return Refuse(resource, object, "spec.paramRef", std::move(complaint));
  }
  return {};
}

ParameterRights::Kind ParameterRights::Resolve(const registry::ResourceTable& resources, std::string_view api_version,
                                               std::string_view kind) {
  Kind found;
  const auto parsed = api::GroupVersion::Parse(api_version);
  if (!parsed) return found;
  found.group = parsed->group;
  found.version = parsed->version;
  found.parsed = true;
  for (const registry::Resource* resource : resources.All()) {
    if (resource->group != found.group || resource->version != found.version || resource->kind != kind) continue;
    found.resource = resource->plural;
    found.resolved = true;
    break;
  }
  return found;
}

std::string ParameterRights::PolicyComplaint(const registry::Call& call, const Value& param_kind) const {
  const api::User& user = call.request.user;
  const std::string_view api_version = param_kind.GetString("apiVersion"), name = param_kind.GetString("kind");
  const Kind kind = Resolve(call.resources, api_version, name);
  const auth::Attributes read_all{.user = user,
                                  .verb = "get",
                                  .namespace_name = "*",
                                  .group = kind.group,
                                  .version = kind.version,
                                  .resource = kind.resource,
                                  .name = "*"};
  if (authorizer_.Authorize(read_all).allowed()) return {};
  return Cat("user ", Printed(user),
             " must have \"get\" permission on all objects of the referenced paramKind (kind=", name,
             ", apiVersion=", api_version, ")");
}

std::string ParameterRights::BindingComplaint(const registry::Call& call, const registry::Resource& bindings,
                                              const Value& spec, value::Arena& arena) const {
  const api::User& user = call.request.user;
  const bool mutating = bindings.plural.starts_with("mutating");
  const std::string_view policy_name = spec.GetString("policyName");
  const registry::Resource* policies = call.resources.Find(
      kGroup, bindings.version, mutating ? "mutatingadmissionpolicies" : "validatingadmissionpolicies");
  const Value policy = auth::FindStored(store_, policies, policy_name, arena);
  const Value param_kind = policy.Get({"spec", "paramKind"});
  const std::string_view api_version = param_kind.GetString("apiVersion"), name = param_kind.GetString("kind");
  const Kind kind =
      param_kind.is_object() ? Resolve(call.resources, api_version, name) : Kind{.parsed = true, .resolved = true};

  const Value reference = spec.Get("paramRef");
  const std::string_view object_name = reference.GetString("name"), verb = object_name.empty() ? "list" : "get";
  const auth::Attributes read{.user = user,
                              .verb = verb,
                              .namespace_name = reference.GetString("namespace"),
                              .group = kind.group,
                              .version = kind.version,
                              .resource = kind.resource,
                              .name = object_name};
  if (authorizer_.Authorize(read).allowed()) return {};
  const std::string who = Printed(user);
  const auto unknown = [&](std::string_view what) {
    return Cat(what, " to determine minimum required permissions and user ", who, " does not have \"", verb,
               "\" permission for all groups, versions and resources");
  };
  if (!policy.is_object()) return unknown(Cat("unable to get policy ", policy_name));
  const std::string printed = Cat("&{", api_version, " ", name, "}");
  if (!kind.parsed) return unknown(Cat("unable to parse paramKind ", printed));
  if (!kind.resolved) return unknown(Cat("unable to resolve paramKind ", printed));
  // The real server has these two the other way round of one of the kinds.
  return Cat("user ", mutating ? verb : who, " does not have \"", mutating ? who : verb,
             "\" permission on the object referenced by paramRef");
}

}  // namespace admission
