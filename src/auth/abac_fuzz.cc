// Any file of ABAC policies is read or refused.
#include <cstdint>
#include <string_view>

#include "auth/abac.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto abac = auth::Abac::Parse({reinterpret_cast<const char*>(data), size}, "policies");
  if (!abac) return 0;
  const api::User user{.name = "u", .groups = {"g"}};
  (*abac)->Authorize({.user = user, .verb = "get", .resource = "pods"}, false);
  (*abac)->Authorize({.user = user, .verb = "get", .is_resource_request = false, .path = "/version"}, false);
  return 0;
}
