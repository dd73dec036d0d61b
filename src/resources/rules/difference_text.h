// The layout of a difference's text: a tree that takes one line where nothing in it differs, else a line for each part,
// keys and comments in columns. Used by difference.cc. A value type; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resources {

// How many parts are left out, and of what kind: "6 identical fields".
struct LeftOut {
  std::string_view name;  // "field", "element", "entry"
  int identical = 0, removed = 0, inserted = 0, modified = 0;

  bool none() const { return identical + removed + inserted + modified == 0; }
  int differing() const { return removed + inserted + modified; }
  void Add(const LeftOut& more);
  std::string text() const;
};

class DifferenceText {
 public:
  struct Part;

  static DifferenceText Line(std::string text);
  static DifferenceText Nil();
  static DifferenceText Wrap(std::string before, DifferenceText inner, std::string after);
  // `{` parts `}`
  static DifferenceText Braces(std::vector<Part> parts);

  bool operator==(const DifferenceText& other) const;
  bool is_nil() const { return kind_ == Kind::kLine && before_ == "nil"; }
  bool in_braces() const { return kind_ == Kind::kWrap && before_.starts_with('{') && after_.ends_with('}'); }
  // Bytes on one line.
  size_t size() const;

  // The whole text, with the first line's indent and the last line feed. Consumes the tree.
  std::string Layout() &&;

 private:
  enum class Kind : uint8_t { kLine, kWrap, kList };

  static DifferenceText List(std::vector<Part> parts);
  void Compact(char mark);
  void CompactList(char mark);
  void Expand(std::string& out, char mark, int depth) const;
  void ExpandList(std::string& out, char mark, int depth) const;
  bool IsBatch() const;

  Kind kind_ = Kind::kLine;
  std::string before_, after_;  // before_ is a line's text
  std::vector<Part> parts_;     // of a list; a wrap has one, what it wraps
};

struct DifferenceText::Part {
  char mark = 0;  // '-', '+', or 0
  std::string key;
  DifferenceText value;
  bool no_comma = false;
  std::optional<LeftOut> left_out;

  bool operator==(const Part& other) const;
};

// Adds "..." at the end of `parts`, with what it stands for; two in a row become one.
void AppendEllipsis(std::vector<DifferenceText::Part>& parts, const LeftOut& left_out = {});

}  // namespace resources
