// Regexp: a regular expression as Go reads them. RE2, of which Go's are a kind, does the work; what Go writes otherwise
// (names of groups and of Unicode's categories) is put into its words.
//
// Immutable, any thread; copies share what was compiled. Matching is linear in the text times the expression.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace api {

class Regexp {
 public:
  // Bytes that a compiled expression may take, with what it remembers of texts; those that people write take some
  // thousands.
  static constexpr int64_t kMostMemory = int64_t{4} << 20;

  // `pattern` is UTF-8. The error is Go's: "error parsing regexp: missing closing ]: `[a`". What needs more than
  // `most_memory` bytes is in all texts.
  static std::expected<Regexp, std::string> Compile(std::string_view pattern, int64_t most_memory = kMostMemory);

  // About the work that compiling was, in bytes of the compiled form; what was too large counts for all it could have.
  int64_t cost() const { return cost_; }

  // Whether any part of `text`, which is UTF-8, is as it says.
  bool IsIn(std::string_view text) const;

 private:
  Regexp(std::shared_ptr<const re2::RE2> compiled, int64_t cost) : compiled_(std::move(compiled)), cost_(cost) {}
  std::shared_ptr<const re2::RE2> compiled_;
  int64_t cost_;
};

}  // namespace api
