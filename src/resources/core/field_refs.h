// References from a container or a volume to fields of the pod and to resources of its containers (the downward API).
// Pure; any thread.
#pragma once

#include <span>
#include <string_view>

#include "resources/rules/rules.h"

namespace resources::core {

// Over an ObjectFieldSelector at `path`: one of `fields`, which are sorted, or a label or annotation by key.
void CheckFieldRef(Errors& errors, const FieldPath& path, const Value& ref, std::span<const std::string_view> fields);

struct ResourceFieldRefOptions {
  bool names_container = false;  // a volume says which container is meant
};
// Over a ResourceFieldSelector at `path`.
void CheckResourceFieldRef(Errors& errors, const FieldPath& path, const Value& ref,
                           ResourceFieldRefOptions options = {});

}  // namespace resources::core
