#include "schema/wire.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/go_field_name.h"
#include "schema/schema.h"
#include "value/arena.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace schema {
namespace {

using namespace std::string_view_literals;

TEST(WireTest, TellsBrokenEnvelopesAsTheRealServerDoes) {
  struct Case {
    std::string_view bytes;
    const char* error;
  };
  const Case cases[] = {
      {"", "empty data"},
      {"xxxx", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"},
      {"k8", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"},
      {"k8s\0"sv, "empty body"},
      {"k8s\0\xff\xff"sv, "unexpected EOF"},
      {"k8s\0\x12\x05zz"sv, "unexpected EOF"},
      {"k8s\0\x10\x05"sv, "proto: wrong wireType = 0 for field Raw"},
      {"k8s\0\x04"sv, "proto: Unknown: wiretype end group for non-group"},
      {"k8s\0\x02"sv, "proto: Unknown: illegal tag 0 (wire type 2)"},
      {"k8s\0\x0a\x02\x0a\x05"sv, "unexpected EOF"},
      {"k8s\0\x0a\x01\x04\x02"sv, "proto: TypeMeta: wiretype end group for non-group"},
      {"k8s\0\x0a\x02\x08\x01"sv, "proto: wrong wireType = 0 for field APIVersion"},
      {"k8s\0\x80\x80\x80\x80\x80\x01"sv, "proto: Unknown: illegal tag 0 (wire type 34359738368)"},
  };
  for (const Case& c : cases) {
    auto envelope = DecodeEnvelope(c.bytes);
    ASSERT_FALSE(envelope.has_value()) << c.error;
    EXPECT_EQ(envelope.error().message, c.error);
    EXPECT_EQ(envelope.error().code, 400);
  }
  auto envelope = DecodeEnvelope(
      "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
      "ConfigMap\x12\x02hi\x1a\x00\x22\x00"sv);
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->kind, "ConfigMap");
  EXPECT_EQ(envelope->message, "hi");
}

TEST(WireTest, ReadsMessages) {
  struct Case {
    const char* name;
    std::string_view kind, message;
    const char* result;  // the tree, or the error
  };
  const Case cases[] = {
      {"nothing", "ConfigMap", "", "{}"},
      {"unknown fields are skipped", "ConfigMap",
       "\xf8\x07\x01\xfa\x07\x01x\xfd\x07....\xf9\x07........\x0a\x03\x0a\x01"
       "a"sv,
       R"({"metadata":{"name":"a"}})"},
      {"unknown groups too", "ConfigMap", "\xfb\x07\x08\x01\xfc\x07\x0a\x00"sv, "{}"},
      {"group without end", "ConfigMap", "\xfb\x07\x08\x01"sv, "unexpected EOF"},
      {"repeated messages merge", "ConfigMap",
       "\x0a\x03\x0a\x01"
       "a\x0a\x03\x1a\x01"
       "b"sv,
       R"({"metadata":{"name":"a","namespace":"b"}})"},
      {"the last of equal keys", "ConfigMap",
       "\x12\x06\x0a\x01k\x12\x01"
       "1\x12\x06\x0a\x01k\x12\x01"
       "2"sv,
       R"({"data":{"k":"2"}})"},
      {"types in an entry", "ConfigMap", "\x12\x06\x08\x01k\x10\x01v"sv, R"({"data":{"k":"v"}})"},
      {"end of a group in an entry", "ConfigMap", "\x12\x01\x04"sv, "proto: unexpected end of group"},
      {"entry without value", "ConfigMap", "\x12\x03\x0a\x01k"sv, R"({"data":{"k":""}})"},
      {"wrong wire type", "ConfigMap", "\x08\x01"sv, "proto: wrong wireType = 0 for field ObjectMeta"},
      {"cut", "ConfigMap", "\x0a\x05zz"sv, "unexpected EOF"},
      {"negative length", "ConfigMap", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
       "proto: negative length found during unmarshaling"},
      {"overflow", "ConfigMap", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv, "proto: integer overflow"},
      {"end of no group", "ConfigMap", "\x0c"sv, "proto: ConfigMap: wiretype end group for non-group"},
      {"illegal wire type", "ConfigMap", "\xff\x07"sv, "proto: illegal wireType 7"},
      {"bytes", "Secret", "\x12\x07\x0a\x01k\x12\x02hi"sv, R"({"data":{"k":"aGk="}})"},
      {"length beyond every end", "ConfigMap", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"sv,
       "proto: negative length found during unmarshaling"},
      {"key behind its entry", "ConfigMap", "\x12\x02\x0a\x02\x12\x00"sv, R"({"data":{"":"","\u0012\u0000":""}})"},
      {"value behind its entry", "ConfigMap", "\x12\x04\x0a\x00\x12\x01\x07"sv,
       "proto: ConfigMap: illegal tag 0 (wire type 7)"},
      {"value behind the message", "ConfigMap", "\x12\x04\x0a\x00\x12\x01"sv, "unexpected EOF"},
      {"unknown field behind its entry", "ConfigMap", "\x12\x02\x18\x80\x00"sv, "unexpected EOF"},
      {"Go's own names", "ConfigMap", "\x0a\x02\x28\x01"sv, "proto: wrong wireType = 0 for field UID"},
      {"wrong type in a time", "ConfigMap", "\x0a\x04\x42\x02\x0a\x00"sv,
       "proto: wrong wireType = 2 for field Seconds"},
      {"more nanoseconds than a second has", "Lease", "\x12\x0a\x22\x08\x08\x01\x10\x80\xde\xa0\xcb\x05"sv,
       R"({"spec":{"renewTime":"1970-01-01T00:00:02.500000Z"}})"},
      {"nanoseconds before it", "Lease", "\x12\x0f\x22\x0d\x08\x01\x10\xa4\xf4\xff\xff\xff\xff\xff\xff\xff\x01"sv,
       R"({"spec":{"renewTime":"1970-01-01T00:00:00.999999Z"}})"},
      {"nanoseconds that nobody looks at", "ConfigMap", "\x0a\x0a\x42\x08\x08\x01\x10\x80\xde\xa0\xcb\x05"sv,
       R"({"metadata":{"creationTimestamp":"1970-01-01T00:00:01Z"}})"},
      {"end of a group in a time", "ConfigMap", "\x0a\x03\x42\x01\x0c"sv,
       "proto: Timestamp: wiretype end group for non-group"},
      {"wrong type in a port", "Service", "\x12\x06\x0a\x04\x22\x02\x18\x00"sv,
       "proto: wrong wireType = 0 for field StrVal"},
      {"port in two parts", "Service", "\x12\x0a\x0a\x08\x22\x02\x08\x00\x22\x02\x10\x50"sv,
       R"({"spec":{"ports":[{"targetPort":80}]}})"},
      {"wrong type in an amount", "ResourceQuota", "\x12\x06\x0a\x04\x12\x02\x08\x01"sv,
       "proto: wrong wireType = 0 for field String_"},
      {"the first wrong amount", "ResourceQuota", "\x12\x09\x0a\x07\x12\x05\x0a\x01x\x08\x01"sv,
       "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"wrong type in fields", "ConfigMap", "\x0a\x07\x8a\x01\x04\x3a\x02\x08\x01"sv,
       "proto: wrong wireType = 0 for field Raw"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    value::Arena arena;
    auto tree = DecodeWire(*FindKind(c.kind == "Lease" ? "coordination.k8s.io" : "", "v1", c.kind), c.message, arena);
    EXPECT_EQ(tree ? value::ToJson(*tree) : tree.error().message, c.result);
  }
}

TEST(WireTest, KnowsHowGoSpellsFields) {
  const auto name_of = [](std::string_view type, std::string_view field) {
    return GoFieldName(*FindType(type)->Own(field));
  };
  EXPECT_EQ(name_of("io.k8s.api.core.v1.PodSpec", "serviceAccount"), "DeprecatedServiceAccount");
  EXPECT_EQ(name_of("io.k8s.api.core.v1.PodSpec", "containers"), "Containers");
  EXPECT_EQ(name_of("io.k8s.api.core.v1.PodSpec", "dnsPolicy"), "DNSPolicy");
  EXPECT_EQ(name_of("io.k8s.api.core.v1.Pod", "metadata"), "ObjectMeta");
  EXPECT_EQ(name_of("io.k8s.api.core.v1.PodList", "metadata"), "ListMeta");
  EXPECT_EQ(GoFieldName(Field{.name = "made"}), "Made");
}

TEST(WireTest, BoundsDepth) {
  const Type& type = *FindType("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  value::Arena arena;
  value::Value schema = value::Value::Object(arena);
  for (uint32_t i = 1; i < kMaxDepth; ++i) {
    value::Value outer = value::Value::Object(arena);
    outer.Add(arena, "not", schema);
    schema = outer;
  }
  std::string wire;
  EncodeWire(type, schema, wire);
  EXPECT_TRUE(DecodeWire(type, wire, arena).has_value());
  value::Value outer = value::Value::Object(arena);
  outer.Add(arena, "not", schema);
  wire.clear();
  EncodeWire(type, outer, wire);
  auto tree = DecodeWire(type, wire, arena);
  ASSERT_FALSE(tree.has_value());
  EXPECT_EQ(tree.error().message, "exceeded max depth");
}

TEST(WireTest, RawExtensionsKeepTheirWhiteSpace) {
  std::string out;
  ASSERT_TRUE(JsonToWire(*FindKind("apps", "v1", "ControllerRevision"), R"({"data":{"a": 1}})", out).has_value());
  EXPECT_NE(out.find(R"({"a": 1})"), std::string::npos);
}

TEST(WireTest, RefusesJsonThatIsNone) {
  std::string out;
  EXPECT_FALSE(JsonToWire(*FindKind("", "v1", "Pod"), "{", out).has_value());
}

// A value of a map may go on behind its entry, and what follows is read from the end of the entry: a message of many
// such would say its own size many times.
TEST(WireTest, BoundsWhatIsReadAgain) {
  const std::string tail = "\x7a\xd0\x0f" + std::string(2000, 'x');  // a field that nobody knows
  const std::string entry = "\x12\x06\x0a\x01k\x12\xe8\x07";         // the value: the next 1000 bytes
  const auto read = [&](int entries) {
    std::string wire;
    for (int i = 0; i < entries; ++i) wire += entry;
    value::Arena arena;
    return DecodeWire(*FindKind("", "v1", "ConfigMap"), wire + tail, arena).has_value();
  };
  EXPECT_TRUE(read(50));
  EXPECT_FALSE(read(100));
}

// Together with the messages around it, what JSON there stands in a message is no deeper than JSON alone may be.
TEST(WireTest, BoundsTheNumberOfMessages) {
  const Type& type = *FindKind("", "v1", "ConfigMap");
  const auto kept = [&](uint32_t owners) {
    std::string metadata, wire;
    for (uint32_t i = 0; i < owners; ++i) metadata += std::string("\x6a\0", 2);  // ownerReferences, an empty one
    wire = "\x0a";
    for (size_t left = metadata.size();; left >>= 7) {
      wire += static_cast<char>((left & 127) | (left > 127 ? 128 : 0));
      if (left <= 127) break;
    }
    wire += metadata;
    value::Arena arena;
    return DecodeWire(type, wire, arena).has_value();
  };
  EXPECT_TRUE(kept(kMaxMessages - 2));  // with the object and its metadata
  EXPECT_FALSE(kept(kMaxMessages - 1));
}

TEST(WireTest, BoundsTheDepthOfJsonInMessages) {
  const Type& type = *FindKind("apps", "v1", "ControllerRevision");
  const auto kept = [&](size_t depth) {
    std::string json, wire;
    for (size_t i = 0; i < depth; ++i) json += R"({"a":)";
    json += "1" + std::string(depth, '}');
    value::Arena arena;
    const value::Value object = value::Value::Object(arena), raw = value::Value::Bytes(json);
    object.Add(arena, "data", raw);
    EncodeWire(type, object, wire);
    auto tree = DecodeWire(type, wire, arena);
    return tree && tree->Get("data").is_object();
  };
  EXPECT_TRUE(kept(value::kMaxEmbeddedDepth));
  EXPECT_FALSE(kept(value::kMaxEmbeddedDepth + 1));
}

}  // namespace
}  // namespace schema
