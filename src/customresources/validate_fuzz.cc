// Any schema and any object: two JSON documents, a line each. Compiling, decoding, defaulting and validating end, and
// do the same twice; what was decoded decodes to itself.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "customresources/compiled_schema.h"
#include "customresources/instance_rules.h"
#include "customresources/resource_type.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using value::Value;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t line = all.find('\n');
  if (line == std::string_view::npos) return 0;
  value::Arena arena;
  const schema::Type* props =
      schema::FindType("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  const auto schema = value::ReadJson(all.substr(0, line), arena, {.max_depth = 200});
  const auto object = value::ReadJson(all.substr(line + 1), arena, {.max_depth = 200});
  if (!schema || !object) return 0;
  const auto decoded_schema = schema::Decode(*props, *schema, arena, nullptr);
  if (!decoded_schema) return 0;
  customresources::SchemaCompiler compiler;
  const customresources::ResourceType type("e.com", "v1", "Thing", compiler.Compile(*decoded_schema));
  schema::Findings findings;
  const auto decoded = schema::Decode(type.type(), *object, arena, &findings);
  if (!decoded) return 0;
  std::string text, again;
  schema::EncodeJson(type.type(), *decoded, text);
  const auto twice = schema::Decode(type.type(), *decoded, arena, nullptr);
  if (!twice) std::abort();
  schema::EncodeJson(type.type(), *twice, again);
  if (text != again) std::abort();
  customresources::FillDefaults(arena, *decoded, type.root());
  const customresources::InstanceSchema instance{.schema = &type.root()};
  customresources::ErrorList errors, update;
  std::vector<std::string> warnings;
  customresources::CheckCreate(instance, *decoded, errors, warnings);
  customresources::CheckUpdate(instance, *decoded, *twice, update, warnings);
  return 0;
}
