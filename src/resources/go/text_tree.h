// Text as a tree of lists and lines that is laid out like gofmt does: a list that fits is one line, another has one
// item a line, keys aligned. Used by difference.h. Nodes are immutable and shared; pure functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resources::text {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

// How many records an ellipsis stands for, by what became of them.
struct Counts {
  std::string_view name;  // "field", "element", "entry", "byte"
  int identical = 0, removed = 0, inserted = 0, modified = 0;

  int differing() const { return removed + inserted + modified; }
  bool empty() const { return identical == 0 && differing() == 0; }
  void Add(const Counts& more);
  std::string Text() const;  // "3 identical fields"
};

struct Record {
  char diff = 0;  // '-' or '+', 0 or ' ' for what stays
  std::string key;
  NodePtr value;
  bool elide_comma = false;
  std::optional<Counts> counts;
  std::string comment{};  // in their place
};

struct Node {
  enum class Kind { kLine, kList, kWrap };
  Kind kind = Kind::kLine;
  std::string text;            // of a line
  std::string prefix, suffix;  // of a wrap, around `value`
  NodePtr value;
  std::vector<Record> records;  // of a list
};

NodePtr Line(std::string text);
NodePtr List(std::vector<Record> records);
NodePtr Wrap(std::string prefix, NodePtr value, std::string suffix = {});
NodePtr Ellipsis();
void AppendEllipsis(std::vector<Record>& records, std::optional<Counts> counts);

bool Same(const NodePtr& a, const NodePtr& b);
// Bytes of the tree as one line.
size_t Length(const NodePtr& node);
// The whole tree, laid out, with a line feed at its end.
std::string Layout(const NodePtr& node);

}  // namespace resources::text
