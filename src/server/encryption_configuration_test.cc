#include "server/encryption_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace server {
namespace {

constexpr std::string_view kKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

std::string Complaint(std::string_view resources) {
  const auto rules = ParseEncryptionConfiguration(
      base::Cat("{apiVersion: apiserver.config.k8s.io/v1, kind: EncryptionConfiguration, resources: ", resources, "}"));
  return rules ? "" : rules.error().message;
}

TEST(EncryptionConfiguration, RulesComeInTheirOrder) {
  const auto rules = ParseEncryptionConfiguration(base::Cat(R"(
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets, deployments.apps]
  providers:
  - aescbc: {keys: [{name: a, secret: )",
                                                            kKey, R"(}, {name: b, secret: )", kKey, R"(}]}
  - identity: {}
- resources: ['*.*']
  providers:
  - secretbox: {keys: [{name: c, secret: )",
                                                            kKey, R"(}]}
)"));
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_EQ(rules->size(), 3U);
  EXPECT_EQ((*rules)[1].resource, "deployments");
  EXPECT_EQ((*rules)[1].group, "apps");
  EXPECT_EQ((*rules)[2].group, "*");
  ASSERT_EQ((*rules)[0].providers.size(), 2U);
  EXPECT_EQ((*rules)[0].providers[0].keys[1].name, "b");
  EXPECT_EQ((*rules)[0].providers[0].keys[1].secret, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ((*rules)[0].providers[1].kind, engine::EncryptionProvider::Kind::kIdentity);
}

TEST(EncryptionConfiguration, WhatIsWrongIsTold) {
  const std::string keys = base::Cat("{keys: [{name: k, secret: ", kKey, "}]}");
  struct Case {
    std::string resources, complaint;
  };
  const Case cases[] = {
      {"[]", "resources: Required value: at least one resources is required"},
      {"[{}]",
       "[resources[0].resources: Required value: at least one resources[0].resources is required, "
       "resources[0].providers: Required value: at least one resources[0].providers is required]"},
      {"[{resources: [Secrets], providers: [{identity: {}}]}]",
       R"(resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters)"},
      {"[{resources: ['*'], providers: [{identity: {}}]}]",
       R"(resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources)"},
      {"[{resources: ['pods.*'], providers: [{identity: {}}]}]",
       R"(resources[0].resources[0]: Invalid value: "pods.*": encrypting the same resource across groups is not supported)"},
      {"[{resources: [a, a], providers: [{identity: {}}]}]",
       R"(resources[0].resources: Invalid value: ["a","a"]: the same resource cannot be specified multiple times)"},
      {"[{resources: [a, '*.'], providers: [{identity: {}}]}]",
       R"(resources[0].resources: Invalid value: ["a","*."]: using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked)"},
      {"[{resources: ['*.'], providers: [{identity: {}}]}, {resources: [a], providers: [{identity: {}}]}]",
       R"(resource "a" is masked by earlier rule "*.")"},
      {"[{resources: [a], providers: [{}]}]",
       "resources[0].providers[0]: Invalid value: REDACTED: provider does not contain any of the expected providers: "
       "KMS, AESGCM, AESCBC, Secretbox, Identity"},
      {base::Cat("[{resources: [a], providers: [{identity: {}, aescbc: ", keys, "}]}]"),
       "resources[0].providers[0]: Invalid value: REDACTED: more than one provider specified in a single element, "
       "should split into different list elements"},
      {"[{resources: [a], providers: [{kms: {apiVersion: v2, name: k, endpoint: 'unix:///x'}}]}]",
       "resources[0].providers[0].kms: Forbidden: KMS providers are not built yet"},
      {"[{resources: [a], providers: [{aescbc: {}}]}]",
       "resources[0].providers[0].aescbc.keys: Required value: at least one keys is required"},
      {"[{resources: [a], providers: [{aescbc: {keys: [{name: k}]}}]}]",
       "resources[0].providers[0].aescbc.keys[0].secret: Required value: secret is a mandatory field for a key"},
      {"[{resources: [a], providers: [{aescbc: {keys: [{name: k, secret: '?'}]}}]}]",
       R"(resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded)"},
      {"[{resources: [a], providers: [{secretbox: {keys: [{name: k, secret: cGxhbnRlZA==}]}}]}]",
       R"(resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 7, expected one of [32])"},
      {"[{resources: [a], providers: [{identity: {}}], more: 1}]",
       R"(strict decoding error: unknown field "resources[0].more")"},
  };
  for (const Case& c : cases) EXPECT_EQ(Complaint(c.resources), c.complaint) << c.resources;
}

TEST(EncryptionConfiguration, AFileThatIsNotThereIsTold) {
  const auto cipher = LoadEncryptionConfiguration("/nonexistent");
  ASSERT_FALSE(cipher);
  EXPECT_THAT(cipher.error().message, testing::HasSubstr("no such file or directory"));
}

}  // namespace
}  // namespace server
