// Events through both groups: each rule with an event that breaks it.
#include <gtest/gtest.h>

#include <string>

#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

struct Case {
  const char *name, *members, *errors;
};

TEST(Events, NewThroughCore) {
  KindFixture events("", "v1", "events", "Event", true);
  constexpr Case kCases[] = {
      {"says next to nothing", R"("involvedObject":{"namespace":"ns"})", ""},
      {"of another namespace", R"("involvedObject":{"namespace":"other"})",
       R"(involvedObject.namespace: Invalid value: "other": does not match event.namespace)"},
      {"of no namespace", R"("involvedObject":{})",
       R"(involvedObject.namespace: Invalid value: "": does not match event.namespace)"},
      {"has a time and no more",
       R"("involvedObject":{"namespace":"other"},"reportingComponent":"c","eventTime":"2027-01-01T00:00:00.000000Z")",
       "reportingInstance: Required value\naction: Required value\nreason: Required value"},
      {"has a time and a bad reporter",
       R"("involvedObject":{"namespace":"ns"},"eventTime":"2027-01-01T00:00:00.000000Z",
           "reportingComponent":"a/b/c","reportingInstance":"i","action":"a","reason":"r")",
       R"(reportingComponent: Invalid value: "a/b/c": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName'))"},
  };
  for (const Case& c : kCases) EXPECT_EQ(events.Create(c.members), c.errors) << c.name;
}

constexpr std::string_view kSound =
    R"("regarding":{"namespace":"ns"},"eventTime":"2027-01-01T00:00:00.000000Z","reportingController":"c",
       "reportingInstance":"i","action":"a","reason":"r","type":"Normal")";

TEST(Events, NewThroughTheirOwnGroup) {
  KindFixture events("events.k8s.io", "v1", "events", "Event", true);
  const auto with = [](std::string_view more) { return base::Cat(kSound, more); };
  struct {
    const char* name;
    std::string members;
    const char* errors;
  } cases[] = {
      {"sound", std::string(kSound), ""},
      {"nothing", R"("regarding":{"namespace":"ns"})",
       "eventTime: Required value\ntype: Invalid value: \"\": has invalid value: "},
      {"series", with(R"(,"series":{"count":1})"),
       "series.count: Invalid value: \"\": should be at least 2\nseries.lastObservedTime: Required value"},
      {"old fields",
       with(R"(,"deprecatedCount":1,"deprecatedSource":{"host":"h"},"deprecatedFirstTimestamp":"2027-01-01T00:00:00Z",
               "deprecatedLastTimestamp":"2027-01-01T00:00:00Z")"),
       "firstTimestamp: Invalid value: \"\": needs to be unset\nlastTimestamp: Invalid value: \"\": needs to be unset\n"
       "count: Invalid value: \"\": needs to be unset\nsource: Invalid value: \"\": needs to be unset"},
      {"long note", with(R"(,"note":")" + std::string(1025, 'n') + "\""),
       "message: Invalid value: \"\": can have at most 1024 characters"},
  };
  for (const auto& c : cases) EXPECT_EQ(events.Create(c.members), c.errors) << c.name;
}

TEST(Events, NothingButTheSeriesChanges) {
  KindFixture events("events.k8s.io", "v1", "events", "Event", true);
  const std::string series =
      base::Cat(kSound, R"(,"series":{"count":2,"lastObservedTime":"2027-01-01T00:00:00.000000Z"})");
  EXPECT_EQ(events.Update(kSound, series), "");
  EXPECT_EQ(events.Update(kSound, base::Cat(kSound, R"(,"note":"n","related":{"name":"x"},"deprecatedCount":3)")),
            "message: Invalid value: \"n\": field is immutable\ncount: Invalid value: 3: field is immutable\n"
            "related: Invalid value: core.ObjectReference{\"name\":\"x\"}: field is immutable");
  std::string later(kSound);
  later.replace(later.find("00.000000Z"), 10, "01.500000Z");
  EXPECT_EQ(events.Update(kSound, later),
            "eventTime: Invalid value: 2027-01-01 00:00:01.5 +0000 UTC: field is immutable");
}

}  // namespace
}  // namespace resources::core
