#include "admission/default_ingress_class.h"

#include "admission/default_storage_class.h"
#include "registry/stored_form.h"
#include "store/cell.h"
#include "store/snapshot.h"

namespace admission {
namespace {

using value::Value;

constexpr std::string_view kGroup = "networking.k8s.io";

bool IsDefault(const Value& ingress_class) {
  const Value annotations = ingress_class.Get({"metadata", "annotations"});
  return annotations.GetString("ingressclass.kubernetes.io/is-default-class") == "true";
}

bool AsksForIngressClass(const Value& ingress) {
  const Value* field = ingress.Get("spec").Find("ingressClassName");
  return (field != nullptr && !field->is_null()) ||
         ingress.Get({"metadata", "annotations"}).Find("kubernetes.io/ingress.class") != nullptr;
}

}  // namespace

// The newest of those that are marked counts, then the first name; "" where none is.
std::string_view DefaultIngressClass::Find(value::Arena& arena) const {
  const registry::Resource* classes = resources_.Find(kGroup, "v1", "ingressclasses");
  if (classes == nullptr) return {};
  const store::Snapshot snapshot = store_.Latest(classes->storage->id);
  Value best;
  store::Scan scan = snapshot.Scan("", "");
  while (const store::Cell* cell = scan.Next()) {
    const auto decoded = registry::DecodeStored(*classes, *cell, arena);
    if (!decoded || !IsDefault(*decoded)) continue;
    if (!best.is_object() || IsNewer(*decoded, best)) best = value::DeepCopy(arena, *decoded);
  }
  return best.Get("metadata").GetString("name");
}

void DefaultIngressClass::Mutate(const registry::Resource& resource, std::string_view operation,
                                 std::string_view subresource, const Value& object, value::Arena& arena) const {
  const bool is_ingress = resource.group == kGroup && resource.plural == "ingresses";
  if (!is_ingress || operation != "CREATE" || !subresource.empty() || AsksForIngressClass(object)) return;
  const std::string_view name = Find(arena);
  if (name.empty()) return;
  if (!object.Get("spec").is_object()) object.Set(arena, "spec", Value::Object(arena));
  object.Get("spec").Set(arena, "ingressClassName", Value::Copy(arena, name));
}

}  // namespace admission
