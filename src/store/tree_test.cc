#include "store/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace store {
namespace {

CellRef MakeCell(const std::string& key, int64_t revision) {
  return Cell::Make(key, Revision(1), Revision(revision), {.bytes = "{}", .revision_offset = 1});
}

using Model = std::map<std::string, int64_t>;  // key to revision

void ExpectSame(const Tree& tree, const Model& model) {
  ASSERT_EQ(tree.size(), model.size());
  TreeCursor cursor(tree, "");
  size_t rank = 0;
  for (const auto& [key, revision] : model) {
    const Cell* cell = cursor.Next();
    ASSERT_NE(cell, nullptr);
    ASSERT_EQ(cell->key(), key);
    ASSERT_EQ(cell->modified().value(), revision);
    ASSERT_EQ(tree.Find(key), cell);
    ASSERT_EQ(tree.Rank(key), rank++);
  }
  ASSERT_EQ(cursor.Next(), nullptr);
}

struct Workload {
  const char* name;
  int keys, changes, erase_percent, edit_length;
};

class TreeWorkload : public testing::TestWithParam<Workload> {};

// Against a map; copies that were taken on the way must stay as they were.
TEST_P(TreeWorkload, IsAMapWhoseCopiesDoNotChange) {
  const Workload& load = GetParam();
  std::mt19937 random(5);
  Tree tree;
  Model model;
  std::vector<std::pair<Tree, Model>> copies;
  for (int i = 1; i <= load.changes; ++i) {
    const Edit edit(static_cast<uint64_t>(i / load.edit_length + 1));
    const std::string key = std::to_string(random() % load.keys);
    auto known = model.find(key);
    CellRef before;
    if (static_cast<int>(random() % 100) < load.erase_percent) {
      before = tree.Erase(key, edit);
      ASSERT_EQ(bool(before), known != model.end());
      if (before) model.erase(known);
    } else {
      before = tree.Put(MakeCell(key, i), edit);
      ASSERT_EQ(bool(before), known != model.end());
      model[key] = i;
    }
    ASSERT_EQ(tree.size(), model.size());
    // A copy ends the edit.
    if (i % load.edit_length == load.edit_length - 1 && copies.size() < 40 && random() % 20 == 0)
      copies.emplace_back(tree, model);
  }
  ExpectSame(tree, model);
  for (const auto& [copy, state] : copies) ExpectSame(copy, state);
  for (int i = 0; i < 200; ++i) {
    const std::string start = std::to_string(random() % load.keys) + "x";
    const Cell* cell = TreeCursor(tree, start).Next();
    auto expected = model.lower_bound(start);
    ASSERT_EQ(cell == nullptr, expected == model.end());
    if (cell != nullptr) ASSERT_EQ(cell->key(), expected->first);
    ASSERT_EQ(tree.Rank(start), static_cast<size_t>(std::distance(model.begin(), expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(Loads, TreeWorkload,
                         testing::Values(Workload{"small", 20, 500, 40, 1}, Workload{"grows", 5000, 8000, 5, 1},
                                         Workload{"grows_in_batches", 5000, 8000, 5, 64},
                                         Workload{"shrinks", 2000, 20000, 65, 1},
                                         Workload{"shrinks_in_batches", 2000, 20000, 65, 100},
                                         Workload{"in_one_edit", 3000, 10000, 30, 1000000}),
                         [](const auto& info) { return info.param.name; });

TEST(Tree, EmptiesAndFillsAgain) {
  Tree tree;
  for (int round = 0; round < 3; ++round) {
    const Edit edit(static_cast<uint64_t>(round + 1));
    for (int i = 0; i < 1000; ++i) tree.Put(MakeCell(std::to_string(i), i + 1), edit);
    EXPECT_EQ(tree.size(), 1000u);
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(tree.Erase(std::to_string(i), edit));
    EXPECT_EQ(tree.size(), 0u);
    EXPECT_EQ(TreeCursor(tree, "").Next(), nullptr);
    EXPECT_EQ(tree.Rank("5"), 0u);
  }
}

TEST(Tree, BuildsFromSortedCells) {
  for (int size : {0, 1, 32, 33, 1024, 1025, 40000}) {
    Model model;
    for (int i = 0; i < size; ++i) model[std::to_string(i)] = i + 1;
    std::vector<CellRef> cells;
    for (const auto& [key, revision] : model) cells.push_back(MakeCell(key, revision));
    Tree tree = Tree::Build(cells);
    ExpectSame(tree, model);
    tree.Put(MakeCell("5x", 7), Edit(1));
    model["5x"] = 7;
    ExpectSame(tree, model);
  }
}

TEST(PrefixEnd, IsTheLeastStringBeyond) {
  EXPECT_EQ(PrefixEnd(""), "");
  EXPECT_EQ(PrefixEnd("a/"), "a0");
  EXPECT_EQ(PrefixEnd("a\xff"), "b");
  EXPECT_EQ(PrefixEnd("\xff\xff"), "");
}

}  // namespace
}  // namespace store
