// Any bytes as the message of any type: decoding never crashes, and encoding what it made is stable.
// Input: two bytes that choose the type, then the message; as an envelope where it begins like one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "schema/encode.h"
#include "schema/schema.h"
#include "schema/wire.h"
#include "value/arena.h"
#include "value/json_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  std::span<const schema::Type> types = schema::AllTypes();
  const schema::Type* type = &types[(data[0] | data[1] << 8) % types.size()];
  std::string_view message(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (auto envelope = schema::DecodeEnvelope(message)) {
    const schema::Type* kind = schema::FindKind("", envelope->api_version, envelope->kind);
    if (kind) type = kind;
    message = envelope->message;
  }
  if (!type->has_wire || type->special != schema::Special::kNone) return 0;
  value::Arena arena;
  auto tree = schema::DecodeWire(*type, message, arena);
  if (!tree) return 0;
  std::string wire;
  schema::EncodeWire(*type, *tree, wire);
  auto again = schema::DecodeWire(*type, wire, arena);
  if (!again) {
    std::fprintf(stderr, "%s: %s\n", std::string(type->name).c_str(), again.error().message.c_str());
    std::abort();
  }
  std::string same;
  schema::EncodeWire(*type, *again, same);
  if (wire != same) {
    std::fprintf(stderr, "%s: encoding is not stable\n", std::string(type->name).c_str());
    std::abort();
  }
  std::string json;
  schema::EncodeJson(*type, *tree, json);
  if (!value::ReadJson(json, arena)) {
    std::fprintf(stderr, "%s: no JSON: %s\n", std::string(type->name).c_str(), json.c_str());
    std::abort();
  }
  return 0;
}
