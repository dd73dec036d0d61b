#include "handlers/subresources/review_selectors.h"

#include <gtest/gtest.h>

#include "value/json_reader.h"

namespace handlers {
namespace {

TEST(ReviewSelectors, AreCheckedAndEvaluated) {
  struct {
    std::string_view attributes, errors, evaluation;
  } cases[] = {
      {"{}", "", ""},
      {R"j({"fieldSelector":{"rawSelector":"a=b"},"labelSelector":{"rawSelector":"a in (b)"}})j", "", ""},
      {R"({"fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b"]}]}})", "", ""},
      {R"({"fieldSelector":{}})",
       "at.fieldSelector.requirements: Required value: when at.fieldSelector is specified, requirements or rawSelector "
       "is required",
       ""},
      {R"({"fieldSelector":{"rawSelector":"a=b","requirements":[{"operator":"Exists","values":["c"]}]}})",
       "[at.fieldSelector.rawSelector: Invalid value: \"a=b\": may not specified at the same time as requirements, "
       "at.fieldSelector.requirements[0].key: Required value: must be specified, "
       "at.fieldSelector.requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or "
       "'DoesNotExist']",
       "at.fieldSelector ignored due to parse error"},
      {R"({"labelSelector":{"requirements":[{"key":"a","operator":"In"},{"key":"b","operator":"In","values":["-"]}]}})",
       "[at.labelSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or "
       "'NotIn', at.labelSelector.requirements[1].values[0]: Invalid value: \"-\": a valid label must be an empty "
       "string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
       "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
       "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]",
       ""},
      {R"({"fieldSelector":{"rawSelector":"((("},"labelSelector":{"rawSelector":"((("}})", "",
       "at.fieldSelector ignored due to parse error; at.labelSelector ignored due to parse error"},
      {R"({"fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b"]},
          {"key":"a","operator":"NotIn","values":["b","c"]}]}})",
       "", "at.fieldSelector partially ignored due to parse error"},
      {R"({"labelSelector":{"requirements":[{"key":"a","operator":"Near","values":["b"]}]}})", "",
       "at.labelSelector ignored due to parse error"},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    const value::Value attributes = value::ReadJson(c.attributes, arena).value();
    api::FieldErrors errors;
    CheckReviewSelectors(attributes, "at", errors);
    EXPECT_EQ(api::JoinTexts(errors), c.errors) << c.attributes;
    EXPECT_EQ(SelectorEvaluationError(attributes, "at"), c.evaluation) << c.attributes;
  }
}

}  // namespace
}  // namespace handlers
