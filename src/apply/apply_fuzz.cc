// Any document as the live object, any as a strategic merge patch, an applied configuration and client-sent
// managedFields: no crash, and applying the same configuration twice changes nothing the second time.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apply/apply.h"
#include "apply/strategic_merge.h"
#include "schema/schema.h"
#include "value/json_reader.h"
#include "value/yaml_reader.h"

// Input: the live object, a newline, the patch.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  size_t newline = input.find('\n');
  if (newline == input.npos) return 0;
  value::Arena arena;
  base::Result<value::Value> live = value::ReadJson(input.substr(0, newline), arena);
  base::Result<value::Value> patch = value::ReadJson(input.substr(newline + 1), arena);
  if (!live || !patch || !live->is_object() || !patch->is_object()) return 0;
  const schema::Type& type = *schema::FindKind("apps", "v1", "Deployment");
  (void)apply::ApplyStrategicMerge(arena, type, *live, *patch);
  // The merge relies on live objects that fit their type, as stored ones do.
  if (live->Find("metadata") && !live->Get("metadata").is_object()) return 0;
  auto no_version = [](const value::Value&, std::string_view,
                       std::string_view) -> std::optional<apply::VersionedObject> { return std::nullopt; };
  apply::Writer writer{.manager = "fuzz", .api_version = "apps/v1", .subresource = {}, .now = "2020-01-01T00:00:00Z"};
  (void)apply::TrackUpdate(arena, type, *live, *patch, writer, false, no_version);
  // Configurations are YAML: no member stands twice in what is read.
  base::Result<value::Value> configuration = value::ReadYaml(input.substr(newline + 1), arena);
  if (!configuration || !configuration->is_object()) return 0;
  api::Result<apply::Applied> first =
      apply::Apply(arena, type, *live, *configuration, writer, {.force = true}, no_version);
  if (!first) return 0;
  api::Result<apply::Applied> again =
      apply::Apply(arena, type, first->object, *configuration, writer, {.force = true}, no_version);
  if (again && again->changed) std::abort();
  return 0;
}
