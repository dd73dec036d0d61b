// Label and field selectors: parsing with the real server's texts, matching. Immutable after parsing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/error.h"

namespace api {

struct LabelRequirement {
  enum class Operator {
    kIn,
    kNotIn,
    kEquals,
    kDoubleEquals,
    kNotEquals,
    kExists,
    kDoesNotExist,
    kGreaterThan,
    kLessThan
  };
  std::string key;
  Operator op;
  std::vector<std::string> values;  // sorted
};

// The value of a label: nullopt-like through `present`.
using LabelLookup = absl::FunctionRef<const std::string_view*(std::string_view key)>;

class LabelSelector {
 public:
  static Result<LabelSelector> Parse(std::string_view text);  // "" selects everything
  bool Matches(LabelLookup label) const;
  bool empty() const { return requirements_.empty(); }
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  std::string text() const;  // as the server prints it

 private:
  std::vector<LabelRequirement> requirements_;
};

struct FieldTerm {
  std::string field, value;
  bool equal = true;  // = and ==, or !=
};

class FieldSelector {
 public:
  static Result<FieldSelector> Parse(std::string_view text);
  bool Matches(absl::FunctionRef<std::string_view(std::string_view field)> value_of) const;
  bool empty() const { return terms_.empty(); }
  const std::vector<FieldTerm>& terms() const { return terms_; }
  std::vector<FieldTerm>& terms() { return terms_; }
  // The value the field must have, or nullptr: metadata.name and metadata.namespace narrow a scan.
  const std::string* RequiresExact(std::string_view field) const;

 private:
  std::vector<FieldTerm> terms_;
};

}  // namespace api
