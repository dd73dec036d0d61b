// Regexp: a regular expression as Go reads them. RE2, of which Go's are a kind, does the work; what Go writes otherwise
// (names of groups and of Unicode's categories) is put into its words.
//
// Immutable, any thread; copies share what was compiled. Matching is linear in the text times the expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
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
  // The same for who compiles few of them and has to read all that Go reads.
  static constexpr int64_t kLargestMemory = int64_t{64} << 20;

  // `pattern` is UTF-8. The error is Go's: "error parsing regexp: missing closing ]: `[a`". What needs more than
  // `most_memory` bytes is in all texts.
  static std::expected<Regexp, std::string> Compile(std::string_view pattern, int64_t most_memory = kMostMemory);

  // About the work that compiling was, in bytes of the compiled form; what was too large counts for all it could have.
  int64_t cost() const { return cost_; }

  // Whether any part of `text`, which is UTF-8, is as it says.
  bool IsIn(std::string_view text) const;

  // The first part of `text`, from byte `from` on (which begins a code point), that is as it says: of those that begin
  // there the one that Go prefers. A view of `text`. What is too large for RE2 is nowhere.
  std::optional<std::string_view> Find(std::string_view text, size_t from = 0) const;

  // About how many bytes it holds before it is first used.
  size_t memory() const;

 private:
  Regexp(std::shared_ptr<const re2::RE2> compiled, bool has_prefix, int64_t cost)
      : compiled_(std::move(compiled)), has_prefix_(has_prefix), cost_(cost) {}
  std::shared_ptr<const re2::RE2> compiled_;
  bool has_prefix_;  // what stands before a match is part of the compiled expression, the match its first group
  int64_t cost_;
};

}  // namespace api
