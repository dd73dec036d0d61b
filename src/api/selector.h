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
  // The same of labels that come one after the other, each key once: `next` gives one, and false at the end. Costs
  // about the number of labels, however many requirements there are.
  using NextLabel = absl::FunctionRef<bool(std::string_view& key, std::string_view& value)>;
  bool MatchesEach(NextLabel next) const;
  bool empty() const { return requirements_.empty(); }
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  std::string text() const;  // as the server prints it

 private:
  std::vector<LabelRequirement> requirements_;  // by key; of one key in the order of the text
  size_t needed_ = 0;                           // of these, how many want the label to be there
};

struct FieldTerm {
  std::string field, value;
  bool equal = true;  // = and ==, or !=
};

class FieldSelector {
 public:
  static constexpr size_t kMostTerms = 1000;  // each is held against each object of a list; more are an error
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
