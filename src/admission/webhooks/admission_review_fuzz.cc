// Foreign bytes as a webhook's answer: the first byte says to what.
#include <cstdint>
#include <string_view>

#include "admission/webhooks/admission_review.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool mutating = (data[0] & 1) != 0, older = (data[0] & 2) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  value::Arena arena;
  const auto answer = admission::ReadReview(text, older ? "v1beta1" : "v1", "u", mutating, arena);
  if (!answer) {
    if (answer.error().message.empty()) __builtin_trap();
    return 0;
  }
  if (!mutating && !answer->patch.empty()) __builtin_trap();
  if (answer->warnings.size() > 100) __builtin_trap();
  const api::Error error = admission::RefusalBy("w", answer->status);
  if (error.code < 400 || error.message.empty()) __builtin_trap();
  return 0;
}
