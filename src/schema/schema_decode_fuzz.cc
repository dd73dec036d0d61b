// Any JSON as any type: decoding never crashes, and what is encoded can be decoded and stays the same.
// Input: two bytes that choose the type, then JSON.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/schema.h"
#include "schema/wire.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace {

void Check(bool holds, const char* what, std::string_view a, std::string_view b) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%.*s\n%.*s\n", what, static_cast<int>(a.size()), a.data(), static_cast<int>(b.size()),
               b.data());
  std::abort();
}

std::string Encoded(const schema::Type& type, const value::Value& tree) {
  std::string json;
  schema::EncodeJson(type, tree, json);
  return json;
}

// What is encoded must be readable and decodable.
std::string Again(const schema::Type& type, std::string_view json, value::Arena& arena) {
  auto read = value::ReadJson(json, arena);
  Check(read.has_value(), "encoded JSON cannot be read", json, "");
  auto tree = schema::Decode(type, *read, arena, nullptr);
  Check(tree.has_value(), "encoded JSON cannot be decoded", json, tree ? "" : tree.error().message);
  return Encoded(type, *tree);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  std::span<const schema::Type> types = schema::AllTypes();
  const schema::Type& type = types[(data[0] | data[1] << 8) % types.size()];
  if (type.special != schema::Special::kNone) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  value::Arena arena;
  auto document = value::ReadJson(text, arena, {.max_depth = 500});
  if (!document) return 0;
  schema::Findings findings;
  auto tree = schema::Decode(type, *document, arena, &findings);
  Check(findings.in_order.size() <= schema::kMaxFindings, "too many findings", "", "");
  if (!tree) {
    Check(!tree.error().message.empty(), "an error without a text", "", "");
    return 0;
  }
  // The first encoding may say null of what was set and has nothing to say; from then on nothing changes.
  std::string json = Encoded(type, *tree);
  std::string once = Again(type, json, arena), twice = Again(type, once, arena);
  Check(once == twice, "encoding is not stable", once, twice);
  if (!type.has_wire) return 0;
  std::string wire;
  schema::EncodeWire(type, *tree, wire);
  auto from_wire = schema::DecodeWire(type, wire, arena);
  Check(from_wire.has_value(), "encoded protobuf cannot be decoded", json, from_wire ? "" : from_wire.error().message);
  return 0;
}
