#include "registry/namespaces.h"

#include "base/text.h"
#include "registry/json_scan.h"

namespace registry {
namespace {

using base::Cat;

bool IsNamespaces(const Resource& resource) { return resource.group.empty() && resource.plural == "namespaces"; }

}  // namespace

Namespaces::Namespaces(const store::Store& store, const ResourceTable& resources)
    : store_(store), namespaces_(resources.FindEntry("", "v1", "namespaces")) {}

api::Result<> Namespaces::AdmitWrite(const Resource& resource, std::string_view namespace_name, std::string_view name,
                                     bool creating) const {
  // A namespace that is not even named is the object's own mistake.
  if (!resource.namespaced || namespaces_ == nullptr || namespace_name.empty()) return {};
  const store::Snapshot snapshot = store_.Latest(namespaces_->storage->id);
  const store::Cell* cell = snapshot.Get(namespace_name);
  if (cell == nullptr) return api::Fail(api::NotFound(namespaces_->group_resource(), namespace_name));
  if (!creating || PlainText(FindJson(cell->bytes(), "status.phase")) != "Terminating") return {};
  api::Error error = api::Forbidden(
      Cat("unable to create new content in namespace ", namespace_name, " because it is being terminated"),
      resource.group_resource(), name);
  error.details.causes.push_back(
      {"NamespaceTerminating", Cat("namespace ", namespace_name, " is being terminated"), "metadata.namespace"});
  return api::Fail(std::move(error));
}

api::Result<> Namespaces::AdmitDelete(const Resource& resource, std::string_view name) {
  const bool immortal = name == "default" || name == "kube-system" || name == "kube-public";
  if (!immortal || !IsNamespaces(resource)) return {};
  return api::Fail(api::Forbidden("this namespace may not be deleted", resource.group_resource(), name));
}

}  // namespace registry
