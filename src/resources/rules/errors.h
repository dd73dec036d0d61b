// Errors: the list of field errors that one validation gathers, in the order of the real server. One method a kind of
// error, so that a check reads as a sentence: `errors.Required(path.Child("name"))`. Owned by the validation that runs;
// one thread.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "api/error.h"
#include "api/field_path.h"
#include "value/value.h"

namespace resources {

using api::FieldPath;
using value::Value;

// How error texts print a bad value: strings quoted as Go does, lists and maps of strings in Go's form ([]string{"a"}),
// everything else as compact JSON; "null", in quotes, for an absent value.
std::string PrintBadValue(const Value& v);
// A list of strings of a Go type of their own: []core.Scope{"a"}; null prints as []core.Scope(nil).
std::string PrintListOf(std::string_view go_type, const Value& list);
// Bytes: []byte{0x41, 0xa}; none print as []byte(nil).
std::string PrintBytes(std::string_view bytes);

class Errors {
 public:
  void Required(const FieldPath& path, std::string_view detail = {});
  void Invalid(const FieldPath& path, const Value& bad, std::string_view detail);
  void Invalid(const FieldPath& path, std::string_view bad, std::string_view detail);  // a string value
  void Invalid(const FieldPath& path, int64_t bad, std::string_view detail);
  // `printed` goes into the text as it is: times, quantities' Go forms.
  void InvalidAs(const FieldPath& path, std::string printed, std::string_view detail);
  // A value that is a struct: printed as compact JSON, whatever it holds.
  void InvalidStruct(const FieldPath& path, const Value& bad, std::string_view detail);
  // Without the value.
  void InvalidWhole(const FieldPath& path, std::string_view detail);
  void NotSupported(const FieldPath& path, std::string_view bad, std::span<const std::string_view> supported);
  void NotSupported(const FieldPath& path, std::string_view bad, std::initializer_list<std::string_view> supported) {
    NotSupported(path, bad, std::span(supported.begin(), supported.size()));
  }
  // `printed` as in InvalidAs.
  void NotSupportedAs(const FieldPath& path, std::string printed, std::span<const std::string_view> supported);
  void Forbidden(const FieldPath& path, std::string_view detail);
  void Duplicate(const FieldPath& path, const Value& bad);
  void Duplicate(const FieldPath& path, std::string_view bad);
  void DuplicateStruct(const FieldPath& path, const Value& bad, std::string_view detail = {});
  void DuplicateAs(const FieldPath& path, std::string printed);  // as in InvalidAs
  void NotFound(const FieldPath& path, std::string_view bad);
  void TooLong(const FieldPath& path, int64_t most_bytes);            // "may not be more than N bytes"
  void TooMany(const FieldPath& path, int64_t actual, int64_t most);  // "must have at most N items"
  void Internal(const FieldPath& path, std::string_view detail);
  void TypeInvalid(const FieldPath& path, const Value& bad, std::string_view detail);
  void Add(api::FieldError error);

  // How many were found, those among them that were too many to keep.
  size_t size() const { return found_; }
  bool empty() const { return found_ == 0; }
  // No more are kept, but counted. Who prints much for each error asks first.
  bool full() const { return list_.full(); }
  void Truncate(size_t size);  // forgets what came after a check began
  api::FieldErrors Take() && { return std::move(list_); }

 private:
  void Put(api::FieldError::Type type, const FieldPath& path, std::string value, std::string_view detail);
  api::FieldErrors list_;
  size_t found_ = 0;
};

}  // namespace resources
