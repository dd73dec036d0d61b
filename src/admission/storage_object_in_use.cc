#include "admission/storage_object_in_use.h"

#include <string_view>

#include "registry/object_meta.h"

namespace admission {

using value::Value;

void ProtectWhileInUse(const Value& object, bool is_claim, value::Arena& arena) {
  const std::string_view finalizer = is_claim ? "kubernetes.io/pvc-protection" : "kubernetes.io/pv-protection";
  registry::ObjectMeta meta(object, arena);
  if (meta.HasFinalizer(finalizer)) return;
  Value finalizers = meta.finalizers();
  if (!finalizers.is_array()) finalizers = Value::Array(arena, 1);
  finalizers.Append(arena, Value::String(finalizer));
  meta.Set("finalizers", finalizers);
}

}  // namespace admission
