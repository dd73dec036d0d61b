// Every pair of tests/data/roundtrip: JSON to the tree and back, wire to the tree and back, and across, to the byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/schema.h"
#include "schema/wire.h"
#include "value/arena.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace schema {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

struct Pair {
  std::string name;
  std::string json;  // compact
  std::string wire;
  const Type* type = nullptr;
};

void ReadPairs(std::vector<Pair>& pairs) {
  for (const auto& entry : std::filesystem::directory_iterator(FAIRLEAD_SOURCE_DIR "/tests/data/roundtrip")) {
    if (entry.path().extension() != ".json") continue;
    Pair pair;
    pair.name = entry.path().stem().string();
    value::CompactJson(ReadFile(entry.path()), pair.json);
    pair.wire = ReadFile(std::filesystem::path(entry.path()).replace_extension(".pb"));
    size_t kind = pair.name.rfind('.'), version = pair.name.rfind('.', kind - 1);
    std::string_view name = pair.name, group = name.substr(0, version);
    pair.type =
        FindKind(group == "core" ? "" : group, name.substr(version + 1, kind - version - 1), name.substr(kind + 1));
    ASSERT_NE(pair.type, nullptr) << pair.name;
    pairs.push_back(std::move(pair));
  }
}

TEST(RoundTripTest, JsonComesBackToTheByte) {
  size_t passed = 0;
  std::vector<Pair> pairs;
  ASSERT_NO_FATAL_FAILURE(ReadPairs(pairs));
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name);
    value::Arena arena;
    Findings findings;
    auto tree = Decode(*pair.type, *value::ReadJson(pair.json, arena), arena, &findings);
    ASSERT_TRUE(tree.has_value()) << tree.error().message;
    EXPECT_TRUE(findings.in_order.empty()) << findings.in_order.front();
    std::string json;
    EncodeJson(*pair.type, *tree, json);
    EXPECT_EQ(json, pair.json);
    passed += json == pair.json;
  }
  std::cout << passed << " of " << pairs.size() << " pairs round-trip as JSON\n";
  EXPECT_GE(passed, 124u);
}

TEST(RoundTripTest, WireComesBackToTheByte) {
  size_t passed = 0;
  std::vector<Pair> pairs;
  ASSERT_NO_FATAL_FAILURE(ReadPairs(pairs));
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name);
    value::Arena arena;
    auto envelope = DecodeEnvelope(pair.wire);
    ASSERT_TRUE(envelope.has_value()) << envelope.error().message;
    auto tree = DecodeWire(*pair.type, envelope->message, arena);
    ASSERT_TRUE(tree.has_value()) << tree.error().message;
    std::string wire;
    EncodeEnvelope(*pair.type, envelope->api_version, envelope->kind, *tree, wire);
    EXPECT_TRUE(wire == pair.wire);
    passed += wire == pair.wire;
  }
  std::cout << passed << " of " << pairs.size() << " pairs round-trip as protobuf\n";
  EXPECT_GE(passed, 124u);
}

TEST(RoundTripTest, JsonAndWireAreTheSameObject) {
  size_t passed = 0;
  std::vector<Pair> pairs;
  ASSERT_NO_FATAL_FAILURE(ReadPairs(pairs));
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name);
    value::Arena arena;
    auto envelope = DecodeEnvelope(pair.wire);
    auto from_wire = DecodeWire(*pair.type, envelope->message, arena);
    ASSERT_TRUE(from_wire.has_value()) << from_wire.error().message;
    auto from_json = Decode(*pair.type, *value::ReadJson(pair.json, arena), arena, nullptr);
    ASSERT_TRUE(from_json.has_value()) << from_json.error().message;
    std::string wire, json;
    EncodeEnvelope(*pair.type, envelope->api_version, envelope->kind, *from_json, wire);
    if (const Field* kind = pair.type->Member("kind"); kind && from_json->Find("kind")) {
      from_wire->Set(arena, "kind", from_json->Get("kind"));
      from_wire->Set(arena, "apiVersion", from_json->Get("apiVersion"));
    }
    EncodeJson(*pair.type, *from_wire, json);
    EXPECT_TRUE(wire == pair.wire);
    EXPECT_EQ(json, pair.json);
    std::string direct;
    ASSERT_TRUE(JsonToWire(*pair.type, json, direct).has_value());
    EXPECT_TRUE(direct == envelope->message);
    passed += wire == pair.wire && json == pair.json;
  }
  std::cout << passed << " of " << pairs.size() << " pairs are the same object in both forms\n";
  EXPECT_GE(passed, 124u);
}

TEST(RawExtension, StaysAsItWasSentOnOneLine) {
  struct {
    const char *name, *sent, *written;
  } cases[] = {
      {"compact", R"({"a":[1,2.0],"b":"x y"})", R"({"a":[1,2.0],"b":"x y"})"},
      {"spaces", R"({"a": [1, 2]})", R"({"a": [1, 2]})"},
      {"lines", "{\n\t\"a\":1\n}", R"({  "a":1 })"},
      {"escapes", R"({"\u00e4":"\/","b":-0,"c":"<"})", R"({"\u00e4":"\/","b":-0,"c":"<"})"},
      {"no container", " 1 ", "1"},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    std::string written, without_source;
    AppendRawExtension(*value::ReadJson(c.sent, arena), written);
    EXPECT_EQ(written, c.written) << c.name;
    AppendRawExtension(*value::ReadJson(c.sent, arena, {.keep_source = false}), without_source);
    EXPECT_EQ(without_source.find("[1, 2]"), std::string::npos) << c.name;
  }
}

TEST(RawExtension, IsShownWithoutItsWhiteSpaceAndSafeInHtml) {
  value::Arena arena;
  std::string shown;
  AppendShownRawExtension(*value::ReadJson("{ \"\\u00e4\" : [\"a \\\" b\", -0 ,1.0],\n\"<\":\"&\u2028\" }", arena),
                          shown);
  EXPECT_EQ(shown, R"({"\u00e4":["a \" b",-0,1.0],"\u003c":"\u0026\u2028"})");
}

}  // namespace
}  // namespace schema
