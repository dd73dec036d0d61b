// Regexp: a regular expression as Go reads them. RE2, of which Go's are a kind, does the work; what Go writes otherwise
// (names of groups and of Unicode's categories) is put into its words.
//
// Immutable, any thread; copies share what was compiled. Matching is linear in the text times the expression.
#pragma once

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
  // `pattern` is UTF-8. The error is Go's: "error parsing regexp: missing closing ]: `[a`".
  static std::expected<Regexp, std::string> Compile(std::string_view pattern);

  // Whether any part of `text`, which is UTF-8, is as it says. What is too large for RE2, and not for Go, is in all
  // texts.
  bool IsIn(std::string_view text) const;

 private:
  explicit Regexp(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace api
