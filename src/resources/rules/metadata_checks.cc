#include "resources/rules/metadata_checks.h"

#include <utility>

#include "registry/metadata_rules.h"
#include "registry/object_meta.h"

namespace resources {
namespace {

void Put(Errors& errors, api::FieldErrors found) {
  for (api::FieldError& error : std::move(found).Take()) errors.Add(std::move(error));
}

}  // namespace

void CheckObjectMeta(Scope& object) {
  const registry::NameCheck check = object.context.resource.strategy->facts().check_name;
  CheckObjectMeta(object, check != nullptr ? *check : api::CheckPathSegment);
}

void CheckObjectMeta(Scope& object, registry::NameRule rule) {
  const registry::Resource& resource = object.context.resource;
  const registry::ObjectMeta meta(object.object);
  api::FieldErrors found;
  registry::CheckMetadata(meta, resource.namespaced, rule, found);
  if (resource.strategy->facts().strict_finalizers) registry::CheckStrictFinalizers(meta, found);
  Put(object.errors, std::move(found));
}

void CheckObjectMetaUpdate(Scope& object) {
  const registry::ObjectMeta meta(object.object);
  api::FieldErrors found;
  registry::CheckMetadataUpdate(meta, registry::ObjectMeta(*object.old), found);
  if (object.context.resource.strategy->facts().strict_finalizers) registry::CheckStrictFinalizers(meta, found);
  Put(object.errors, std::move(found));
}

}  // namespace resources
