// ErrorList: the field errors that one look at a custom resource gathers, in the order of the real server. Owned by who
// gathers; one thread. Bounded: what comes after kMostBytes of texts is counted, not kept.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "value/value.h"

namespace customresources {

using value::Value;

// How error texts print what was read from JSON: "x", 1.5, map[string]interface {}{"a":1}, "null" for null.
std::string PrintContent(const Value& content);
// A float64 as Go's %v prints it: the exponent shows from a million on.
std::string PrintFloat(double number);

class ErrorList {
 public:
  static constexpr size_t kMostBytes = 4 << 20;

  void Add(api::FieldError error);
  // `printed` is the bad value as the text shows it.
  void Invalid(std::string field, std::string printed, std::string detail);
  void Required(std::string field, std::string detail = {});
  void Duplicate(std::string field, std::string printed);

  size_t size() const { return found_; }
  bool empty() const { return found_ == 0; }
  bool full() const { return bytes_ >= kMostBytes; }
  const api::FieldErrors& errors() const { return list_; }
  api::FieldErrors Take() && { return std::move(list_); }

  // Whether one of the errors keeps rules in CEL from being looked at: a wrong type, what is missing, too long, too
  // many or not supported.
  bool BlocksRules() const;

 private:
  api::FieldErrors list_;
  size_t found_ = 0, bytes_ = 0;
};

}  // namespace customresources
