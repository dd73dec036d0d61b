#include "cel/library/times.h"

#include <gtest/gtest.h>

#include <limits>

namespace cel::library {
namespace {

Instant Read(std::string_view text) {
  Instant instant;
  EXPECT_TRUE(ParseInstant(text, instant)) << text;
  return instant;
}

TEST(Times, ReadsAndPrintsInstants) {
  struct Case {
    std::string_view text, printed;
  } cases[] = {
      {"2009-02-13T23:31:30Z", "2009-02-13T23:31:30Z"},
      {"2009-02-13T23:31:30+00:00", "2009-02-13T23:31:30Z"},
      {"2009-02-13T23:31:30.120-08:00", "2009-02-13T23:31:30.12-08:00"},
      {"2009-02-13T3:31:30,5Z", "2009-02-13T03:31:30.5Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59.9999999991Z", "9999-12-31T23:59:59.999999999Z"},
      {"2000-02-29T00:00:00+24:60", "2000-02-29T00:00:00+25:00"},
  };
  for (const Case& c : cases) EXPECT_EQ(FormatInstant(Read(c.text)), c.printed);
  EXPECT_EQ(Read("2009-02-13T23:31:30Z").seconds, 1234567890);
  EXPECT_EQ(Read("2009-02-13T23:31:30+02:00").seconds, 1234567890 - 7200);
}

TEST(Times, RefusesWhatIsNoInstant) {
  Instant instant;
  for (const std::string_view bad :
       {"", "2009-02-13", "2009-02-13 23:31:30Z", "2009-02-13T23:31:30", "2009-02-13T24:00:00Z", "2009-02-13T23:60:00Z",
        "2009-02-13T23:31:60Z", "2009-02-30T00:00:00Z", "2009-13-01T00:00:00Z", "2009-1-01T00:00:00Z",
        "2009-02-13T23:31:30z", "2009-02-13t23:31:30Z", "2009-02-13T23:31:30.Z", "2009-02-13T23:31:30+25:00",
        "2009-02-13T23:31:30+01:61", "2009-02-13T23:31:30Z ", "10000-01-01T00:00:00Z", "1900-02-29T00:00:00Z"}) {
    EXPECT_FALSE(ParseInstant(bad, instant)) << bad;
  }
  EXPECT_FALSE(IsInRange(Read("0001-01-01T00:00:00+00:01")));
  EXPECT_FALSE(IsInRange(Read("0000-01-01T00:00:00Z")));
}

TEST(Times, ReadsDates) {
  Instant instant;
  EXPECT_TRUE(ParseDate("2020-02-29", instant));
  EXPECT_EQ(FormatInstant(instant), "2020-02-29T00:00:00Z");
  EXPECT_FALSE(ParseDate("2021-02-29", instant));
  EXPECT_FALSE(ParseDate("2020-02-29T", instant));
}

TEST(Times, PrintsDurationsAsSeconds) {
  struct Case {
    std::string_view text, printed;
  } cases[] = {{"1h30m", "5400s"},      {"1.5s", "1.5s"}, {"-100ms", "-0.1s"},
               {"1ns", "0.000000001s"}, {"0", "0s"},      {"2562047h47m16.854775807s", "9223372036.854776s"}};
  for (const Case& c : cases) {
    int64_t nanoseconds = 0;
    EXPECT_TRUE(ParseDuration(c.text, nanoseconds)) << c.text;
    EXPECT_EQ(FormatDuration(nanoseconds), c.printed);
  }
  int64_t nanoseconds = 0;
  EXPECT_FALSE(ParseDuration("1 s", nanoseconds));
  EXPECT_FALSE(ParseDuration("2562048h", nanoseconds));
}

TEST(Times, ReadsTextsOfDocuments) {
  struct Case {
    std::string_view text;
    int64_t seconds;
  } cases[] = {{"1h30m", 5400}, {"3 days", 259'200}, {"1 week 2 hours", 612'000}, {"2Minutes", 120}, {"5 hr", 18'000}};
  for (const Case& c : cases) {
    int64_t nanoseconds = 0;
    EXPECT_TRUE(ReadFormattedDuration(c.text, nanoseconds)) << c.text;
    EXPECT_EQ(nanoseconds, c.seconds * 1'000'000'000) << c.text;
  }
  int64_t nanoseconds = 0;
  EXPECT_FALSE(ReadFormattedDuration("soon", nanoseconds));
  EXPECT_FALSE(ReadFormattedDuration("3 years", nanoseconds));
  EXPECT_FALSE(ReadFormattedDuration("99999999999999999999 s", nanoseconds));
  Instant instant;
  EXPECT_TRUE(ReadFormattedDateTime("", instant) && instant.seconds == 0);
  EXPECT_TRUE(ReadFormattedDateTime("2020-01-01T00:00:00.5", instant) && instant.nanoseconds == 500'000'000);
  EXPECT_FALSE(ReadFormattedDateTime("2020-01-01", instant));
}

TEST(Times, ComputeWithinTheirRange) {
  const Instant first = Read("0001-01-01T00:00:00Z"), last = Read("9999-12-31T23:59:59.999999999Z");
  EXPECT_EQ(Subtract(first, int64_t{1}).error(), "timestamp overflow");
  EXPECT_EQ(Add(last, int64_t{1}).error(), "timestamp overflow");
  EXPECT_EQ(Subtract(last, first).error(), "integer overflow");
  EXPECT_EQ(Subtract(first, std::numeric_limits<int64_t>::min()).error(), "integer overflow");
  EXPECT_EQ(FormatInstant(*Add(Read("2009-02-13T23:31:30.7+01:00"), int64_t{-1'800'000'000})),
            "2009-02-13T23:31:28.9+01:00");
  EXPECT_EQ(*Subtract(Read("1970-01-01T00:00:01Z"), Read("1970-01-01T00:00:00.25Z")), 750'000'000);
  EXPECT_EQ(Read("1970-01-01T01:00:00+01:00"), Read("1970-01-01T00:00:00Z"));
  EXPECT_EQ(Compare(Read("1970-01-01T00:00:00.1Z"), Read("1970-01-01T00:00:00.09Z")), 1);
}

TEST(Times, TakesInstantsApart) {
  const Instant instant = Read("2009-02-13T23:31:30.123456Z");  // a Friday
  EXPECT_EQ(PartOf(instant, Part::kFullYear), 2009);
  EXPECT_EQ(PartOf(instant, Part::kMonth), 1);
  EXPECT_EQ(PartOf(instant, Part::kDayOfYear), 43);
  EXPECT_EQ(PartOf(instant, Part::kDayOfMonth), 12);
  EXPECT_EQ(PartOf(instant, Part::kDate), 13);
  EXPECT_EQ(PartOf(instant, Part::kDayOfWeek), 5);
  EXPECT_EQ(PartOf(instant, Part::kHours), 23);
  EXPECT_EQ(PartOf(instant, Part::kMinutes), 31);
  EXPECT_EQ(PartOf(instant, Part::kSeconds), 30);
  EXPECT_EQ(PartOf(instant, Part::kMilliseconds), 123);
  EXPECT_EQ(PartOf(Read("1969-12-31T23:59:59.5Z"), Part::kDayOfWeek), 3);
  EXPECT_EQ(PartOf(Read("0001-01-01T00:00:00Z"), Part::kDayOfWeek), 1);
}

TEST(Times, KnowsTimeZones) {
  const Instant instant = Read("2009-02-13T23:31:30Z");
  struct Case {
    std::string_view zone;
    int64_t hours;
  } cases[] = {{"", 23},       {"UTC", 23},    {"Europe/Berlin", 0}, {"America/Los_Angeles", 15},
               {"-08:00", 15}, {"+11:00", 10}, {"02:30", 2},         {"-00:32", 22},
               {"5:30", 5}};
  for (const Case& c : cases) EXPECT_EQ(PartOf(instant, Part::kHours, c.zone), c.hours) << c.zone;
  EXPECT_EQ(PartOf(Read("2009-07-01T12:00:00Z"), Part::kHours, "Europe/Berlin"), 14);  // summer
}

TEST(Times, SaysWhatIsNoTimeZone) {
  const Instant instant;
  struct Case {
    std::string_view zone, error;
  } cases[] = {{"Mars/Base", "unknown time zone Mars/Base"},
               {"100%", "unknown time zone 100%!(NOVERB)"},
               {"a%sb%%", "unknown time zone a%!s(MISSING)b%"},
               {"../etc/passwd", "time: invalid location name"},
               {"/etc/localtime", "time: invalid location name"},
               {"Europe", "unknown time zone Europe"},
               {"a:00", "strconv.Atoi: parsing \"a\": invalid syntax"},
               {"10:", "strconv.Atoi: parsing \"\": invalid syntax"},
               {"99999999999999999999:00", "strconv.Atoi: parsing \"99999999999999999999\": value out of range"}};
  for (const Case& c : cases) EXPECT_EQ(PartOf(instant, Part::kHours, c.zone).error(), c.error);
}

TEST(Times, CountsWholeUnitsOfDurations) {
  const int64_t duration = 3'661'500'000'000;
  EXPECT_EQ(HoursOf(duration), 1);
  EXPECT_EQ(MinutesOf(duration), 61);
  EXPECT_EQ(SecondsOf(duration), 3661);
  EXPECT_EQ(MillisecondsOf(duration), 3'661'500);
  EXPECT_EQ(HoursOf(-duration), -1);
}

}  // namespace
}  // namespace cel::library
