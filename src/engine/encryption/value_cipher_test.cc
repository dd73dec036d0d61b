// Values that kube-apiserver 1.32 wrote to etcd, values of our own, and what cannot be read.
#include "engine/encryption/value_cipher.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

namespace engine {
namespace {

using Kind = EncryptionProvider::Kind;

constexpr std::string_view kSecret = "0123456789abcdef0123456789abcdef";

GroupResource Resolve(std::string_view collection) {
  if (collection == "deployments") return {"apps", "deployments"};
  return {"", collection};
}

EncryptionRule Rule(std::string resource, std::vector<EncryptionProvider> providers, std::string group = "") {
  return {.resource = std::move(resource), .group = std::move(group), .providers = std::move(providers)};
}
EncryptionProvider Provider(Kind kind, std::vector<EncryptionKey> keys = {}) { return {kind, std::move(keys)}; }
EncryptionKey Key(std::string name, char fill = 0, size_t size = 32) {
  return {std::move(name), fill == 0 ? std::string(kSecret.substr(0, size)) : std::string(size, fill)};
}

std::string FromBase64(std::string_view text) {
  std::string bytes(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<uint8_t*>(bytes.data()),
                                   reinterpret_cast<const uint8_t*>(text.data()), static_cast<int>(text.size()));
  EXPECT_GT(size, 0);
  bytes.resize(static_cast<size_t>(size) - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));
  return bytes;
}

// Of an object in protobuf, as clusters store them.
constexpr std::string_view kGcmValue =
    "azhzOmVuYzphZXNnY206djE6azE6uWHcEWtAC772EptfwLekjjm/BgN7w+65cC1ki7ziznplqbp0pfz0sgO8B++MI3VwSyLhJVxg"
    "TglxAXaqLhxeer/H+BfQOdONd+jF81eqA+GTj6MYYhd23UGtadfi/FoP2SAa+HjQ3uTbD/IXvRcjli+1x8IfNLsRCJLjSMx5L0t9"
    "hlrIb33N7dQdMEIjMkcyb7INo1gBFPgRNI4pSIj8jS/8/QO6PbpaH5h032MwrlRXExnmWkxiQ5/dLsG5vQO7bSm1Ofs9Xl162zXf"
    "ntjkuYy5oxlW2ke95BKyXMG9mYJaTJiiaRcu";
constexpr std::string_view kSecretboxValue =
    "azhzOmVuYzpzZWNyZXRib3g6djE6c2I6Nyr05JhFNU8bey7PG0S9cMC8elARail3RNZY3HOa+uVglE5dGbBXo5VBF6iOn4pML9sd"
    "ZVDNauShJSQujFElxpcRdGltS4K3wB9LvYrMmfK1USxfx0fYPmtpmZp63OQA2yiHTpk/rBOzc2XH2afJdDqP0gELUXeyLbAJrjKs"
    "Q78VFOnieQou3Bmfy0xyZsw=";
constexpr std::string_view kCbcValue =
    "azhzOmVuYzphZXNjYmM6djE6a2V5MjpPBLve46WFTxrPaYAQxJ19AOs9DOnnI6ODr2FIyqn1kbhyv7Z9rsXPBiTgfFvYN7DSC3RI"
    "EEP3M4JcC1gXJNtWna2MzUMGUtQnctLiAYtpUERpfwmRAjEzvC51y+rwrPW+kom9ToZKiwUPbA0n5YwQx6uSkPEhIDR7YonI1rem"
    "huPjPkZ7rcvC8D+Q4xfI8M+IpvE67A90roh+Woc/HvmQIGqTrHDV2hAVjj6/v2vnQ5T0TPTJJCoPWlslR6ic0uDiAunAQLO0cSQn"
    "rdcPFgSEEKGrYkbMbxl+Bb0zieoWL6NwSVf4MJmkxpHl4P/yfdJ08s8YSShzzRoftpL9dRbKHS7zYefNPl7pqpz5p4LC9Ru7zlP+"
    "kBrAH9q5gjZsqMA=";

TEST(ValueCipher, ReadsWhatTheRealServerWrote) {
  struct Case {
    std::string_view collection, key, value, shows;
    Kind kind;
    std::string name;
  };
  const Case cases[] = {
      {"secrets", "audited/s", kGcmValue, "Opaque", Kind::kAesGcm, "k1"},
      {"serviceaccounts", "audited/sa", kSecretboxValue, "ServiceAccount", Kind::kSecretbox, "sb"},
      {"configmaps", "kube-system/kube-apiserver-legacy-service-account-token-tracking", kCbcValue, "since",
       Kind::kAesCbc, "key2"},
  };
  for (const Case& c : cases) {
    const ValueCipher cipher({Rule(std::string(c.collection), {Provider(c.kind, {Key(c.name)})})}, Resolve);
    const std::string stored = FromBase64(c.value);
    std::string plain;
    const auto opened = cipher.Open(c.collection, c.key, stored, plain);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_FALSE(opened->is_plain || opened->is_stale);
    EXPECT_TRUE(plain.starts_with(std::string_view("k8s\0", 4))) << c.collection;
    EXPECT_NE(plain.find(c.shows), std::string::npos);
    // Of AES-GCM the place counts.
    EXPECT_EQ(cipher.Open(c.collection, "audited/other", stored, plain).has_value(), c.kind != Kind::kAesGcm);
  }
}

TEST(ValueCipher, WritesWhatItReads) {
  for (const Kind kind : {Kind::kAesCbc, Kind::kAesGcm, Kind::kSecretbox}) {
    for (const size_t size : {16, 24, 32}) {
      if (kind == Kind::kSecretbox && size != 32) continue;
      const ValueCipher cipher({Rule("secrets", {Provider(kind, {Key("k", 0, size)})})}, Resolve);
      for (const size_t length : {0, 1, 15, 16, 17, 5000}) {
        const std::string plain(length, 'p');
        std::string stored, again, opened;
        ASSERT_TRUE(cipher.Seal("secrets", "n/s", plain, stored).value());
        ASSERT_TRUE(cipher.Seal("secrets", "n/s", plain, again).value());
        EXPECT_NE(stored, again);  // a nonce of its own each time
        ASSERT_TRUE(cipher.Open("secrets", "n/s", stored, opened));
        EXPECT_EQ(opened, plain);
        for (size_t cut = 0; cut < stored.size(); cut += 7) {
          std::string ignored;
          EXPECT_FALSE(cipher.Open("secrets", "n/s", stored.substr(0, cut), ignored) && ignored == plain);
        }
        if (kind == Kind::kAesCbc) continue;  // not authenticated
        for (size_t at = stored.size(); at-- > 20;) {
          std::string broken = stored;
          broken[at] ^= 1;
          EXPECT_FALSE(cipher.Open("secrets", "n/s", broken, opened));
          if (stored.size() - at > 40) break;
        }
      }
    }
  }
}

TEST(ValueCipher, TheFirstKeyWritesAndAllRead) {
  const ValueCipher old({Rule("secrets", {Provider(Kind::kAesGcm, {Key("old", 'o')})})}, Resolve);
  const ValueCipher both(
      {Rule("secrets", {Provider(Kind::kSecretbox, {Key("new", 'n')}),
                        Provider(Kind::kAesGcm, {Key("older", 'x'), Key("old", 'o')}), Provider(Kind::kIdentity)})},
      Resolve);
  std::string stored, plain;
  ASSERT_TRUE(old.Seal("secrets", "n/s", "text", stored).value());
  auto opened = both.Open("secrets", "n/s", stored, plain);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->is_stale);
  EXPECT_EQ(plain, "text");
  opened = both.Open("secrets", "n/s", "text", plain);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->is_plain && opened->is_stale);
  ASSERT_TRUE(both.Seal("secrets", "n/s", "text", stored).value());
  EXPECT_TRUE(stored.starts_with("k8s:enc:secretbox:v1:new:"));
  // The old key alone cannot read it.
  const auto missing = old.Open("secrets", "n/s", stored, plain);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "/registry/secrets/n/s: no matching prefix found");
  // Two keys of one name: each is tried.
  const ValueCipher same({Rule("secrets", {Provider(Kind::kAesGcm, {Key("old", 'x'), Key("old", 'o')})})}, Resolve);
  ASSERT_TRUE(old.Seal("secrets", "n/s", "text", stored).value());
  EXPECT_TRUE(same.Open("secrets", "n/s", stored, plain));
}

