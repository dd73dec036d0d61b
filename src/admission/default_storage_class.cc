#include "admission/default_storage_class.h"

namespace admission {

using value::Value;

namespace {

bool IsDefault(const Value& storage_class) {
  const Value annotations = storage_class.Get({"metadata", "annotations"});
  return annotations.GetString("storageclass.kubernetes.io/is-default-class") == "true" ||
         annotations.GetString("storageclass.beta.kubernetes.io/is-default-class") == "true";
}

}  // namespace

bool AsksForClass(const Value& claim) {
  return claim.Get({"metadata", "annotations"}).Find("volume.beta.kubernetes.io/storage-class") != nullptr ||
         claim.Get("spec").Find("storageClassName") != nullptr;
}

bool IsNewer(const Value& object, const Value& best) {
  const Value meta = object.Get("metadata"), best_meta = best.Get("metadata");
  const std::string_view made = meta.GetString("creationTimestamp"),
                         best_made = best_meta.GetString("creationTimestamp");
  // Times of one form compare as texts.
  return made == best_made ? meta.GetString("name") < best_meta.GetString("name") : made > best_made;
}

bool IsBetterDefault(const Value& storage_class, const Value& best) {
  return IsDefault(storage_class) && (!best.is_object() || IsNewer(storage_class, best));
}

void SetClass(const Value& claim, std::string_view name, value::Arena& arena) {
  if (name.empty()) return;
  if (!claim.Get("spec").is_object()) claim.Set(arena, "spec", Value::Object(arena));
  claim.Get("spec").Set(arena, "storageClassName", Value::Copy(arena, name));
}

}  // namespace admission
