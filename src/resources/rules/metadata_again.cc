#include "resources/rules/metadata_again.h"

#include <utility>

#include "registry/metadata_rules.h"

namespace resources {
namespace {

void Finish(Scope& object, const registry::ObjectMeta& meta, api::FieldErrors errors) {
  if (object.context.resource.behaviour->strict_finalizers) registry::CheckStrictFinalizers(meta, errors);
  for (api::FieldError& error : errors) object.errors.Add(std::move(error));
}

}  // namespace

void CheckMetadataAgain(Scope& object) {
  const registry::ObjectMeta meta(object.object);
  const registry::Resource& resource = object.context.resource;
  api::FieldErrors errors;
  registry::CheckMetadata(meta, resource.namespaced, resource.behaviour->check_name, errors);
  Finish(object, meta, std::move(errors));
}

void CheckMetadataChange(Scope& object) {
  if (object.old == nullptr) return;
  const registry::ObjectMeta meta(object.object);
  api::FieldErrors errors;
  registry::CheckMetadataUpdate(meta, registry::ObjectMeta(*object.old), errors);
  Finish(object, meta, std::move(errors));
}

}  // namespace resources
