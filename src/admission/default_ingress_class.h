// DefaultIngressClass: an ingress that asks for no class is given the one that is marked as default. Pure; any thread.
#pragma once

#include <string_view>

#include "value/value.h"

namespace admission {

// Whether an ingress says of which class it is, in the field or in the annotation before it.
bool AsksForIngressClass(const value::Value& ingress);

// Whether an IngressClass is marked as the default. Of several the newest counts (IsNewer).
bool IsDefaultIngressClass(const value::Value& ingress_class);

// Makes the ingress one of class `name`; "" leaves it as it is.
void SetIngressClass(const value::Value& ingress, std::string_view name, value::Arena& arena);

}  // namespace admission
