#include "handlers/documents.h"

#include "value/json_reader.h"
#include "value/json_writer.h"

#include "value/yaml_reader.h"
#include "value/yaml_writer.h"
#if __has_include("value/cbor.h")
#include "value/cbor.h"
#define FL_CBOR 1
#endif

namespace handlers {

base::Result<value::Value> ReadDocument(Encoding encoding, std::string_view text, value::Arena& arena,
                                        std::string* yaml_duplicates) {
  switch (encoding) {
    case Encoding::kYaml:
      return value::ReadYaml(text, arena, yaml_duplicates);
#ifdef FL_CBOR
    case Encoding::kCbor:
      return value::ReadCbor(text, arena);
#endif
    default:
      return value::ReadJson(text, arena);
  }
}

base::Result<> WriteDocument(Encoding encoding, std::string_view json, std::string& out) {
  if (encoding == Encoding::kJson) {
    out += json;
    return {};
  }
  value::Arena arena(json.size() * 4 + 1024);
  auto tree = value::ReadJson(json, arena);
  if (!tree) return std::unexpected(tree.error());
  if (encoding == Encoding::kYaml) value::WriteYaml(*tree, out);
#ifdef FL_CBOR
  if (encoding == Encoding::kCbor) value::WriteCbor(*tree, out);
#endif
  return {};
}

}  // namespace handlers
