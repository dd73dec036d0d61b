#include "auth/abac.h"

#include <gtest/gtest.h>

#include <string>

#include "auth/policy_rule.h"

namespace auth {
namespace {

constexpr std::string_view kHead =
    R"({"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":)";

std::unique_ptr<Abac> Make(std::string_view spec) {
  return Abac::Parse(std::string(kHead) + std::string(spec) + "}", "f").value();
}

bool Allows(const Abac& abac, std::string_view user, std::string_view verb, std::string_view resource,
            std::string_view namespace_name = "n", std::string_view group = "") {
  const api::User who{.name = std::string(user), .groups = {"g", "system:authenticated"}};
  return abac
      .Authorize({.user = who, .verb = verb, .namespace_name = namespace_name, .group = group, .resource = resource},
                 false)
      .allowed();
}

bool AllowsPath(const Abac& abac, std::string_view verb, std::string_view path) {
  const api::User who{.name = "u", .groups = {"g"}};
  return abac.Authorize({.user = who, .verb = verb, .is_resource_request = false, .path = path}, false).allowed();
}

TEST(Abac, MatchesWhatALineSays) {
  const auto abac = Make(R"({"user":"u","namespace":"n","resource":"pods","apiGroup":"*","readonly":true})");
  EXPECT_TRUE(Allows(*abac, "u", "get", "pods"));
  EXPECT_TRUE(Allows(*abac, "u", "watch", "pods", "n", "x"));
  EXPECT_FALSE(Allows(*abac, "u", "create", "pods"));
  EXPECT_FALSE(Allows(*abac, "v", "get", "pods"));
  EXPECT_FALSE(Allows(*abac, "u", "get", "pods", "m"));
  EXPECT_FALSE(Allows(*abac, "u", "get", "secrets"));
  EXPECT_FALSE(AllowsPath(*abac, "get", "/version"));
  const api::User nobody{.name = "v"};
  EXPECT_EQ(abac->Authorize({.user = nobody}, false).reason, "No policy matched.");
}

TEST(Abac, UserAndGroupMustBothMatch) {
  const auto both = Make(R"({"user":"u","group":"other","namespace":"*","resource":"*","apiGroup":"*"})");
  EXPECT_FALSE(Allows(*both, "u", "get", "pods"));
  const auto everybody = Make(R"({"user":"*","namespace":"*","resource":"*","apiGroup":"*"})");
  EXPECT_TRUE(Allows(*everybody, "whoever", "delete", "pods"));
  const auto nobody = Make(R"({"namespace":"*","resource":"*","apiGroup":"*"})");
  EXPECT_FALSE(Allows(*nobody, "u", "get", "pods"));
}

TEST(Abac, PathsMayEndInAStar) {
  const auto abac = Make(R"({"group":"g","nonResourcePath":"/ver*","readonly":true})");
  EXPECT_TRUE(AllowsPath(*abac, "get", "/version"));
  EXPECT_FALSE(AllowsPath(*abac, "post", "/version"));
  EXPECT_FALSE(AllowsPath(*abac, "get", "/healthz"));
  EXPECT_FALSE(Allows(*abac, "u", "get", ""));
}

TEST(Abac, ReadsLinesWithoutVersion) {
  const auto abac = Abac::Parse("# all\n\n{\"user\":\"u\",\"readonly\":true}\n{\"resource\":\"pods\"}", "f").value();
  EXPECT_TRUE(Allows(*abac, "u", "get", "secrets", "m", "x"));
  EXPECT_TRUE(AllowsPath(*abac, "get", "/any"));
  EXPECT_FALSE(AllowsPath(*abac, "post", "/any"));
  EXPECT_TRUE(Allows(*abac, "v", "delete", "pods"));
}

TEST(Abac, NamesTheBadLine) {
  EXPECT_EQ(Abac::Parse("\n{\"user\":5}", "f").error().message,
            "error reading policy file f, line 2: {\"user\":5}: user must be a string");
  EXPECT_FALSE(Abac::Parse("[]", "f").has_value());
  EXPECT_FALSE(Abac::Parse("{", "f").has_value());
  EXPECT_FALSE(Abac::Load("/nowhere").has_value());
}

TEST(Abac, ListsRules) {
  const auto abac = Make(R"({"user":"u","namespace":"*","resource":"pods","nonResourcePath":"/x","readonly":true})");
  UserRules rules;
  abac->CollectRules({.name = "u"}, "n", rules);
  ASSERT_EQ(rules.rules.size(), 2u);
  EXPECT_EQ(rules.rules[0].verbs, (std::vector<std::string>{"get", "list", "watch"}));
  EXPECT_EQ(rules.rules[1].urls, (std::vector<std::string>{"/x"}));
}

}  // namespace
}  // namespace auth
