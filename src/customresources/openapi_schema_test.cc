// Published schemas against the real server's documents: testdata/openapi.jsonl has a line for each definition.
#include "customresources/openapi_schema.h"

#include <gtest/gtest.h>

#include <fstream>

#include "value/json_reader.h"
#include "value/json_writer.h"

namespace customresources {
namespace {

using value::Arena;
using value::KeyOrder;
using value::Value;

std::string Sorted(const Value& v) { return value::ToJson(v, KeyOrder::kSorted); }

TEST(OpenApiSchema, IsWhatTheRealServerPublishes) {
  std::ifstream file(FAIRLEAD_SOURCE_DIR "/src/customresources/testdata/openapi.jsonl");
  size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    Arena arena;
    const Value row = value::ReadJson(line, arena).value();
    SCOPED_TRACE(row.GetString("group"));
    const Value own = row.Get({"v3list", "properties"});
    const auto text = [&](std::string_view property) { return own.Get(property).GetString("description"); };
    OpenApiKind kind{.group = row.GetString("group"),
                     .version = "v1",
                     .kind = "Thing",
                     .list_kind = "ThingList",
                     .plural = "things",
                     .api_version_text = text("apiVersion"),
                     .kind_text = text("kind"),
                     .metadata_text = row.Get({"v3", "properties", "metadata"}).GetString("description"),
                     .list_metadata_text = text("metadata"),
                     .selectable_fields = row.Get("selectableFields")};
    const Value schema = row.Get("schema");
    EXPECT_EQ(Sorted(PublishedSchema(arena, schema, kind, OpenApiForm::kV3)), Sorted(row.Get("v3")));
    EXPECT_EQ(Sorted(PublishedSchema(arena, schema, kind, OpenApiForm::kV2)), Sorted(row.Get("v2")));
    EXPECT_EQ(Sorted(PublishedListSchema(arena, kind, OpenApiForm::kV3)), Sorted(row.Get("v3list")));
    EXPECT_EQ(Sorted(PublishedListSchema(arena, kind, OpenApiForm::kV2)), Sorted(row.Get("v2list")));
  }
  EXPECT_EQ(rows, 3u);
}

}  // namespace
}  // namespace customresources