TEST(ValueCipher, TheNarrowestRuleHolds) {
  const ValueCipher cipher(
      {Rule("*", {Provider(Kind::kAesCbc, {Key("all")})}, "*"),
       Rule("*", {Provider(Kind::kAesCbc, {Key("group")})}, "apps"),
       Rule("secrets", {Provider(Kind::kAesCbc, {Key("one")})}), Rule("configmaps", {Provider(Kind::kIdentity)})},
      Resolve);
  std::string stored;
  for (const auto& [collection, name] : {std::pair("secrets", "one"), {"deployments", "group"}, {"pods", "all"}}) {
    ASSERT_TRUE(cipher.Seal(collection, "k", "text", stored).value());
    EXPECT_TRUE(stored.starts_with(std::string("k8s:enc:aescbc:v1:") + name + ":")) << collection;
  }
  EXPECT_FALSE(cipher.Seal("configmaps", "k", "text", stored).value());
}

TEST(ValueCipher, WhatHasNoRuleIsNotEncrypted) {
  const ValueCipher cipher({Rule("secrets", {Provider(Kind::kAesCbc, {Key("k")})})}, Resolve);
  std::string out;
  EXPECT_FALSE(cipher.Seal("pods", "n/p", "text", out).value());
  EXPECT_TRUE(cipher.Open("pods", "n/p", "text", out)->is_plain);
  EXPECT_EQ(cipher.Open("pods", "n/p", "k8s:enc:aescbc:v1:k:x", out).error().message,
            "/registry/pods/n/p: identity transformer tried to read encrypted data");
  // Without identity among its providers, plain values are not taken.
  EXPECT_EQ(cipher.Open("secrets", "n/s", "text", out).error().message,
            "/registry/secrets/n/s: no matching prefix found");
}

}  // namespace
}  // namespace engine
