// The YAML reader and writer against what the real server's library answers.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "value/json_reader.h"
#include "value/json_writer.h"
#include "value/yaml_reader.h"
#include "value/yaml_writer.h"

namespace value {
namespace {

using namespace std::string_literals;

std::string Read(std::string_view yaml, std::string* duplicates = nullptr) {
  Arena arena;
  auto v = ReadYaml(yaml, arena, duplicates);
  return v ? ToJson(*v) : v.error().message;
}

std::string Written(std::string_view json) {
  Arena arena;
  std::string out;
  WriteYaml(*ReadJson(json, arena), out);
  return out;
}

struct Case {
  std::string name, in, want;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }
std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class YamlReads : public testing::TestWithParam<Case> {};
TEST_P(YamlReads, AsTheServerDoes) { EXPECT_EQ(Read(GetParam().in), GetParam().want); }

const std::vector<Case> kReads = {
    {"nothing", "", "null"},
    {"comment_only", "# x\n", "null"},
    {"keys_are_sorted", "b: 1\na: 2\n", R"({"a":2,"b":1})"},
    {"json", R"({"a":1,"b":[true,null,1.0,1e3,-0]})", R"({"a":1,"b":[true,null,1,1000,0]})"},
    {"json_is_sorted", R"({"b":1,"a":{"d":"\u0041","c":2}})", R"({"a":{"c":2,"d":"A"},"b":1})"},
    {"json_numbers_as_yaml_has_them", "[1E5, 1e400, 18446744073709551616]", R"([100000,"1e400",18446744073709552000])"},
    {"json_beyond_ascii", "{\"ä\":\"\\u20ac\"}", "{\"ä\":\"€\"}"},
    {"booleans", "[y, Yes, on, TRUE, n, No, off, False, yEs]",
     R"([true,true,true,true,false,false,false,false,"yEs"])"},
    {"nulls", "a: ~\nb:\nc: null\nd: NULL\ne: nil\n", R"({"a":null,"b":null,"c":null,"d":null,"e":"nil"})"},
    {"integers", "[010, 0o17, 0x1F, 0b11, 1_000, +1, -0, 08, 0b+1]", R"([8,15,31,3,1000,1,0,8,1])"},
    {"large_integers", "[9223372036854775808, 18446744073709551615, 99999999999999999999]",
     "[9223372036854776000,18446744073709552000,100000000000000000000]"},
    {"floats", "[.5, 5., 1e3, 1.5e-7, 1:30, 1e400, 0x1p4]", R"([0.5,5,1000,1.5e-7,"1:30","1e400","0x1p4"])"},
    {"dates_stay_strings", "[2001-01-01, 2001-01-01T00:00:00Z]", R"(["2001-01-01","2001-01-01T00:00:00Z"])"},
    {"quoted", "['1', \"yes\", 'it''s', \"\\x41\\u00e9\\n\"]", R"(["1","yes","it's","Aé\n"])"},
    {"no_escaped_slashes", "a: '\\/'\nb: \\/\nc: \"ä\\\\/\"\n\"d\\\\\": \"/\"\n",
     R"({"a":"\\/","b":"\\/","c":"ä\\/","d\\":"/"})"},
    {"tags", "[!!str 1, !!int '3', !!float 1, !foo x, !!binary aGVsbG8=, ! 12]", R"(["1",3,1,"x","hello","12"])"},
    {"blocks", "a: |\n  x\n   y\n\nb: >-\n  x\n  y\nc: |+\n  z\n\n", R"({"a":"x\n y\n","b":"x y","c":"z\n\n"})"},
    {"anchors", "a: &x {b: 1}\nc: *x\n", R"({"a":{"b":1},"c":{"b":1}})"},
    {"merge", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", R"({"a":{"b":1,"c":2},"d":{"b":1,"c":3}})"},
    {"merge_list", "<<: [{a: 1}, {a: 2, b: 3}]\n", R"({"a":1,"b":3})"},
    {"merge_after_key_wins", "a: 1\n<<: {a: 2}\n", R"({"a":2})"},
    {"keys_of_other_types", "1: a\n2.5: b\ntrue: c\n0x10: d\n", R"({"1":"a","16":"d","2.5":"b","true":"c"})"},
    {"last_duplicate", "a: 1\na: 2\n", R"({"a":2})"},
    {"first_document", "a: 1\n---\nb: 2\n", R"({"a":1})"},
    {"document_mark", "%YAML 1.1\n---\na: b\n...\n", R"({"a":"b"})"},
    {"byte_order_mark",
     "\xEF\xBB\xBF"
     "a: b\n",
     R"({"a":"b"})"},
    {"line_ends", "a:\r\n  - b\r\n", R"({"a":["b"]})"},
};
INSTANTIATE_TEST_SUITE_P(Table, YamlReads, testing::ValuesIn(kReads), NameOf);

const std::vector<Case> kErrors = {
    {"colon", "a: b: c", "yaml: mapping values are not allowed in this context"},
    {"colon_in_second_line", "x: y\na: b: c", "yaml: line 2: mapping values are not allowed in this context"},
    {"open_list", "x: [a\n", "yaml: line 1: did not find expected ',' or ']'"},
    {"no_node", "a: [", "yaml: line 1: did not find expected node content"},
    {"tab", "\tkind: x", "yaml: found character that cannot start any token"},
    {"bad_indent", "a:\n  b: c\n d: e\n", "yaml: line 2: did not find expected key"},
    {"unknown_anchor", "a: *x", "yaml: unknown anchor 'x' referenced"},
    {"self_anchor", "&a x: *a\ny: &b [*b]\n", "yaml: anchor 'b' value contains itself"},
    {"directive", "%YAML 9\n---\na: b", "yaml: did not find expected digit or '.' character"},
    {"bad_utf8", "a: \xFF", "yaml: invalid leading UTF-8 octet"},
    {"broken_utf8", "a: \xC3(", "yaml: invalid trailing UTF-8 octet"},
    {"control", "a: x\0y"s, "yaml: control characters are not allowed"},
    {"template", "a: {{ .Values.x }}",
     R"(yaml: invalid map key: map[interface {}]interface {}{".Values.x":interface {}(nil)})"},
    {"list_as_key", "? [a, 1]\n: b\n", R"(yaml: invalid map key: []interface {}{"a", 1})"},
    {"null_as_key", "~: x\n", R"(unsupported map key of type: %!s(<nil>), key: <nil>, value: "x")"},
    {"infinite", "a: .inf", "json: unsupported value: +Inf"},
    {"not_a_number", "a: .NaN", "json: unsupported value: NaN"},
    {"wrong_tag", "a: !!int x", "yaml: cannot decode !!str `x` as a !!int"},
    {"bad_binary", "a: !!binary x", "yaml: !!binary value contains invalid base64 data"},
    {"escaped_slash", R"(a: "\/")", "yaml: found unknown escape character"},
    {"escaped_slash_in_json", R"({"a":"\/"})", "yaml: found unknown escape character"},
    {"escaped_slash_after_others", "ä: \"ä\\\\ä\"\nc: '\\/'\nb: &b !!str \"x\n  \\\\/\\\n  ä\\/\"\n",
     "yaml: line 5: found unknown escape character"},
    {"merge_of_text", "<<: x\n", "yaml: map merge requires map or sequence of maps as the value"},
};
INSTANTIATE_TEST_SUITE_P(Errors, YamlReads, testing::ValuesIn(kErrors), NameOf);

TEST(YamlReader, ListsKeysSetTwice) {
  std::string duplicates;
  EXPECT_EQ(Read("a: 1\nb: {c: 1, c: 2}\na: 3\n1: x\n1: y\n\"1\": z\n", &duplicates), R"({"1":"z","a":3,"b":{"c":2}})");
  EXPECT_EQ(duplicates,
            "yaml: unmarshal errors:\n  line 2: key \"c\" already set in map\n  line 3: key \"a\" already set in map\n"
            "  line 5: key 1 already set in map");
  Read("a: 1\n", &duplicates);
  EXPECT_EQ(duplicates, "");
}

TEST(YamlReader, JsonTextTellsDuplicatesToo) {
  std::string duplicates;
  EXPECT_EQ(Read("{\"a\":1,\n\"a\":2}", &duplicates), R"({"a":2})");
  EXPECT_EQ(duplicates, "yaml: unmarshal errors:\n  line 2: key \"a\" already set in map");
  EXPECT_EQ(Read("{\"a\":\"\\ud83d\\ude00\"}"), "yaml: found invalid Unicode character escape code");
}

TEST(YamlReader, RemembersNoTextOfJson) {
  for (std::string_view text : {R"({"a": [1, 2]})", "a: [1, 2]"}) {
    Arena arena;
    const auto v = ReadYaml(text, arena);
    ASSERT_TRUE(v.has_value());
    EXPECT_EQ(v->source(), "") << text;
    EXPECT_EQ(v->Find("a")->source(), "") << text;
  }
}

TEST(YamlReader, LargeMapsFindDuplicatesToo) {
  std::string text, duplicates;
  for (int i = 0; i < 40; ++i) text += "k" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  Read(text + "k17: x\n", &duplicates);
  EXPECT_EQ(duplicates, "yaml: unmarshal errors:\n  line 41: key \"k17\" already set in map");
}

TEST(YamlReader, BoundsDepth) {
  EXPECT_EQ(Read(std::string(10001, '[')), "yaml: exceeded max depth of 10000");
  Arena arena;
  EXPECT_TRUE(ReadYaml("[[[1]]]", arena, nullptr, {.max_depth = 4}));
  EXPECT_FALSE(ReadYaml("[[[[[1]]]]]", arena, nullptr, {.max_depth = 4}));
  EXPECT_TRUE(ReadYaml("[[[x]]]", arena, nullptr, {.max_depth = 4}));
  EXPECT_FALSE(ReadYaml("[[[[x]]]]", arena, nullptr, {.max_depth = 4}));
}

TEST(YamlReader, BoundsDirectives) {
  std::string directives;
  for (int i = 0; i < 100; ++i) directives += "%TAG !a" + std::to_string(i) + "! b:\n";
  EXPECT_EQ(Read(directives + "---\na: 1\n"), R"({"a":1})");
  EXPECT_EQ(Read(directives + "%TAG !b! b:\n---\na: 1\n"), "yaml: too many directives");
}

TEST(YamlReader, BoundsAliases) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += (i ? ", *" : "*") + std::string(1, static_cast<char>(c - 1));
    bomb += "]\n";
  }
  EXPECT_EQ(Read(bomb), "yaml: document contains excessive aliasing");
}

TEST(YamlReader, BoundsTheScannersWork) {
  Arena arena;
  std::string text = std::string(100, '[') + "x";
  for (int i = 0; i < 1000; ++i) text += ",1";
  text += std::string(100, ']');
  EXPECT_TRUE(ReadYaml(text, arena));
  EXPECT_FALSE(ReadYaml(text, arena, nullptr, {.max_scan_work = 10'000}));
}

class YamlWrites : public testing::TestWithParam<Case> {};
TEST_P(YamlWrites, AsTheServerDoes) { EXPECT_EQ(Written(GetParam().in), GetParam().want); }

const std::string kLong =
    "word and more words, until the line is longer than eighty columns and must be folded somewhere";

const std::vector<Case> kWrites = {
    {"object", R"({"b":[1,{"c":"x","d":[]}],"a":{"e":null,"f":{}}})",
     "a:\n  e: null\n  f: {}\nb:\n- 1\n- c: x\n  d: []\n"},
    {"nested_lists", "[[1,[2]],[]]", "- - 1\n  - - 2\n- []\n"},
    {"scalars", "[true,false,null,-5,1.5,1e21,1e-7,1000000.5,100000000000000000000,9223372036854775808]",
     "- true\n- false\n- null\n- -5\n- 1.5\n- 1e+21\n- 1e-07\n- 1.0000005e+06\n- 1e+20\n- 9223372036854776000\n"},
    {"strings_that_mean_something",
     R"(["yes","null","~","1","0x1F","1e3","2020-01-01","2020-01-01T00:00:00Z","12:30","", "1_0"])",
     "- \"yes\"\n- \"null\"\n- \"~\"\n- \"1\"\n- \"0x1F\"\n- \"1e3\"\n- \"2020-01-01\"\n- \"2020-01-01T00:00:00Z\"\n- "
     "\"12:30\"\n- \"\"\n- \"1_0\"\n"},
    {"strings_with_signs",
     R"(["a: b","- x","# c","a #b","x:","@a","it's","\"q\"","a,b","-","--- a","?","<<"," lead","trail "])",
     "- 'a: b'\n- '- x'\n- '# c'\n- 'a #b'\n- 'x:'\n- '@a'\n- it's\n- '\"q\"'\n- a,b\n- '-'\n- '--- a'\n- '?'\n- <<\n- "
     "' lead'\n- 'trail '\n"},
    {"controls", R"(["tab\there","\u0007","\u00a0","\ufeffx","a\r\nb"])",
     "- \"tab\\there\"\n- \"\\a\"\n- \u00a0\n- \"\\uFEFF\\x78\"\n- \"a\\r\\nb\"\n"},
    {"blocks", R"({"a":"x\ny\n","b":"x\n\ny","c":"x\n\n","d":" x\n","e":"x \n","f":"\n"})",
     "a: |\n  x\n  y\nb: |-\n  x\n\n  y\nc: |+\n  x\n\nd: |2\n   x\ne: \"x \\n\"\nf: |2+\n\n"},
    {"folds", "{\"k\":\"" + kLong + "\"}",
     "k: word and more words, until the line is longer than eighty columns and must be folded\n  somewhere\n"},
    {"folds_quoted", "{\"k\":\"# " + kLong + "\"}",
     "k: '# word and more words, until the line is longer than eighty columns and must be\n  folded somewhere'\n"},
    {"long_key", "{\"" + std::string(129, 'k') + "\":{\"a\":1}}", "? " + std::string(129, 'k') + "\n: a: 1\n"},
    {"key_of_two_lines", R"({"a\nb":[1]})", "? |-\n  a\n  b\n: - 1\n"},
    {"key_order", R"({"b":1,"a10":1,"a9":1,"A":1,"_x":1,"10":1,"9":1,"a":1,"a.b":1,"a/b":1})",
     "_x: 1\n\"9\": 1\n\"10\": 1\nA: 1\na: 1\na.b: 1\na/b: 1\na9: 1\na10: 1\nb: 1\n"},
    {"scalar_alone", "\"x\"", "x\n"},
    {"empty_alone", "{}", "{}\n"},
};
INSTANTIATE_TEST_SUITE_P(Table, YamlWrites, testing::ValuesIn(kWrites), NameOf);

// Its indents alone would be a hundred megabytes.
TEST(YamlWriter, BoundsIndents) {
  std::string json;
  for (int i = 0; i < 9990; ++i) json += R"({"a":)";
  json += "1" + std::string(9990, '}');
  const std::string yaml = Written(json);
  EXPECT_LT(yaml.size(), 6U << 20);
  EXPECT_TRUE(yaml.starts_with("a:\n  a:\n    a:\n"));

  std::string items = "1", words = "w", lines = "l";
  for (int i = 0; i < 20'000; ++i) items += ",1", words += " w", lines += "\\nl";
  for (const std::string& leaf : {"[" + items + "]", "\"" + words + "\"", "\"" + lines + "\""}) {
    std::string deep = leaf;
    for (int i = 0; i < 1000; ++i) deep = "[" + deep + "]";
    EXPECT_LT(Written(R"({"a":)" + deep + "}").size(), 8U << 20);
    EXPECT_EQ(Read(Written(leaf)), leaf);  // and not where it stands at the front
  }
}

}  // namespace
}  // namespace value
