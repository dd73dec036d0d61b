#include "api/ip_address.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(IpAddress, ReadsLooselyAndPrintsTheShortestForm) {
  struct {
    const char *text, *shown;  // "" is refused
  } cases[] = {
      {"10.0.0.1", "10.0.0.1"},
      {"010.000.0.01", "10.0.0.1"},
      {"::", "::"},
      {"::1", "::1"},
      {"2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
      {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"fd00::", "fd00::"},
      {"::ffff:10.0.0.1", "10.0.0.1"},
      {"64:ff9b::1.2.3.4", "64:ff9b::102:304"},
      {"00001::", "1::"},
      {"", ""},
      {"10.0.0", ""},
      {"10.0.0.256", ""},
      {"10.0.0.1.2", ""},
      {"1..2.3", ""},
      {":::", ""},
      {"1:2:3:4:5:6:7:8:9", ""},
      {"1:2:3:4:5:6:7:8::", ""},
      {"1::2::3", ""},
      {"fe80::1%eth0", ""},
      {"10000::", ""},
      {"x", ""},
  };
  for (const auto& c : cases) {
    const auto read = IpAddress::ParseLoosely(c.text);
    EXPECT_EQ(read ? read->text() : "", c.shown) << c.text;
  }
}

TEST(IpAddress, TheStrictReadingSaysWhatIsWrong) {
  struct {
    const char *text, *error;
  } cases[] = {
      {"10.0.0.1", ""},
      {"fe80::1%eth0", ""},
      {"x", R"(ParseAddr("x"): unable to parse IP)"},
      {"010.0.0.1", R"(ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero)"},
      {"10.0.0.256", R"(ParseAddr("10.0.0.256"): IPv4 field has value >255)"},
      {"1.2.3.", R"(ParseAddr("1.2.3."): IPv4 field must have at least one digit (at "."))"},
      {"1.2.3", R"(ParseAddr("1.2.3"): IPv4 address too short)"},
      {"1.2.3.4.5", R"(ParseAddr("1.2.3.4.5"): IPv4 address too long)"},
      {"10.0.0.0/8", R"(ParseAddr("10.0.0.0/8"): unexpected character (at "/8"))"},
      {"12345::", R"(ParseAddr("12345::"): each group must have 4 or less digits (at "12345::"))"},
      {"1:2", R"(ParseAddr("1:2"): address string too short)"},
      {"1:", R"(ParseAddr("1:"): colon must be followed by more characters (at ":"))"},
      {"1::2::", R"(ParseAddr("1::2::"): multiple :: in address (at ":"))"},
      {"::g", R"(ParseAddr("::g"): each colon-separated field must have at least one digit (at "g"))"},
      {"::1%", R"(ParseAddr("::1%"): zone must be a non-empty string)"},
      {"%a", R"(ParseAddr("%a"): missing IPv6 address)"},
  };
  for (const auto& c : cases) {
    const auto read = IpAddress::ParseStrictly(c.text);
    EXPECT_EQ(read ? "" : read.error(), c.error) << c.text;
  }
  EXPECT_EQ(IpAddress::ParseStrictly("::FFFF:1.2.3.4")->strict_text(), "::ffff:1.2.3.4");
  EXPECT_EQ(IpAddress::ParseStrictly("fe80::1%eth0")->strict_text(), "fe80::1%eth0");
}

TEST(IpAddress, CountsForwards) {
  const IpAddress start = *IpAddress::ParseLoosely("10.0.0.255");
  EXPECT_EQ(start.Plus(2).text(), "10.0.1.1");
  EXPECT_EQ(start.DistanceTo(start.Plus(70000)), 70000);
  EXPECT_EQ(start.Plus(1).DistanceTo(start), -1);
  EXPECT_EQ(IpAddress::ParseLoosely("fd00::ffff")->Plus(1).text(), "fd00::1:0");
}

TEST(IpPrefix, Contains) {
  struct {
    const char *prefix, *address;
    bool in;
  } cases[] = {
      {"10.0.0.0/24", "10.0.0.255", true}, {"10.0.0.0/24", "10.0.1.0", false}, {"10.0.0.77/024", "10.0.0.1", true},
      {"0.0.0.0/0", "1.2.3.4", true},      {"0.0.0.0/0", "::1", false},        {"::/0", "::1", true},
      {"fd00::/112", "fd00::1:0", false},  {"::/0", "10.0.0.1", false},        {"10.0.0.1/32", "10.0.0.1", true},
      {"fd00::/112", "fd00::ffff", true},  {"::ffff:80:ff/1", "::1", true},    {"::ffff:80:ff/1", "10.0.0.1", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(IpPrefix::ParseLoosely(c.prefix)->Contains(*IpAddress::ParseLoosely(c.address)), c.in)
        << c.prefix << " " << c.address;
  }
  for (const char* bad : {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "x/8", "::%a/8"}) {
    EXPECT_FALSE(IpPrefix::ParseLoosely(bad)) << bad;
  }
}

TEST(IpPrefix, TheStrictReadingSaysWhatIsWrong) {
  struct {
    const char *text, *error;
  } cases[] = {
      {"10.0.0.0/8", ""},
      {"10.0.0.0", R"(netip.ParsePrefix("10.0.0.0"): no '/')"},
      {"10.0.0.0/08", R"(netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08")"},
      {"10.0.0.0/33", R"(netip.ParsePrefix("10.0.0.0/33"): prefix length out of range)"},
      {"010.0.0.0/8",
       R"(netip.ParsePrefix("010.0.0.0/8"): ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero)"},
      {"fe80::%a/8", R"(netip.ParsePrefix("fe80::%a/8"): IPv6 zones cannot be present in a prefix)"},
  };
  for (const auto& c : cases) {
    const auto read = IpPrefix::ParseStrictly(c.text);
    EXPECT_EQ(read ? "" : read.error(), c.error) << c.text;
  }
  EXPECT_EQ(IpPrefix::ParseStrictly("2001:DB8::/64")->strict_text(), "2001:db8::/64");
}

}  // namespace
}  // namespace api
