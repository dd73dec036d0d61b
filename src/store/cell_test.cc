#include "store/cell.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace store {
namespace {

TEST(Cell, PutsTheDigitsInTheHole) {
  const struct {
    const char* bytes;
    uint32_t offset;
    int64_t revision;
    const char* stamped;
  } cases[] = {
      {"{\"rv\":\"\"}", 7, 1, "{\"rv\":\"1\"}"},
      {"{\"rv\":\"\"}", 7, INT64_MAX, "{\"rv\":\"9223372036854775807\"}"},
      {"", 0, 12, "12"},
      {"tail", 4, 12, "tail12"},
      {"head", 0, 12, "12head"},
  };
  for (const auto& c : cases) {
    CellRef cell = Cell::Make(
        "ns/name", Revision(1), Revision(c.revision),
        {.bytes = c.bytes, .revision_offset = c.offset, .labels_offset = 2, .index = "node", .needs_reencoding = c.offset == 4});
    EXPECT_EQ(cell->bytes(), c.stamped);
    EXPECT_EQ(cell->key(), "ns/name");
    EXPECT_EQ(cell->index(), "node");
    const CellRef again = cell->Restamped(Revision(345));
    EXPECT_EQ(again->bytes(),
              Cell::Make("k", Revision(1), Revision(345), {.bytes = c.bytes, .revision_offset = c.offset})->bytes());
    EXPECT_EQ(again->created(), Revision(1));
    EXPECT_EQ(again->index(), "node");
    EXPECT_EQ(again->labels_offset(), 2u);
    EXPECT_EQ(cell->needs_reencoding(), c.offset == 4);
    EXPECT_EQ(again->needs_reencoding(), c.offset == 4);
  }
}

TEST(Cell, ASliceKeepsIt) {
  CellRef cell = Cell::Make("k", Revision(1), Revision(1), {.bytes = "[]", .revision_offset = 1});
  base::Slice slice = cell->Share();
  cell = nullptr;
  EXPECT_EQ(slice.data, "[1]");
}

TEST(Cell, MakesAnEncodingOnce) {
  CellRef cell = Cell::Make("k", Revision(1), Revision(1), {.bytes = "[]", .revision_offset = 1});
  int made = 0;
  auto make = [&made] { return "form " + std::to_string(++made); };
  const std::string_view first = cell->Encoding(EncodingId{1}, make);
  EXPECT_EQ(cell->Encoding(EncodingId{2}, make), "form 2");
  EXPECT_EQ(cell->Encoding(EncodingId{1}, make).data(), first.data());
  EXPECT_EQ(made, 2);
}

TEST(Cell, ThreadsAgreeOnAnEncoding) {
  for (int round = 0; round < 50; ++round) {
    CellRef cell = Cell::Make("k", Revision(1), Revision(1), {.bytes = "[]", .revision_offset = 1});
    std::vector<const char*> seen(4);
    std::vector<std::thread> threads;
    threads.reserve(seen.size());
    for (size_t i = 0; i < seen.size(); ++i) {
      threads.emplace_back([&seen, mine = cell, i] {
        mine->Encoding(EncodingId{7}, [] { return std::string("other"); });
        seen[i] = mine->Encoding(EncodingId{1}, [] { return std::string("form"); }).data();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const char* data : seen) EXPECT_EQ(data, seen[0]);
  }
}

}  // namespace
}  // namespace store
