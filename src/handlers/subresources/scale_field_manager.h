// ScaleFieldManager: who owns spec.replicas, told in the terms of a Scale and brought back to the object that was
// scaled. One write of a scale uses one on its thread; everything lives in the arena.
#pragma once

#include <string_view>

#include "apply/managed_fields.h"
#include "schema/schema.h"
#include "value/value.h"

namespace handlers {

class ScaleFieldManager {
 public:
  // `parent_fields` is the object's metadata.managedFields; `api_version` is what the object was scaled through,
  // `parent_path` where it has its replicas ("spec.replicas").
  ScaleFieldManager(const value::Value& parent_fields, std::string_view api_version, std::string_view parent_path,
                    value::Arena& arena);

  // managedFields of the Scale: those who own the replicas. Null if nobody does.
  value::Value OfScale() const;
  // The Scale's managedFields after `manager` wrote `updated` in place of `present`, which has OfScale().
  value::Value Track(const schema::Type& scale_type, const value::Value& present, const value::Value& updated,
                     std::string_view manager, std::string_view now) const;
  // managedFields of the object after the Scale's became `scale_fields`.
  value::Value OfParent(const value::Value& scale_fields) const;

 private:
  bool Owns(apply::Managers& managers, apply::Manager& manager, const apply::FieldSet* replicas) const;

  const value::Value parent_fields_;
  const std::string_view api_version_;
  value::Arena& arena_;
  const apply::FieldSet *const of_scale_, *const of_parent_;  // where the replicas are
};

}  // namespace handlers
