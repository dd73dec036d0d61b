// CBOR bodies against the schema: recorded bodies with the real server's texts, and the way back.
#include "schema/cbor.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "value/cbor.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace schema {
namespace {

using value::Arena;
using value::Value;

struct Recorded {
  std::string conversation, group, version, kind, body, outcome, text;
};

std::vector<Recorded> ReadRecorded() {
  std::vector<Recorded> all;
  std::ifstream file(std::string(FAIRLEAD_SOURCE_DIR) + "/tests/data/cbor/bodies.tsv");
  for (std::string line; std::getline(file, line);) {
    Recorded r;
    std::istringstream columns(line);
    std::string base64;
    for (std::string* column : {&r.conversation, &r.group, &r.version, &r.kind, &base64, &r.outcome, &r.text}) {
      std::getline(columns, *column, '\t');
    }
    absl::Base64Unescape(base64, &r.body);
    all.push_back(std::move(r));
  }
  return all;
}

TEST(ReadCbor, SaysOfRecordedBodiesWhatTheServerSaid) {
  std::vector<Recorded> all = ReadRecorded();
  ASSERT_GT(all.size(), 80u);
  for (const Recorded& r : all) {
    SCOPED_TRACE(r.conversation + " " + absl::BytesToHexString(r.body));
    Arena arena;
    auto kind = ReadCborKind(r.body, arena);
    if (r.outcome == "kind") {
      ASSERT_FALSE(kind);
      EXPECT_EQ(kind.error().message, r.text);
      continue;
    }
    ASSERT_TRUE(kind);
    const Type* type = FindKind(r.group, r.version, r.kind);
    ASSERT_TRUE(type);
    std::string unknown;
    auto document = ReadCbor(*type, r.body, arena, &unknown);
    auto decoded = document ? Decode(*type, *document, arena, nullptr) : document;
    if (r.outcome == "error") {
      ASSERT_FALSE(decoded);
      EXPECT_EQ(decoded.error().message, r.text);
    } else {
      ASSERT_TRUE(decoded) << decoded.error().message;
      EXPECT_EQ(unknown, r.text);
    }
  }
}

std::string Hex(std::string_view bytes) { return absl::BytesToHexString({bytes.data(), bytes.size()}); }

std::string ObjectJson(std::string_view hex) {
  Arena arena;
  std::string bytes = absl::HexStringToBytes({hex.data(), hex.size()});
  auto v = ReadCborObject(bytes, arena);
  return v ? value::ToJson(*v) : v.error().message;
}

TEST(ReadCborObject, ReadsWithoutSchema) {
  EXPECT_EQ(ObjectJson("a14161f93c00"), R"({"a":1})");
  EXPECT_EQ(ObjectJson("a161617818323030302d30312d30315430303a30303a30302e3530305a"),
            R"({"a":"2000-01-01T00:00:00.500Z"})");
  EXPECT_EQ(ObjectJson("a16161c11a386d4380"), R"({"a":"2000-01-01T00:00:00Z"})");
  EXPECT_EQ(ObjectJson("a16161d542fbff"), R"({"a":"-_8"})");
  EXPECT_EQ(ObjectJson("a16161d642fbff"), R"({"a":"+/8="})");
  EXPECT_EQ(ObjectJson("a16161d7824161d642fbff"), R"({"a":["61","+/8="]})");
  EXPECT_EQ(ObjectJson("bf61619f01ffff"), R"({"a":[1]})");
  EXPECT_EQ(ObjectJson("f6"), "null");
  EXPECT_EQ(ObjectJson("80"), "cbor: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(ObjectJson("a26161014161f5"), "cbor: found duplicate map key \"a\" at map element index 1");
  EXPECT_EQ(
      ObjectJson("a161611b8000000000000000"),
      "cbor: cannot unmarshal positive integer into Go value of type int64 (9223372036854775808 overflows Go's int64)");
  EXPECT_EQ(ObjectJson("a16161c06161"),
            "cbor: cannot set a for time.Time: parsing time \"a\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"a\" "
            "as \"2006\"");
  EXPECT_EQ(ObjectJson("a16161c001"), "cbor: tag number 0 must be followed by text string, got positive integer");
}

TEST(ReadCbor, KeepsFloatsOfCustomResourcesApart) {
  Arena arena;
  std::string bytes = absl::HexStringToBytes("a14161f93c00");
  EXPECT_EQ(ReadCborObject(bytes, arena)->Get("a").literal(), "1.0");
}

TEST(JsonToCbor, MarksBytesAndComesBack) {
  const Type* secret = FindKind("", "v1", "Secret");
  std::string json =
      R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":null},"data":{"k":"+/8="}})";
  std::string cbor;
  JsonToCbor(secret, json, cbor);
  EXPECT_TRUE(cbor.starts_with(value::kCborMark));
  EXPECT_NE(Hex(cbor).find("416bd642fbff"), std::string::npos) << Hex(cbor);
  Arena arena;
  std::string unknown, back;
  auto document = ReadCbor(*secret, cbor, arena, &unknown);
  ASSERT_TRUE(document);
  EXPECT_EQ(unknown, "");
  EncodeJson(*secret, *Decode(*secret, *document, arena, nullptr), back);
  EXPECT_EQ(back, json);
}

TEST(JsonToCbor, WithoutTypeStringsStayStrings) {
  std::string cbor;
  JsonToCbor(nullptr, R"({"data":{"k":"+/8="},"n":[1.5,-1,null,true,1e300]})", cbor);
  EXPECT_EQ(Hex(cbor), "d9d9f7a2416e85f93e0020f6f5fb7e37e43c8800759c4464617461a1416b442b2f383d");
}

}  // namespace
}  // namespace schema
