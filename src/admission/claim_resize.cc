#include "admission/claim_resize.h"

#include <string>

#include "api/quantity.h"

namespace admission {
namespace {

using value::Value;

api::Quantity Size(const Value& claim) {
  const Value text = claim.Get({"spec", "resources", "requests", "storage"});
  return text.is_string() ? api::Quantity::Parse(text.AsString()).value_or(api::Quantity()) : api::Quantity();
}

// The annotation counts before the field that replaced it.
std::string_view ClassOf(const Value& claim) {
  const Value annotations = claim.Get({"metadata", "annotations"});
  const Value* annotation = annotations.Find("volume.beta.kubernetes.io/storage-class");
  return annotation != nullptr ? annotation->AsString() : claim.Get("spec").GetString("storageClassName");
}

bool MayGrow(const Value& claim, const Value& old, FindStorageClass find) {
  const std::string_view name = ClassOf(claim);
  if (name.empty() || name != ClassOf(old)) return false;
  const Value allowed = find(name).Get("allowVolumeExpansion");
  return allowed.is_bool() && allowed.AsBool();
}

api::Result<> Refuse(const Value& claim, std::string_view why) {
  return api::Fail(
      api::Forbidden(std::string(why), {"", "persistentvolumeclaims"}, claim.Get("metadata").GetString("name")));
}

}  // namespace

api::Result<> AdmitResize(const Value& claim, const Value& old, FindStorageClass find) {
  if (Size(claim).Compare(Size(old)) <= 0) return {};
  if (old.Get("status").GetString("phase") != "Bound") {
    return Refuse(claim, "Only bound persistent volume claims can be expanded");
  }
  if (MayGrow(claim, old, find)) return {};
  return Refuse(claim,
                "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must "
                "support resize");
}

}  // namespace admission
