// Definitions against what the real server said of them: testdata/definitions.jsonl has a line for each write, with the
// definition as it was sent, the one before an update, and the causes of the refusal, null where there was none.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "resources/kind_fixture.h"

namespace resources::apiextensions {
namespace {

using Lines = std::multiset<std::string>;

// Without the dump of a Go struct, which is JSON here.
std::string WithoutDump(const std::string& line) {
  constexpr std::string_view kValue = ": Invalid value: ";
  const size_t value = line.find(kValue), end = line.rfind("}: "), list = line.rfind("}]: ");
  const bool dumps = line.contains("apiextensions.JSONSchemaProps{") || line.contains("spec.versions: Invalid value");
  if (!dumps || value == line.npos || (end == line.npos && list == line.npos)) return line;
  const size_t last = end == line.npos ? list + 1 : end;
  return line.substr(0, value + kValue.size()) + line.substr(last + 3);
}

// Of the errors, which stand in no order where the real server walks a map. The fixture's objects have another name.
Lines LinesOf(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("metadata.name: ")) lines.insert(WithoutDump(line));
  }
  return lines;
}

Lines Expected(const Value& causes) {
  std::string text;
  for (const Value& cause : causes.items()) {
    text += base::Cat(cause.GetString("field"), ": ", cause.GetString("message"), "\n");
  }
  return LinesOf(text);
}

// What is between the braces of the object but for its type and metadata.
std::string Members(Arena& arena, const Value& object) {
  const Value rest = Value::Object(arena, object.size());
  for (const value::Member& member : object.members()) {
    if (member.key != "metadata" && member.key != "kind" && member.key != "apiVersion") {
      rest.Add(arena, member.key, member.value);
    }
  }
  const std::string text = value::ToJson(rest);
  return text.substr(1, text.size() - 2);
}

std::string Metadata(const Value& object) {
  const Value annotations = object.Get({"metadata", "annotations"});
  return annotations.is_object() ? base::Cat("\"annotations\":", value::ToJson(annotations)) : "";
}

TEST(RecordedDefinitions, AreTakenAndRefusedAlike) {
  std::ifstream file(FAIRLEAD_SOURCE_DIR "/src/resources/apiextensions/testdata/definitions.jsonl");
  size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    Arena arena;
    const auto row = value::ReadJson(line, arena);
    ASSERT_TRUE(row) << row.error().message;
    const Value body = row->Get("body"), old = row->Get("old");
    const std::string members = Members(arena, body);
    SCOPED_TRACE(base::Cat("line ", rows + 1, " ", row->GetString("name"), " ", members));
    const schema::Type* type = schema::FindKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    ASSERT_TRUE(schema::Decode(*type, body, arena, nullptr));
    KindFixture definitions("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
                            false);
    const std::string errors =
        old.is_null() ? definitions.Create(members, Metadata(body))
                      : definitions.Update(Members(arena, old), members, "", Metadata(old), Metadata(body));
    EXPECT_EQ(LinesOf(errors), Expected(row->Get("causes")));
  }
  EXPECT_GT(rows, 250u);
}

}  // namespace
}  // namespace resources::apiextensions
