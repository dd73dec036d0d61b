// Declarations made of types: what expressions know of an object where they are checked against its kind. As the API
// server makes them of its OpenAPI definitions: amounts and values of any kind are not declared at all, and neither are
// lists and maps of them. Pure; linear in the type with everything that it refers to, each time that it does.
#pragma once

#include <string_view>

#include "cel/declaration.h"
#include "schema/schema.h"

namespace admission {

// `type` of a kind, built in or of a custom resource; `name` names its object type. Types below themselves end as
// objects without fields.
const cel::Declaration* DeclareType(cel::Declarations& declarations, const schema::Type& type, std::string_view name);

}  // namespace admission
