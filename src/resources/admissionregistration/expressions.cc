#include "resources/admissionregistration/expressions.h"

#include "absl/strings/ascii.h"

namespace resources::admissionregistration {

// The compiler of expressions comes in here; until it does, every expression passes.
void ExpressionChecker::Check(Errors&, const FieldPath&, const Expression&) {}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

}  // namespace resources::admissionregistration
