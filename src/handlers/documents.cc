#include "handlers/documents.h"

#include "schema/cbor.h"
#include "value/json_reader.h"
#include "value/json_writer.h"
#include "value/yaml_reader.h"
#include "value/yaml_writer.h"

namespace handlers {

base::Result<value::Value> ReadDocument(Encoding encoding, std::string_view text, value::Arena& arena,
                                        std::string* yaml_duplicates) {
  if (encoding == Encoding::kYaml) return value::ReadYaml(text, arena, yaml_duplicates);
  if (encoding != Encoding::kCbor) return value::ReadJson(text, arena);
  auto document = schema::ReadCborObject(text, arena);
  if (document) return *document;
  return base::Fail(base::Code::kInvalid, std::move(document.error().message));
}

base::Result<> WriteDocument(Encoding encoding, const schema::Type* type, std::string_view json, std::string& out) {
  if (encoding == Encoding::kJson) {
    out += json;
    return {};
  }
  if (encoding == Encoding::kCbor) {
    schema::JsonToCbor(type, json, out);
    return {};
  }
  value::Arena arena(json.size() * 4 + 1024);
  auto tree = value::ReadJson(json, arena);
  if (!tree) return std::unexpected(tree.error());
  value::WriteYaml(*tree, out);
  return {};
}

}  // namespace handlers
