// Holds JSON values against the schemas of definitions, as the real server's validator does: what defaults within a
// schema must be. Pure; any thread; bounded by the value's size times the schema's.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/regexp.h"
#include "resources/rules/errors.h"

namespace resources::apiextensions {

// What holding values against the schemas of one definition takes, which is bounded.
class Effort {
 public:
  // Counts what is looked at, or told; false where that is too much.
  bool Spend(size_t steps) { return (steps_ += steps) <= kMostSteps; }

  // Whether `pattern`, which was found to be one with the schema's structure, is in `text`. Few expressions are kept
  // compiled, and no more than some megabytes of them are compiled at all: what is too large, or comes after, is in all
  // texts.
  bool IsIn(std::string_view pattern, std::string_view text);

 private:
  static constexpr size_t kMostSteps = 16 << 20;
  static constexpr size_t kMostKept = 8;
  static constexpr int64_t kMostCompiling = 4 * api::Regexp::kMostMemory;
  std::map<std::string, std::expected<api::Regexp, std::string>, std::less<>> compiled_;
  int64_t compiling_ = 0;  // costs of all that were compiled
  size_t steps_ = 0;
};

// As Go prints what it read of JSON: map[string]interface {}{"a":1}.
std::string PrintContent(const Value& content);

// Puts what `value`, which stands at `path`, does wrong of `schema`, a JSONSchemaProps that is structural.
void CheckValue(Errors& errors, const FieldPath& path, const Value& value, const Value& schema, Effort& effort);

}  // namespace resources::apiextensions
