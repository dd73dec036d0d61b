// Any document is a configuration of each plugin or a refusal; what is read twice is read alike.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "admission/event_rate_limit.h"
#include "admission/pod_node_selector.h"
#include "admission/pod_security.h"
#include "admission/pod_toleration_restriction.h"
#include "admission/resource_quota.h"
#include "value/yaml_reader.h"

namespace {

template <class Options>
void Read(const value::Value& document) {
  const auto once = Options::Read(document), again = Options::Read(document);
  if (once.has_value() != again.has_value()) std::abort();
  if (!once && (once.error().message.empty() || once.error().message != again.error().message)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  value::Arena arena;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = value::ReadYaml(arena.CopyString(text), arena);
  if (!document) return 0;
  Read<admission::PodSecurityOptions>(*document);
  Read<admission::QuotaOptions>(*document);
  Read<admission::NodeSelectorOptions>(*document);
  Read<admission::TolerationOptions>(*document);
  Read<admission::EventLimitOptions>(*document);
  return 0;
}
