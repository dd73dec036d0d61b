#include "admission/namespace_lifecycle.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "registry/json_scan.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using base::Cat;

constexpr std::string_view kImmortal[] = {"default", "kube-system", "kube-public"};

// Rights may be asked about in namespaces that do not exist.
constexpr std::string_view kReviews = "authorization.k8s.io";

}  // namespace

api::Result<> NamespaceLifecycle::Mutate(AdmissionRequest& request) const {
  const registry::Resource& resource = request.resource;
  if (request.operation == Operation::kDelete) {
    const bool immortal = std::ranges::find(kImmortal, request.key.name) != std::end(kImmortal);
    if (!immortal || !request.IsFor("", "namespaces")) return {};
    return api::Fail(api::Forbidden("this namespace may not be deleted", resource.group_resource(), request.key.name));
  }
  if (request.operation == Operation::kConnect) return {};
  const std::string_view name = request.key.namespace_name;
  // A namespace that is not even named is the object's own mistake.
  if (!resource.namespaced || name.empty() || resource.group == kReviews) return {};
  const registry::Resource* namespaces = resources_.Find("", "v1", "namespaces");
  if (namespaces == nullptr) return {};
  const store::Snapshot snapshot = store_.Latest(namespaces->storage->id);
  const store::Cell* cell = snapshot.Get(name);
  if (cell == nullptr) return api::Fail(api::NotFound(namespaces->group_resource(), name));
  if (request.operation != Operation::kCreate ||
      registry::PlainText(registry::FindJson(cell->bytes(), "status.phase")) != "Terminating") {
    return {};
  }
  api::Error error =
      api::Forbidden(Cat("unable to create new content in namespace ", name, " because it is being terminated"),
                     resource.group_resource(), request.key.name.empty() ? request.ShownName() : request.key.name);
  error.details.causes.push_back(
      {"NamespaceTerminating", Cat("namespace ", name, " is being terminated"), "metadata.namespace"});
  return api::Fail(std::move(error));
}

api::Result<> NamespaceExists::Validate(AdmissionRequest& request) const {
  const std::string_view name = request.key.namespace_name;
  const registry::Resource* namespaces = resources_.Find("", "v1", "namespaces");
  const bool connects = request.operation == Operation::kConnect;
  if (connects || namespaces == nullptr || !request.resource.namespaced || name.empty()) return {};
  const store::Snapshot snapshot = store_.Latest(namespaces->storage->id);
  if (snapshot.Get(name) != nullptr) return {};
  return api::Fail(api::NotFound(namespaces->group_resource(), name));
}

}  // namespace admission
