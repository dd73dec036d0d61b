// What a version of a custom resource definition must keep beside its schema: subresources, printer columns, selectable
// fields, deprecation. Pure; any thread. All over canonical trees.
#pragma once

#include "resources/rules/errors.h"

namespace resources::apiextensions {

void CheckDeprecation(Errors& errors, const FieldPath& version_path, const Value& version);
void CheckSubresources(Errors& errors, const FieldPath& path, const Value& subresources);
void CheckPrinterColumns(Errors& errors, const FieldPath& path, const Value& columns);
// `schema` describes the resource.
void CheckSelectableFields(Errors& errors, const FieldPath& path, const Value& fields, const Value& schema);

}  // namespace resources::apiextensions
