#include "api/selector.h"

#include <gtest/gtest.h>

#include <map>

namespace api {
namespace {

bool Matches(std::string_view selector, const std::map<std::string, std::string_view, std::less<>>& labels) {
  const auto parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed.has_value()) << selector;
  return parsed->Matches([&](std::string_view key) {
    const auto found = labels.find(key);
    return found == labels.end() ? nullptr : &found->second;
  });
}

TEST(LabelSelector, Matches) {
  const std::map<std::string, std::string_view, std::less<>> labels = {{"env", "prod"}, {"n", "5"}, {"empty", ""}};
  struct {
    std::string_view selector;
    bool matches;
  } cases[] = {
      {"", true},
      {"env", true},
      {"!env", false},
      {"tier", false},
      {"!tier", true},
      {"env=prod", true},
      {"env==dev", false},
      {"env!=dev", true},
      {"tier!=x", true},
      {"env in (a,prod)", true},
      {"env in (a)", false},
      {"env notin (a)", true},
      {"tier notin (a)", true},
      {"n>4", true},
      {"n>5", false},
      {"n<6", true},
      {"env>1", false},
      {"tier<1", false},
      {"empty=", true},
      {"empty in ()", true},
      {"env,n>4,!x", true},
      {"env,n>9", false},
  };
  for (const auto& c : cases) EXPECT_EQ(Matches(c.selector, labels), c.matches) << c.selector;
}

TEST(FieldSelector, Matches) {
  struct {
    std::string_view selector;
    bool matches;
  } cases[] = {{"", true},
               {"metadata.name=a", true},
               {"metadata.name!=a", false},
               {"metadata.name=a,spec.nodeName!=n2", true},
               {"metadata.name=a,spec.nodeName=n2", false},
               {"metadata.namespace=", true}};
  for (const auto& c : cases) {
    const auto parsed = FieldSelector::Parse(c.selector);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->Matches([](std::string_view field) -> std::string_view {
      return field == "metadata.name" ? "a" : field == "spec.nodeName" ? "n1" : "";
    }),
              c.matches)
        << c.selector;
  }
}

}  // namespace
}  // namespace api
