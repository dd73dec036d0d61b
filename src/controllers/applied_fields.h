// What a controller that applies has to say about its fields in metadata.managedFields, where the fields are always the
// same ones. Pure, any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "value/value.h"

namespace controllers {

struct AppliedFields {
  std::string_view manager;
  std::string_view subresource;  // "" the object itself
  std::string api_version;
  std::string_view fields;  // fieldsV1, as JSON
};
// As a forced apply: the manager's entry says these fields, and top-level ones are nobody else's any more. Everything
// that the views point to is copied.
void RecordApplied(const value::Value& object, const AppliedFields& applied, std::chrono::system_clock::time_point now,
                   value::Arena& arena);

// As an apply of nothing after that: the entry goes, and those of its top-level fields that nobody else has go from
// the object. False where there is no entry.
bool ReleaseApplied(const value::Value& object, const AppliedFields& applied);

}  // namespace controllers
