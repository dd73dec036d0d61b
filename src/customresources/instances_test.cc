// Objects of custom resources against what the real server made of them: testdata/instances.jsonl has a line for each
// write, with the version's schema, the object as it was sent, and the stored object or the error.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "customresources/compiled_schema.h"
#include "customresources/instance_rules.h"
#include "customresources/resource_type.h"
#include "schema/structural_decode.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace customresources {
namespace {

using value::Arena;
using value::KeyOrder;
using value::Member;
using value::Value;

// Who answers these fields is the registry.
bool IsOfRegistry(std::string_view field) {
  return field.starts_with("metadata") || field == "kind" || field == "apiVersion";
}

// A line for each cause, sorted: the real server walks maps in no order.
std::multiset<std::string> Causes(const Value& expected) {
  std::multiset<std::string> causes;
  for (const Value& cause : expected.items()) {
    if (IsOfRegistry(cause.GetString("field"))) continue;
    causes.insert(
        base::Cat(cause.GetString("reason"), " ", cause.GetString("field"), ": ", cause.GetString("message")));
  }
  return causes;
}
std::multiset<std::string> Causes(const ErrorList& errors) {
  std::multiset<std::string> causes;
  for (const api::FieldError& error : errors.errors()) {
    const api::Cause cause = error.ToCause();
    if (!IsOfRegistry(cause.field)) causes.insert(base::Cat(cause.reason, " ", cause.field, ": ", cause.message));
  }
  return causes;
}

// What is left of a stored object beside what the server fills in.
std::string Content(Arena& arena, const Value& object, bool has_status) {
  const Value content = Value::Object(arena, object.size());
  for (const Member& member : object.members()) {
    if (member.key == "metadata" || (has_status && member.key == "status")) continue;
    content.Add(arena, member.key, member.value);
  }
  return value::ToJson(content, KeyOrder::kSorted);
}

class Instance {
 public:
  Instance(Arena& arena, const Value& row)
      : arena_(arena),
        row_(row),
        type_(row.GetString("group"), row.GetString("version"), row.GetString("kind"),
              compiler_.Compile(row.Get("schema"))) {
    instance_.schema = &type_.root();
    if (const Value scale = row_.Get({"subresources", "scale"}); scale.is_object()) {
      instance_.scale = ScalePaths{scale.GetString("specReplicasPath"), scale.GetString("statusReplicasPath"),
                                   scale.GetString("labelSelectorPath")};
    }
  }

  void Run() {
    const bool is_status = row_.GetString("sub") == "status";
    schema::Findings findings;
    auto object = schema::Decode(type_.type(), row_.Get("body"), arena_, &findings);
    const std::string_view message = row_.GetString("message");
    if (row_.Get("status").AsInt() == 400) return ExpectRefused(object, findings, message);
    ASSERT_TRUE(object) << object.error().message;
    const bool has_status = row_.Get({"subresources", "status"}).is_object();
    if (has_status && !is_status) object->Remove("status");
    FillDefaults(arena_, *object, type_.root());
    ErrorList errors;
    std::vector<std::string> warnings;
    Value old = row_.Get("old");
    if (old.is_object()) old = schema::Decode(type_.type(), old, arena_, nullptr).value_or(Value());
    if (!old.is_object()) {
      CheckCreate(instance_, *object, errors, warnings);
    } else if (is_status) {
      CheckStatusUpdate(instance_, *object, old, errors, warnings);
    } else {
      if (has_status && old.Find("status") != nullptr) object->Set(arena_, "status", old.Get("status"));
      CheckUpdate(instance_, *object, old, errors, warnings);
    }
    EXPECT_EQ(Causes(errors), Causes(row_.Get("causes")));
    const Value stored = row_.Get("object");
    if (stored.is_null() || is_status) return;
    EXPECT_EQ(Content(arena_, *object, has_status), Content(arena_, stored, has_status));
    // What is stored reads as itself.
    const auto again = schema::Decode(type_.type(), *object, arena_, nullptr);
    ASSERT_TRUE(again);
    std::string first, second;
    schema::EncodeJson(type_.type(), *object, first);
    schema::EncodeJson(type_.type(), *again, second);
    EXPECT_EQ(first, second);
  }

 private:
  static void ExpectRefused(const api::Result<Value>& object, const schema::Findings& findings,
                            std::string_view message) {
    constexpr std::string_view kStrict = "strict decoding error: ";
    if (const size_t at = message.find(kStrict); at != message.npos) {
      EXPECT_EQ(base::Join(findings.in_order, ", "), message.substr(at + kStrict.size()));
    } else {
      ASSERT_FALSE(object) << message;
      EXPECT_TRUE(message.ends_with(object.error().message)) << message << "\n" << object.error().message;
    }
  }

  Arena& arena_;
  const Value row_;
  SchemaCompiler compiler_;
  ResourceType type_;
  InstanceSchema instance_;
};

TEST(Instances, AreWhatTheRealServerMadeOfThem) {
  std::ifstream file(FAIRLEAD_SOURCE_DIR "/src/customresources/testdata/instances.jsonl");
  size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    Arena arena;
    const auto row = value::ReadJson(line, arena);
    ASSERT_TRUE(row) << row.error().message;
    SCOPED_TRACE(base::Cat("line ", rows + 1, " ", row->GetString("name"), " ", row->GetString("method"), " ",
                           value::ToJson(row->Get("body"))));
    Instance(arena, *row).Run();
  }
  EXPECT_GT(rows, 250u);
}

TEST(FillDefaults, MakesNoMoreThanSoMuchOfALittle) {
  Arena arena;
  SchemaCompiler compiler;
  const std::string text(1000, 'x');
  const std::string_view json = arena.CopyString(
      base::Cat(R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"a":)",
                R"({"type":"string","default":")", text, R"("}}}}}})"));
  const auto schema = compiler.Compile(*value::ReadJson(json, arena));
  const auto filled = [&](size_t items) {
    std::string list = R"({"l":[{})";
    for (size_t i = 1; i < items; ++i) list += ",{}";
    const Value object = *value::ReadJson(arena.CopyString(list += "]}"), arena);
    EXPECT_FALSE(HasAllDefaults(object, schema->root()));
    FillDefaults(arena, object, schema->root());
    return std::pair(object, HasAllDefaults(object, schema->root()));
  };
  const auto [few, all_of_few] = filled(100);
  EXPECT_TRUE(all_of_few);
  EXPECT_EQ(few.Get("l")[99].GetString("a"), text);
  const auto [many, all_of_many] = filled(2 * kMostDefaults / text.size());
  EXPECT_FALSE(all_of_many);
  EXPECT_EQ(many.Get("l")[0].GetString("a"), text);
  EXPECT_TRUE(many.Get("l").items().back().empty());
}

}  // namespace
}  // namespace customresources
