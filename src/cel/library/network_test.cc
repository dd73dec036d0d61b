#include "cel/library/network.h"

#include <gtest/gtest.h>

namespace cel::library {
namespace {

TEST(Network, ReadsAddresses) {
  EXPECT_EQ(ParseIp("192.168.0.1")->text(), "192.168.0.1");
  EXPECT_EQ(ParseIp("2001:DB8::0:1")->text(), "2001:db8::1");
  EXPECT_EQ(ParseIp("192.168.0.1")->family(), 4);
  EXPECT_EQ(ParseIp("::1")->family(), 6);
  EXPECT_EQ(*ParseIp("::1"), *ParseIp("0:0::1"));
  EXPECT_NE(*ParseIp("0.0.0.1"), *ParseIp("::1"));
  EXPECT_EQ(
      ParseIp("192.168.0.1.0").error(),
      "IP Address \"192.168.0.1.0\" parse error during conversion from string: ParseAddr(\"192.168.0.1.0\"): IPv4 "
      "address too long");
  EXPECT_EQ(ParseIp("::ffff:1.2.3.4").error(), "IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed");
  EXPECT_EQ(ParseIp("fe80::1%en0").error(), "IP address \"fe80::1%en0\" with zone value is not allowed");
  EXPECT_EQ(IsCanonicalIp("2001:db8:0::1"), false);
  EXPECT_EQ(IsCanonicalIp("2001:db8::1"), true);
  EXPECT_FALSE(IsCanonicalIp("x").has_value());
}

TEST(Network, KnowsKindsOfAddresses) {
  EXPECT_TRUE(ParseIp("0.0.0.0")->IsUnspecified());
  EXPECT_TRUE(ParseIp("::")->IsUnspecified());
  EXPECT_FALSE(ParseIp("::1")->IsUnspecified());
  EXPECT_TRUE(ParseIp("127.9.9.9")->IsLoopback());
  EXPECT_TRUE(ParseIp("::1")->IsLoopback());
  EXPECT_TRUE(ParseIp("224.0.0.7")->IsLinkLocalMulticast());
  EXPECT_TRUE(ParseIp("ff02::1")->IsLinkLocalMulticast());
  EXPECT_FALSE(ParseIp("ff05::1")->IsLinkLocalMulticast());
  EXPECT_TRUE(ParseIp("169.254.1.1")->IsLinkLocalUnicast());
  EXPECT_TRUE(ParseIp("fe80::1")->IsLinkLocalUnicast());
  EXPECT_TRUE(ParseIp("10.0.0.1")->IsGlobalUnicast());
  EXPECT_TRUE(ParseIp("fd80::1")->IsGlobalUnicast());
  for (const std::string_view text :
       {"255.255.255.255", "239.1.1.1", "0.0.0.0", "127.0.0.1", "169.254.0.1", "::", "ff05::1"}) {
    EXPECT_FALSE(ParseIp(text)->IsGlobalUnicast()) << text;
  }
}

TEST(Network, ReadsPrefixes) {
  EXPECT_EQ(ParseCidr("10.1.2.3/8")->text(), "10.1.2.3/8");
  EXPECT_EQ(ParseCidr("10.1.2.3/8")->Masked().text(), "10.0.0.0/8");
  EXPECT_EQ(ParseCidr("2001:db8:ffff::/33")->Masked().text(), "2001:db8:8000::/33");
  EXPECT_EQ(ParseCidr("10.1.2.3/13")->size(), 2);
  EXPECT_NE(*ParseCidr("10.1.2.3/8"), *ParseCidr("10.0.0.0/8"));
  constexpr std::string_view kNone = "network address parse error during conversion from string: ";
  EXPECT_EQ(ParseCidr("10.0.0.0/33").error(),
            std::string(kNone) + std::string(kNone) + "netip.ParsePrefix(\"10.0.0.0/33\"): prefix length out of range");
  EXPECT_EQ(ParseCidr("::ffff:1.2.3.4/100").error(),
            std::string(kNone) + "IPv4-mapped IPv6 address \"::ffff:1.2.3.4/100\" is not allowed");
}

TEST(Network, PrefixesContain) {
  const Cidr v4 = *ParseCidr("192.168.1.0/25"), v6 = *ParseCidr("2001:db8::/32");
  EXPECT_TRUE(v4.Contains(*ParseIp("192.168.1.127")));
  EXPECT_FALSE(v4.Contains(*ParseIp("192.168.1.128")));
  EXPECT_FALSE(v4.Contains(*ParseIp("2001:db8::1")));
  EXPECT_TRUE(v6.Contains(*ParseIp("2001:db8:ffff::1")));
  EXPECT_FALSE(v6.Contains(*ParseIp("2001:db9::1")));
  EXPECT_TRUE(ParseCidr("0.0.0.0/0")->Contains(*ParseIp("9.9.9.9")));
  EXPECT_TRUE(v4.Contains(*ParseCidr("192.168.1.64/26")));
  EXPECT_TRUE(v4.Contains(v4));
  EXPECT_FALSE(v4.Contains(*ParseCidr("192.168.0.0/16")));
  EXPECT_FALSE(v4.Contains(v6));
}

}  // namespace
}  // namespace cel::library
