// CBOR: the check, the cursor and the writer.
#include "value/cbor.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "value/json_reader.h"

namespace value {
namespace {

std::string FromHex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

std::string ToHex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

std::string Checked(std::string_view hex, const CborLimits& limits = {}) {
  auto good = CheckCbor(FromHex(hex), limits);
  return good ? "good" : good.error().message;
}

TEST(CheckCbor, SaysWhatIsIllFormed) {
  struct {
    std::string hex, want;
  } cases[] = {
      {"", "EOF"},
      {"a1", "unexpected EOF"},
      {"42ff", "unexpected EOF"},
      {"19ff", "unexpected EOF"},
      {"c1", "unexpected EOF"},
      {"ff", "cbor: unexpected \"break\" code"},
      {"bf01ff", "cbor: unexpected \"break\" code"},
      {"1c", "cbor: invalid additional information 28 for type positive integer"},
      {"1f", "cbor: invalid additional information 31 for type positive integer"},
      {"f818", "cbor: invalid simple value 24 for type primitives"},
      {"0000", "cbor: 1 bytes of extraneous data starting at index 1"},
      {"f97e00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN"},
      {"fa7f800000", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity"},
      {"c24101", "cbor: data item of cbor type tag is not accepted by protocol: bignum"},
      {"5f6161ff", "cbor: wrong element type UTF-8 text string for indefinite-length byte string"},
      {"5f5fffff", "cbor: indefinite-length byte string chunk is not definite-length"},
      {"5bffffffffffffffff", "cbor: byte string length 18446744073709551615 is too large, causing integer overflow"},
      {"9bffffffffffffffff", "cbor: array length 18446744073709551615 is too large, it would cause integer overflow"},
      {"990401", "cbor: exceeded max number of elements 1024 for CBOR array"},
      {"b90401", "cbor: exceeded max number of key-value pairs 1024 for CBOR map"},
      {"d9d9f7a2416101616242ffff", "good"},
      {"bf6161019f02ff9f03ffff", "good"},
  };
  for (const auto& c : cases) EXPECT_EQ(Checked(c.hex), c.want) << c.hex;
}

TEST(CheckCbor, BoundsDepth) {
  std::string deep;
  for (int i = 0; i < 64; ++i) deep += "81";
  EXPECT_EQ(Checked(deep + "00"), "good");
  EXPECT_EQ(Checked("81" + deep + "00"), "cbor: exceeded max nested level 64");
  EXPECT_EQ(Checked("818100", {.max_depth = 1}), "cbor: exceeded max nested level 1");
  EXPECT_EQ(Checked("820000", {.max_items = 1}), "cbor: exceeded max number of elements 1 for CBOR array");
  EXPECT_EQ(Checked("9f0000ff", {.max_items = 1}), "cbor: exceeded max number of elements 1 for CBOR array");
}

TEST(CborCursor, SkipsWholeItems) {
  for (std::string hex : {"00", "390100", "426162", "7f61616162ff", "83010243616263", "bf6161820102ff",
                          "d9d9f7c1fb3ff8000000000000", "f6"}) {
    std::string bytes = FromHex(hex);
    CborCursor cursor(bytes);
    cursor.Skip();
    EXPECT_EQ(cursor.position(), bytes.data() + bytes.size()) << hex;
  }
}

TEST(WriteCbor, WritesShortestForms) {
  struct {
    std::string json, want;
  } cases[] = {
      {"0", "00"},
      {"23", "17"},
      {"24", "1818"},
      {"256", "190100"},
      {"65536", "1a00010000"},
      {"4294967296", "1b0000000100000000"},
      {"-1", "20"},
      {"-9223372036854775808", "3b7fffffffffffffff"},
      {"1.5", "f93e00"},
      {"1.0", "f93c00"},
      {"-0.5", "f9b800"},
      {"5.960464477539063e-8", "f90001"},
      {"0.00006097555160522461", "f903ff"},
      {"65504.0", "f97bff"},
      {"65505.0", "fa477fe100"},
      {"1.1", "fb3ff199999999999a"},
      {"\"\"", "40"},
      {"\"a\"", "4161"},
      {"[true,false,null]", "83f5f4f6"},
      {R"({"bb":1,"a":2,"c":3,"a":4})", "a341610441630342626201"},
  };
  for (const auto& c : cases) {
    Arena arena;
    std::string out;
    WriteCbor(*ReadJson(c.json, arena), out);
    EXPECT_EQ(ToHex(out), c.want) << c.json;
  }
  std::string bytes;
  WriteCbor(Value::Bytes("\xFF"), bytes);
  EXPECT_EQ(ToHex(bytes), "d641ff");
}

}  // namespace
}  // namespace value
