#include "admission/refusal.h"

namespace admission {

std::unexpected<api::Error> Refuse(api::GroupResource resource, const value::Value& object, std::string_view why) {
  const value::Value metadata = object.Get("metadata");
  std::string_view name = metadata.GetString("name");
  if (name.empty()) name = metadata.GetString("generateName");
  return api::Fail(api::Forbidden(std::string(why), resource, name));
}

std::unexpected<api::Error> RefusePod(const value::Value& pod, std::string_view why) {
  return Refuse({"", "pods"}, pod, why);
}

}  // namespace admission
