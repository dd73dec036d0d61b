#include "admission/owner_references.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "registry/resource_table.h"
#include "value/quote.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

Value OwnersOf(const Value& object) { return object.Get({"metadata", "ownerReferences"}); }

bool Blocks(const Value& owner) {
  const Value blocks = owner.Get("blockOwnerDeletion");
  return blocks.is_bool() && blocks.AsBool();
}

bool ChangesOwners(const AdmissionRequest& request) {
  const Value owners = OwnersOf(request.object);
  if (request.old == nullptr) return !owners.empty();
  const Value before = OwnersOf(*request.old);
  return !std::ranges::equal(owners.items(), before.items(), value::Equal);
}

// The owners whose deletion the object holds up from now on.
std::vector<Value> NewlyBlocked(const AdmissionRequest& request) {
  std::map<std::string_view, Value> before;
  if (request.old != nullptr) {
    for (const Value& owner : OwnersOf(*request.old).items()) before[owner.GetString("uid")] = owner;
  }
  std::vector<Value> blocked;
  for (const Value& owner : OwnersOf(request.object).items()) {
    const auto was = before.find(owner.GetString("uid"));
    if (Blocks(owner) && (was == before.end() || !Blocks(was->second))) blocked.push_back(owner);
  }
  return blocked;
}

std::unexpected<api::Error> Refuse(const AdmissionRequest& request, std::string why) {
  const std::string_view name = request.key.name.empty() ? request.ShownName() : request.key.name;
  return api::Fail(api::Forbidden(std::move(why), request.resource.group_resource(), name));
}

}  // namespace

api::Result<> OwnerReferences::Validate(AdmissionRequest& request) const {
  const bool creates = request.operation == Operation::kCreate;
  if (!creates && request.operation != Operation::kUpdate) return {};
  // Old kubelets spoil the owners in a pod's status; what they send of them is not taken.
  if (request.IsFor("", "pods") && request.subresource == "status") return {};
  if (!ChangesOwners(request) || !right_) return {};
  const api::User& user = request.call.request.user;
  if (!creates) {
    const auto decision = right_(user, {.is_resource = true,
                                        .group = request.resource.group,
                                        .resource = request.resource.plural,
                                        .subresource = request.subresource,
                                        .namespace_name = request.key.namespace_name,
                                        .name = request.key.name,
                                        .verb = "delete"});
    if (!decision.allowed) {
      return Refuse(request,
                    Cat("cannot set an ownerRef on a resource you can't delete: ", decision.reason, ", <nil>"));
    }
  }
  const std::vector<Value> blocked = NewlyBlocked(request);
  if (blocked.empty()) return {};
  const auto may_finalize = [&](std::string_view group, std::string_view plural, std::string_view in,
                                std::string_view name) {
    return right_(user, {.is_resource = true,
                         .group = group,
                         .resource = plural,
                         .subresource = "finalizers",
                         .namespace_name = in,
                         .name = name,
                         .verb = "update"});
  };
  if (may_finalize("*", "*", "", "*").allowed) return {};
  for (const Value& owner : blocked) {
    const std::string_view version = owner.GetString("apiVersion"), kind = owner.GetString("kind");
    bool known = false;
    for (const registry::Resource* resource : request.call.resources.All()) {
      const std::string own =
          resource->group.empty() ? resource->version : Cat(resource->group, "/", resource->version);
      if (resource->kind != kind || own != version) continue;
      known = true;
      const auto decision =
          may_finalize(resource->group, resource->plural, resource->namespaced ? request.key.namespace_name : "",
                       owner.GetString("name"));
      if (!decision.allowed) {
        return Refuse(request, Cat("cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't "
                                   "set finalizers on: ",
                                   decision.reason, ", <nil>"));
      }
    }
    if (!known) {
      return Refuse(
          request,
          Cat("cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ", version,
              " Kind ", kind, ": no matches for kind ", value::Quote(kind), " in version ", value::Quote(version)));
    }
  }
  return {};
}

}  // namespace admission
