// Paths against what client-go makes of them (testdata/json_paths.jsonl: the document, then a path a line), and cells
// of columns.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/text.h"
#include "customresources/json_path.h"
#include "customresources/printer.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace customresources {
namespace {

using value::Arena;
using value::Value;

TEST(JsonPath, FindsWhatTheRealOneDoes) {
  std::ifstream file(FAIRLEAD_SOURCE_DIR "/src/customresources/testdata/json_paths.jsonl");
  std::string text;
  ASSERT_TRUE(std::getline(file, text));
  Arena arena;
  const Value document = value::ReadJson(arena.CopyString(text), arena).value();
  size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const Value row = value::ReadJson(arena.CopyString(line), arena).value();
    SCOPED_TRACE(row.GetString("path"));
    const auto path = JsonPath::Parse(row.GetString("path"));
    if (const std::string_view error = row.GetString("parse_error"); !error.empty()) {
      ASSERT_FALSE(path);
      EXPECT_EQ(path.error(), error);
      continue;
    }
    ASSERT_TRUE(path) << path.error();
    const auto found = path->Find(document);
    if (const std::string_view error = row.GetString("error"); !error.empty()) {
      ASSERT_FALSE(found);
      EXPECT_EQ(found.error(), error);
      continue;
    }
    ASSERT_TRUE(found) << found.error();
    std::multiset<std::string> printed, expected;  // of a map in no order
    for (const Value& v : *found) printed.insert(PrintJsonPathResult(v));
    for (const Value& v : row.Get("found").items()) expected.emplace(v.AsString());
    EXPECT_EQ(printed, expected);
  }
  EXPECT_GT(rows, 80u);
}

TEST(JsonPath, IsBounded) {
  Arena arena;
  EXPECT_FALSE(JsonPath::Parse(std::string(kMostJsonPathText + 1, 'a')));
  const Value list = Value::Array(arena);
  for (int i = 0; i < 2000; ++i) list.Append(arena, Value::Int(i));
  const Value document = Value::Object(arena);
  document.Add(arena, "a", list);
  std::string doubling = ".a";
  for (int i = 0; i < 12; ++i) doubling += "[:,:]";
  for (std::string_view path : {".a[?(@)].a[?(@)]", "....a", ".a[?(@..)]"}) {
    const auto parsed = JsonPath::Parse(path);
    if (parsed) (void)parsed->Find(document);
  }
  const auto parsed = JsonPath::Parse(doubling);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_FALSE(parsed->Find(document));
}

TEST(ColumnPrinter, FillsCells) {
  Arena arena;
  const Value columns = value::ReadJson(R"([
      {"name":"S","type":"string","jsonPath":".spec.s"},
      {"name":"I","type":"integer","jsonPath":".spec.f","priority":1},
      {"name":"N","type":"number","jsonPath":".spec.i","format":"double","description":"d"},
      {"name":"B","type":"boolean","jsonPath":".spec.b"},
      {"name":"D","type":"date","jsonPath":".spec.d"},
      {"name":"Bad","type":"date","jsonPath":".spec.s"},
      {"name":"Future","type":"date","jsonPath":".spec.later"},
      {"name":"Wrong","type":"integer","jsonPath":".spec.s"},
      {"name":"Null","type":"string","jsonPath":".spec.nulls[0]"},
      {"name":"All","type":"string","jsonPath":".spec.nulls"},
      {"name":"None","type":"string","jsonPath":".spec.none"}])",
                                        arena)
                            .value();
  const Value object = value::ReadJson(R"({"metadata":{"name":"x","creationTimestamp":"1970-01-01T00:00:00Z"},
      "spec":{"s":"t","i":5,"f":2.7,"b":true,"d":"1970-01-01T00:01:00Z","later":"1980-01-01T00:00:00Z","nulls":[null]}})",
                                       arena)
                           .value();
  const ColumnPrinter printer(columns, "name text", "age text");
  EXPECT_EQ(
      value::ToJson(printer.Cells(arena, object, 180)),
      R"(["x","t",2,5,true,"2m","\u003cinvalid\u003e","\u003cinvalid\u003e",null,"\u003cno value\u003e","[null]",null])");
  EXPECT_EQ(printer.columns()[0].format, "name");
  EXPECT_EQ(printer.columns()[1].description, "Custom resource definition column (in JSONPath format): .spec.s");
  EXPECT_EQ(printer.columns()[2].priority, 1);
  EXPECT_EQ(printer.columns()[3].description, "d");

  const ColumnPrinter ages(Value(), "name text", "age text");
  EXPECT_EQ(value::ToJson(ages.Cells(arena, object, 60)), R"(["x","60s"])");
  EXPECT_EQ(ages.columns()[1].description, "age text");
}

TEST(SelectableFields, AreTextsOfTheObject) {
  Arena arena;
  const Value fields =
      value::ReadJson(R"([{"jsonPath":".spec.s"},{"jsonPath":".spec.i"},{"jsonPath":".spec.none"}])", arena).value();
  const SelectableFields selectable(fields);
  EXPECT_EQ(selectable.names(), (std::vector<std::string>{"spec.s", "spec.i", "spec.none"}));
  const Value object = value::ReadJson(R"({"spec":{"s":"t","i":5}})", arena).value();
  EXPECT_EQ(selectable.Of(object).value(), (std::vector<std::string>{"t", "5", ""}));
}

}  // namespace
}  // namespace customresources
