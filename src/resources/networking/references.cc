#include "resources/networking/references.h"

#include "resources/rules/field_checks.h"

namespace resources::networking {

void CheckSegment(Scope& reference, std::string_view field, std::string_view missing) {
  const std::string_view text = reference.String(field);
  if (text.empty()) return reference.errors.Required(reference.At(field), missing);
  PutComplaints(reference.errors, reference.At(field), text, api::CheckPathSegment(text));
}

void CheckTypedReference(Scope& reference) {
  if (reference.Has("apiGroup")) {
    kDnsSubdomain(reference.errors, reference.At("apiGroup"), reference.String("apiGroup"));
  }
  CheckSegment(reference, "kind", "kind is required");
  CheckSegment(reference, "name", "name is required");
}

}  // namespace resources::networking
