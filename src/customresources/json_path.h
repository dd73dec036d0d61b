// JsonPath: the paths of printer columns and selectable fields (".spec.replicas", ".status.conditions[?(@.type==\"A\")]
// .status"), as client-go's jsonpath reads and evaluates them, keys that are missing allowed.
//
// Immutable, any thread. Parse: the error is Go's text. Evaluation is bounded: kMostJsonPathSteps values are looked at,
// then it fails. Its results point into the document and into the path.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace customresources {

inline constexpr size_t kMostJsonPathSteps = 100'000;
inline constexpr size_t kMostJsonPathText = 64 << 10;

class JsonPath {
 public:
  // `path` without the braces around it.
  static std::expected<JsonPath, std::string> Parse(std::string_view path);
  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;
  ~JsonPath();

  // What the path's first part finds in `document`. The error is Go's text.
  std::expected<std::vector<value::Value>, std::string> Find(const value::Value& document) const;

  struct List;

 private:
  explicit JsonPath(std::unique_ptr<List> root);
  std::unique_ptr<List> root_;
};

// As a column of type string shows a value: texts as they are, lists and maps as JSON, null as <no value>.
std::string PrintJsonPathResult(const value::Value& found);

}  // namespace customresources
