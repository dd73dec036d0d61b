// What the schema of a custom resource definition must keep, beyond its type: that it is structural, and what its
// keywords may say together. Called by the definition's rules. Pure; any thread; bounded by the schema's size.
#pragma once

#include "resources/apiextensions/expression_rules.h"
#include "resources/rules/errors.h"

namespace resources::apiextensions {

struct SchemaOptions {
  bool has_status = false;  // the resource has a status subresource: its schema is taken out of this one
  bool must_be_structural = true;
  ExpressionOptions expressions;
};

// Over a CustomResourceValidation at `path`, with `openAPIV3Schema`.
void CheckSchema(Errors& errors, const FieldPath& path, const Value& validation, const SchemaOptions& options);

}  // namespace resources::apiextensions
