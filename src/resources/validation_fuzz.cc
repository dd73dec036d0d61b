// Any document as an object of any built-in kind, created or put over another, through defaults, strategy and
// validation: no crash, bounded work.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/strategy.h"
#include "resources/builtin.h"
#include "schema/decode.h"
#include "value/json_reader.h"

namespace {

using registry::Resource;
using value::Arena;
using value::Value;

const registry::ResourceTable& Table() {
  static const registry::ResourceTableRef table = [] {
    const std::vector<resources::ApiResourceConfig::Setting> all = {{"api/all", "true"}};
    return resources::MakeBuiltinTable(resources::ApiResourceConfig::Make(all).value(), nullptr).value();
  }();
  return *table;
}

std::string_view TakeUntil(std::string_view& rest, char mark) {
  const size_t end = rest.find(mark);
  const std::string_view taken = rest.substr(0, end);
  rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  return taken;
}

// The object of a line, as the registry has it before the strategy sees it; nothing where it is not of the type.
std::optional<Value> ObjectOf(const Resource& resource, std::string_view line, Arena& arena) {
  auto read = value::ReadJson(line, arena);
  if (!read || !read->is_object()) return std::nullopt;
  auto object = schema::Decode(*resource.type, *read, arena, nullptr);
  if (!object) return std::nullopt;
  const Value* metadata = object->Find("metadata");
  if (metadata == nullptr || !metadata->is_object()) object->Set(arena, "metadata", Value::Object(arena, 1));
  resource.SetDefaults(*object, arena);
  return *object;
}

}  // namespace

// Input: "GROUP/VERSION/PLURAL/SUBRESOURCE", a line of the object, and for an update a line of the old one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::string_view head = TakeUntil(rest, '\n');
  const std::string_view group = TakeUntil(head, '/'), version = TakeUntil(head, '/'), plural = TakeUntil(head, '/');
  const Resource* resource = Table().Find(group, version, plural);
  if (resource == nullptr || resource->storage == nullptr || resource->converter != nullptr) return 0;
  if (!head.empty() && resource->FindSubresource(head) == nullptr) return 0;
  Arena arena;
  const auto object = ObjectOf(*resource, TakeUntil(rest, '\n'), arena);
  if (!object) return 0;
  const auto old = rest.empty() ? std::nullopt : ObjectOf(*resource, rest, arena);
  api::RequestContext request;
  request.info.verb = old ? "update" : "create";
  std::vector<std::string> warnings;
  registry::WriteContext context{request, *resource, arena, old ? head : "", "2027-01-15T08:00:00Z", warnings};
  const std::string_view in = resource->namespaced ? "ns" : "";
  if (old) {
    (void)registry::BeforeUpdate(context, *object, *old, in);
  } else {
    (void)registry::BeforeCreate(context, *object, in);
  }
  return 0;
}
