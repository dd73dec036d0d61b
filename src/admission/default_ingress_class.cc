#include "admission/default_ingress_class.h"

namespace admission {

using value::Value;

bool AsksForIngressClass(const Value& ingress) {
  const Value* field = ingress.Get("spec").Find("ingressClassName");
  return (field != nullptr && !field->is_null()) ||
         ingress.Get({"metadata", "annotations"}).Find("kubernetes.io/ingress.class") != nullptr;
}

bool IsDefaultIngressClass(const Value& ingress_class) {
  const Value annotations = ingress_class.Get({"metadata", "annotations"});
  return annotations.GetString("ingressclass.kubernetes.io/is-default-class") == "true";
}

void SetIngressClass(const Value& ingress, std::string_view name, value::Arena& arena) {
  if (name.empty()) return;
  if (!ingress.Get("spec").is_object()) ingress.Set(arena, "spec", Value::Object(arena));
  ingress.Get("spec").Set(arena, "ingressClassName", Value::Copy(arena, name));
}

}  // namespace admission
