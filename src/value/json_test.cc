// The JSON reader and writer: Go's texts for Go's errors, Go's bytes for every value.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace value {
namespace {

using namespace std::string_literals;

std::string RoundTrip(std::string_view text, KeyOrder order = KeyOrder::kDocument) {
  Arena arena;
  auto v = ReadJson(text, arena);
  return v ? ToJson(*v, order) : "error: " + v.error().message;
}

struct Case {
  std::string name, in, want;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

class JsonErrors : public testing::TestWithParam<Case> {};
TEST_P(JsonErrors, SpeakAsGo) { EXPECT_EQ(RoundTrip(GetParam().in), "error: " + GetParam().want); }

const std::vector<Case> kErrors = {
    {"empty", "", "unexpected end of JSON input"},
    {"only_space", " \n", "unexpected end of JSON input"},
    {"word", "hello", "invalid character 'h' looking for beginning of value"},
    {"open_object", "{", "unexpected end of JSON input"},
    {"open_array", "[1,", "unexpected end of JSON input"},
    {"open_string", "\"abc", "unexpected end of JSON input"},
    {"open_escape", "\"abc\\", "invalid character ' ' in string escape code"},
    {"short_hex", "\"\\u12\"", "invalid character '\"' in \\u hexadecimal character escape"},
    {"bad_escape", "\"\\x\"", "invalid character 'x' in string escape code"},
    {"bad_escape_of_high_byte", "\"\\\xC3\xA4\"", "invalid character 'Ã' in string escape code"},
    {"raw_newline", "\"a\nb\"", "invalid character '\\n' in string literal"},
    {"raw_nul", "\"a\0b\""s, "invalid character '\\x00' in string literal"},
    {"control_in_key", "{\"a\x01\":1}", "invalid character '\\x01' in string literal"},
    {"short_true", "tru", "invalid character ' ' in literal true (expecting 'e')"},
    {"wrong_false", "falze", "invalid character 'z' in literal false (expecting 's')"},
    {"wrong_null", "[nul]", "invalid character ']' in literal null (expecting 'l')"},
    {"lone_minus", "-", "invalid character ' ' in numeric literal"},
    {"minus_letter", "-a", "invalid character 'a' in numeric literal"},
    {"leading_zero", "01", "invalid character '1' after top-level value"},
    {"leading_zero_inside", "[01]", "invalid character '1' after array element"},
    {"no_fraction", "1.", "invalid character ' ' after decimal point in numeric literal"},
    {"no_exponent", "[1e]", "invalid character ']' in exponent of numeric literal"},
    {"no_signed_exponent", "[1e+]", "invalid character ']' in exponent of numeric literal"},
    {"plus", "+1", "invalid character '+' looking for beginning of value"},
    {"key_without_quotes", "{a:1}", "invalid character 'a' looking for beginning of object key string"},
    {"trailing_comma_object", "{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
    {"trailing_comma_array", "[1,]", "invalid character ']' looking for beginning of value"},
    {"no_colon", "{\"a\" 1}", "invalid character '1' after object key"},
    {"no_comma_object", "{\"a\":1 \"b\":2}", "invalid character '\"' after object key:value pair"},
    {"no_comma_array", "[1 2]", "invalid character '2' after array element"},
    {"wrong_bracket", "[1}", "invalid character '}' after array element"},
    {"trailing_data", "{} {}", "invalid character '{' after top-level value"},
    {"quote_in_error", "[1']", "invalid character '\\'' after array element"},
    {"double_quote_in_error", "[1\"]", "invalid character '\"' after array element"},
    {"backslash_in_error", "\\", "invalid character '\\\\' looking for beginning of value"},
    {"byte_order_mark", "\xEF\xBB\xBF{}", "invalid character 'ï' looking for beginning of value"},
    {"c1_control", "\x80", "invalid character '\\u0080' looking for beginning of value"},
    {"soft_hyphen", "\xAD", "invalid character '\\u00ad' looking for beginning of value"},
    {"delete", "\x7F", "invalid character '\\x7f' looking for beginning of value"},
    {"no_break_space", "\xA0", "invalid character '\\u00a0' looking for beginning of value"},
};
INSTANTIATE_TEST_SUITE_P(Table, JsonErrors, testing::ValuesIn(kErrors),
                         [](const auto& info) { return info.param.name; });

TEST(JsonReader, TellsWhereTheErrorIs) {
  EXPECT_EQ(FindJsonError("{\"a\":x}")->offset, 6u);
  EXPECT_EQ(FindJsonError("[1,")->offset, 3u);
  EXPECT_FALSE(FindJsonError(" {\"a\": [1, 2.5e-3, null, true, false, \"\\u00e4\\n\"]} "));
}

class JsonValues : public testing::TestWithParam<Case> {};
TEST_P(JsonValues, ComeBackAsGoWritesThem) { EXPECT_EQ(RoundTrip(GetParam().in), GetParam().want); }

const std::vector<Case> kValues = {
    {"scalars", " [ null , true,false ,\t0,-1,9223372036854775807,-9223372036854775808 ]\r\n",
     "[null,true,false,0,-1,9223372036854775807,-9223372036854775808]"},
    {"minus_zero_is_an_integer", "-0", "0"},
    {"beyond_int64", "[9223372036854775808,18446744073709551616]", "[9223372036854776000,18446744073709552000]"},
    {"doubles", "[1.0,2.50,1e3,1.2345678901234567e19,123456789012345680000.0,1e21,1e20,1e-6,1e-7,-1.5e-9,5e-324]",
     "[1,2.5,1000,12345678901234567000,123456789012345680000,1e+21,100000000000000000000,0.000001,1e-7,-1.5e-9,5e-"
     "324]"},
    {"empty_containers", "[{},[],[[]],{\"a\":{}}]", "[{},[],[[]],{\"a\":{}}]"},
    {"duplicate_keys_stay", "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":1,\"b\":2,\"a\":3}"},
    {"escapes", R"("\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac\ud83d\ude00")", R"("\"\\/\b\f\n\r\tAä€😀")"},
    {"lone_surrogates", R"(["\ud800","\udc00x","\ud800\ud800","\ud83d\u0041"])",
     "[\"\uFFFD\",\"\uFFFDx\",\"\uFFFD\uFFFD\",\"\uFFFDA\"]"},
    {"bad_utf8", "[\"a\xFFz\",\"\xED\xA0\x80\",\"\xC0\xAF\"]",
     "[\"a\uFFFDz\",\"\uFFFD\uFFFD\uFFFD\",\"\uFFFD\uFFFD\"]"},
    {"bad_utf8_beside_escape", "\"\\n\xFF\"", "\"\\n\uFFFD\""},
    {"bad_utf8_in_key", "{\"\xFF\":1}", "{\"\uFFFD\":1}"},
    {"html", R"("<a href='x'>&</a>")", R"("\u003ca href='x'\u003e\u0026\u003c/a\u003e")"},
    {"separators", "\"a\u2028b\u2029c\u202a\"", "\"a\\u2028b\\u2029c\u202a\""},
    {"controls", R"("\u0000\u0001\u001f\u007f")", "\"\\u0000\\u0001\\u001f\x7F\""},
    {"long_plain", "\"" + std::string(100, 'x') + "\\\"" + std::string(40, 'y') + "\"",
     "\"" + std::string(100, 'x') + "\\\"" + std::string(40, 'y') + "\""},
};
INSTANTIATE_TEST_SUITE_P(Table, JsonValues, testing::ValuesIn(kValues),
                         [](const auto& info) { return info.param.name; });

TEST(JsonReader, EveryPlaceOfAQuoteInALongString) {
  for (size_t length = 0; length < 70; ++length) {
    std::string plain(length, 'a');
    EXPECT_EQ(RoundTrip("\"" + plain + "\""), "\"" + plain + "\"");
    EXPECT_EQ(RoundTrip("\"" + plain + "\\n\""), "\"" + plain + "\\n\"");
    EXPECT_EQ(RoundTrip("\"" + plain + "\xC3\xA4\""), "\"" + plain + "ä\"");
    EXPECT_EQ(RoundTrip("\"" + plain + "\xC3\""), "\"" + plain + "\uFFFD\"");
    EXPECT_EQ(RoundTrip("\"" + plain + "<\""), "\"" + plain + "\\u003c\"");
    EXPECT_EQ(RoundTrip("\"" + plain), "error: unexpected end of JSON input");
  }
}

TEST(JsonReader, StringsWithoutEscapesPointIntoTheText) {
  Arena arena;
  std::string text = R"({"key":"value"})";
  Value v = *ReadJson(text, arena);
  EXPECT_EQ(v.members()[0].key.data(), text.data() + 2);
  EXPECT_EQ(v.GetString("key").data(), text.data() + 8);
}

TEST(JsonReader, KeepsTheSourceOfContainers) {
  Arena arena;
  Value v = *ReadJson(R"( {"a": { "x" : [1, 2] } } )", arena);
  EXPECT_EQ(v.source(), R"({"a": { "x" : [1, 2] } })");
  EXPECT_EQ(v.Get("a").source(), R"({ "x" : [1, 2] })");
  EXPECT_EQ(v.Get({"a", "x"}).source(), "[1, 2]");
}

TEST(JsonReader, BoundsDepth) {
  std::string deep = std::string(10000, '[') + std::string(10000, ']');
  Arena arena;
  EXPECT_TRUE(ReadJson(deep, arena));
  EXPECT_EQ(RoundTrip(std::string(10001, '[')), "error: invalid character '[' exceeded max depth");
  EXPECT_EQ(ReadJson("[[1]]", arena, {.max_depth = 1}).error().message, "invalid character '[' exceeded max depth");
  EXPECT_TRUE(ReadJson("[[1]]", arena, {.max_depth = 2}));
  EXPECT_EQ(ReadJson("{\"a\":{}}", arena, {.max_depth = 1}).error().message,
            "invalid character '{' exceeded max depth");
}

TEST(JsonReader, OutOfRangeNumberIsInfinite) {
  Arena arena;
  Value v = *ReadJson("1e400", arena);
  EXPECT_EQ(v.literal(), "1e400");
  EXPECT_GT(v.AsDouble(), 1e308);
  EXPECT_EQ(ToJson(v), "1e400");
}

TEST(JsonWriter, SortsKeysAndKeepsTheLastDuplicate) {
  EXPECT_EQ(RoundTrip(R"({"b":1,"a":{"d":1,"c":2},"b":3,"B":4})", KeyOrder::kSorted),
            R"({"B":4,"a":{"c":2,"d":1},"b":3})");
  EXPECT_EQ(RoundTrip(R"({"a":1,"b":2})", KeyOrder::kSorted), R"({"a":1,"b":2})");
}

TEST(JsonWriter, BytesBecomeBase64) {
  for (auto [in, want] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xFF\xFE\xFD", "//79"}}) {
    EXPECT_EQ(ToJson(Value::Bytes(in)), "\"" + want + "\"");
  }
}

TEST(JsonWriter, EscapesBytesThatAreNoUtf8WhereTheyAreWantedBack) {
  Arena arena;
  const Value odd = Value::Object(arena);
  odd.Set(arena, "a\xFF", Value::String("\\udcff \xC3\xA8\xC3(\xED\xB2\x80 \xEF\xBF\xBD \xF0\x9F\x98\x80\x80"));
  std::string json;
  bool escaped = false;
  WriteJson(odd, json, KeyOrder::kDocument, &escaped);
  EXPECT_TRUE(escaped);
  EXPECT_EQ(json, "{\"a\\udcff\":\"\\\\udcff è\\udcc3(\\udced\\udcb2\\udc80 \xEF\xBF\xBD \xF0\x9F\x98\x80\\udc80\"}");
  EXPECT_TRUE(Equal(*ReadJson(json, arena, {.escaped_bytes = true}), odd));
  EXPECT_EQ(ReadJson(R"("\ud83c\udcff")", arena, {.escaped_bytes = true})->AsString(), "\xF0\x9F\x83\xBF");

  escaped = false;
  json.clear();
  WriteJson(Value::String("è"), json, KeyOrder::kDocument, &escaped);
  EXPECT_FALSE(escaped);
}

TEST(JsonWriter, Indents) {
  std::string out;
  IndentJson(R"({"a":[1,{"b":"x,{}\"["}],"c":{},"d":[ ],"e":[[]]})", out);
  EXPECT_EQ(out, R"({
  "a": [
    1,
    {
      "b": "x,{}\"["
    }
  ],
  "c": {},
  "d": [],
  "e": [
    []
  ]
})");
}

// Its indents alone would be a hundred megabytes.
TEST(JsonWriter, BoundsIndents) {
  std::string json;
  for (int i = 0; i < 10'000; ++i) json += R"({"a":)";
  json += "1" + std::string(10'000, '}');
  std::string out, compact;
  IndentJson(json, out);
  EXPECT_LT(out.size(), 6U << 20);
  EXPECT_TRUE(out.starts_with("{\n  \"a\": {\n    \"a\": {\n"));
  CompactJson(out, compact);
  EXPECT_EQ(compact, json);
}

TEST(JsonWriter, CompactsRawJson) {
  std::string out;
  CompactJson("{ \"a b\" : [ 1.0 ,\n\"<\\u0041&\u2028\xE2\x82\xAC\" ] }", out);
  EXPECT_EQ(out, "{\"a b\":[1.0,\"\\u003c\\u0041\\u0026\\u2028€\"]}");
}

}  // namespace
}  // namespace value
