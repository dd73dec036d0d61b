#include "admission/policies/policy_parameters.h"

#include <string>

#include "admission/policies/policy_request.h"
#include "api/group_version.h"
#include "base/text.h"
#include "registry/registry.h"
#include "registry/stored_form.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

auto Broken(std::string message) { return base::Fail(base::Code::kInvalid, std::move(message)); }

// A tree of its own: it needs the cell no more.
Value Read(const registry::Resource& resource, const store::Cell& cell, value::Arena& arena) {
  if (!cell.readable() || registry::Waits(resource)) return {};
  const auto decoded = registry::DecodeStored(resource, cell, arena);
  return decoded ? AsShown(resource.type, *decoded, arena) : Value();
}

}  // namespace

base::Result<const registry::Resource*> FindParameterResource(const CompiledPolicy& policy,
                                                              const registry::ResourceTable& resources) {
  if (!policy.has_parameters) return nullptr;
  const auto named = api::GroupVersion::Parse(policy.parameter_api_version);
  if (!named) return Broken(Cat("failed to parse paramKind APIVersion: ", policy.parameter_api_version));
  for (const registry::Resource* resource : resources.All()) {
    if (resource->group != named->group || resource->version != named->version) continue;
    if (resource->kind == policy.parameter_kind && resource->storage != nullptr) return resource;
  }
  return Broken(Cat("failed to find resource referenced by paramKind: '", named->group, "/", named->version,
                    ", Kind=", policy.parameter_kind, "'"));
}

base::Result<std::vector<Value>> CollectParameters(const PolicyBinding& binding, const registry::Resource* resource,
                                                   MatchedRequest& request, store::Store& store) {
  if (resource == nullptr || !binding.parameters) return std::vector<Value>(1);
  const ParameterReference& reference = *binding.parameters;
  std::string prefix;
  if (resource->namespaced) {
    const std::string_view in =
        reference.namespace_name.empty() ? request.namespace_name() : std::string_view(reference.namespace_name);
    if (in.empty())
      return Broken("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    prefix = Cat(in, "/");
  } else if (!reference.namespace_name.empty()) {
    return Broken("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (!reference.broken.empty()) return Broken(reference.broken);

  value::Arena& arena = request.request().arena;
  const store::Snapshot snapshot = store.Latest(resource->storage->id);
  std::vector<Value> found;
  const auto add = [&](const store::Cell& cell) {
    const Value object = Read(*resource, cell, arena);
    if (object.is_object()) found.push_back(object);
    return object.is_object();
  };
  if (!reference.name.empty()) {
    const store::Cell* cell = snapshot.Get(prefix + reference.name);
    if (cell != nullptr && !add(*cell))
      return Broken(Cat("cannot read ", resource->plural, " \"", reference.name, "\""));
  } else if (reference.selector) {
    store::Scan scan = snapshot.Scan(prefix);
    while (const store::Cell* cell = scan.Next()) {
      if (!registry::Registry::Matches(*resource, *cell, *reference.selector, api::FieldSelector())) continue;
      if (found.size() >= kMostParameters)
        return Broken(Cat("more than ", std::to_string(kMostParameters), " parameters"));
      if (!add(*cell)) return Broken(Cat("cannot read ", resource->plural, " \"", cell->key(), "\""));
    }
  } else {
    return Broken("one of name or selector must be provided");
  }
  if (found.empty() && reference.denies_missing) {
    return Broken("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}

}  // namespace admission
