// The selectors that an access review may carry: what they must have, and whether they can be used. Part of reviews;
// pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "value/value.h"

namespace handlers {

// What is wrong with `resourceAttributes`' fieldSelector and labelSelector; `path` is where the attributes stand.
void CheckReviewSelectors(const value::Value& attributes, std::string_view path, api::FieldErrors& errors);

// What status.evaluationError says of selectors that hold but cannot be (wholly) used; "" if all can.
std::string SelectorEvaluationError(const value::Value& attributes, std::string_view path);

// A selector of an access review as the text that a list would carry, in the arena: of its requirements those that can
// be used. "" for none.
std::string_view FieldSelectorText(const value::Value& selector, value::Arena& arena);
std::string_view LabelSelectorText(const value::Value& selector, value::Arena& arena);

}  // namespace handlers
