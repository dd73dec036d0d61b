#include "engine/rocksdb/version_record.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(VersionRecord, ReadsWhatItWrote) {
  const Version versions[] = {
      {.collection = "pods",
       .key = "a/b",
       .created = Revision(1),
       .modified = Revision(1),
       .value = Value{.bytes = ""}},
      {.collection = "apps/deployments",
       .key = "ns/name",
       .created = Revision(200),
       .modified = Revision(INT64_MAX),
       .value = Value{.bytes = "{\"a\":\"\"}", .revision_offset = 6, .labels_offset = 3, .index = "node"}},
      {.collection = "secrets",
       .key = "a/odd",
       .created = Revision(2),
       .modified = Revision(2),
       .value = Value{.bytes = R"({"a":"\udcff"})", .needs_reencoding = true}},
      {.collection = "pods", .key = "gone", .created = Revision(2), .modified = Revision(3), .value = std::nullopt},
  };
  for (const Version& version : versions) {
    std::string key, value;
    AppendVersionKey(version.collection, version.key, version.modified, key);
    AppendVersionHeader(version, value);
    if (version.value) value += version.value->bytes;
    base::Result<Version> parsed = ParseVersion(key, value);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->collection, version.collection);
    EXPECT_EQ(parsed->key, version.key);
    EXPECT_EQ(parsed->created, version.created);
    EXPECT_EQ(parsed->modified, version.modified);
    ASSERT_EQ(parsed->value.has_value(), version.value.has_value());
    if (!version.value) continue;
    EXPECT_EQ(parsed->value->bytes, version.value->bytes);
    EXPECT_EQ(parsed->value->revision_offset, version.value->revision_offset);
    EXPECT_EQ(parsed->value->labels_offset, version.value->labels_offset);
    EXPECT_EQ(parsed->value->index, version.value->index);
    EXPECT_EQ(parsed->value->needs_reencoding, version.value->needs_reencoding);
  }
}

TEST(VersionRecord, RefusesWhatItCannotHaveWritten) {
  const std::string key("pods\0a\0\0\0\0\0\0\0\0\x05", 15);
  const struct {
    const char* name;
    std::string key, value;
  } cases[] = {
      {"empty key", "", "\1\1"},
      {"no collection", std::string("\0a\0\0\0\0\0\0\0\0\1", 11), std::string("\1\1\0\0\0", 5)},
      {"no revision", std::string("pods\0a", 6), std::string("\1\1\0\0\0", 5)},
      {"revision 0", std::string("pods\0a\0\0\0\0\0\0\0\0\0", 15), std::string("\1\1\0\0\0", 5)},
      {"NUL in the object key", std::string("pods\0a\0b\0\0\0\0\0\0\0\0\5", 17), std::string("\1\1\0\0\0", 5)},
      {"no value", key, ""},
      {"unknown kind", key, std::string("\4\1\0\0\0", 5)},
      {"created later", key, std::string("\1\6\0\0\0", 5)},
      {"created never", key, std::string("\1\0\0\0\0", 5)},
      {"cut off", key, std::string("\1\1\0", 3)},
      {"endless number", key, "\1" + std::string(12, '\xff')},
      {"index too long", key, std::string("\1\1\0\0\5abc", 8)},
      {"offset outside", key, std::string("\1\1\4\0\0abc", 8)},
      {"labels outside", key, std::string("\1\1\0\4\0abc", 8)},
      {"deletion with a body", key, std::string("\2\1x", 3)},
  };
  ASSERT_TRUE(ParseVersion(key, std::string("\1\1\3\3\0abc", 8)));
  for (const auto& c : cases) {
    base::Result<Version> parsed = ParseVersion(c.key, c.value);
    ASSERT_FALSE(parsed) << c.name;
    EXPECT_EQ(parsed.error().code, base::Code::kCorrupt) << c.name;
  }
}

TEST(VersionRecord, ReadsTheBase) {
  EXPECT_EQ(ParseBaseValue(BaseValue(Revision(77))).value(), Revision(77));
  EXPECT_FALSE(ParseBaseValue("1234567"));
  EXPECT_FALSE(ParseBaseValue(std::string(8, '\0')));
  EXPECT_FALSE(ParseBaseValue(std::string(8, '\xff')));
}

}  // namespace
}  // namespace engine
