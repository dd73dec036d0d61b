// The text of an expression and the places in it; errors that point at them. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cel {

// Lines count from 1, columns from 0, in code points. Line -1: nowhere.
struct Place {
  int32_t line = -1;
  int32_t column = -1;
  auto operator<=>(const Place&) const = default;
};

class Source {
 public:
  explicit Source(std::string_view text);
  const std::string& text() const { return text_; }
  int32_t size() const { return size_; }  // code points
  Place At(int32_t offset) const;
  // The line's text without its end; false if there is no such line.
  bool Line(int32_t line, std::string_view& text) const;

 private:
  std::string text_;
  int32_t size_ = 0;
  struct Start {
    int32_t offset, byte;
  };
  std::vector<Start> lines_;  // where each line begins
};

struct Issue {
  Place place;
  std::string message;
};

// What is wrong with an expression; at most 100 are kept.
class Issues {
 public:
  void Add(Place place, std::string message);
  bool empty() const { return all_.empty(); }
  const std::vector<Issue>& all() const { return all_; }
  // "ERROR: <input>:1:5: undeclared reference to 'x' ..." with the line and a caret under the place, by place.
  std::string Text(const Source& source) const;

 private:
  std::vector<Issue> all_;
  int count_ = 0;
};

}  // namespace cel
