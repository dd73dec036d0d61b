#include "api/selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/request.h"
#include "base/text.h"

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

// Each of so many keys in descending order, were it put in its place one by one, would move all others.
TEST(LabelSelector, SortsManyKeysAtOnce) {
  constexpr size_t kKeys = 200'000;
  std::string text;
  for (size_t i = kKeys; i > 0; --i) base::Append(text, text.empty() ? "" : ",", "k", 1'000'000 + i);
  const Result<LabelSelector> selector = LabelSelector::Parse(text);
  ASSERT_TRUE(selector);
  ASSERT_EQ(selector->requirements().size(), kKeys);
  EXPECT_EQ(selector->requirements().front().key, "k1000001");
  EXPECT_EQ(selector->requirements().back().key, "k1200000");
}

TEST(LabelSelector, MatchesLabelsThatComeOneByOneAlike) {
  const std::vector<std::pair<std::string_view, std::string_view>> labels = {{"c", "3"}, {"a", "1"}, {"b", ""}};
  for (std::string_view text : {"a", "a,b,c", "a,b,c,d", "!d", "!a", "a=1,a!=2,c in (3,4)", "a=2", "a!=2,d!=2",
                                "b=", "c>2", "c<2", "d>1", "a notin (1)", "d notin (1),a", "", "a=1,a=1", "a,a=2"}) {
    const LabelSelector selector = LabelSelector::Parse(text).value();
    std::string_view found;
    const bool one_by_one = selector.Matches([&](std::string_view key) -> const std::string_view* {
      const auto label = std::ranges::find(labels, key, &std::pair<std::string_view, std::string_view>::first);
      if (label == labels.end()) return nullptr;
      found = label->second;
      return &found;
    });
    size_t at = 0;
    EXPECT_EQ(selector.MatchesEach([&](std::string_view& key, std::string_view& value) {
      if (at == labels.size()) return false;
      key = labels[at].first, value = labels[at++].second;
      return true;
    }),
              one_by_one)
        << text;
  }
}

TEST(FieldSelector, HasABoundOfTerms) {
  std::string text = "a=1";
  for (size_t i = 1; i < FieldSelector::kMostTerms; ++i) text += ",a=1";
  EXPECT_TRUE(FieldSelector::Parse(text));
  EXPECT_EQ(FieldSelector::Parse(text + ",a=1").error().code, 400);
}

TEST(LabelSelector, RequirementsOfOneKeyKeepTheirOrder) {
  EXPECT_EQ(LabelSelector::Parse("b,a!=2,a=1,a in (y,x)")->text(), "a!=2,a=1,a in (x,y),b");
}

// A selector that says nothing of the name is not looked at before the request is authenticated.
TEST(RequestInfo, NamesTheObjectThatAFieldSelectorNames) {
  const auto name = [](std::string_view query) {
    bool failed = false;
    return ParseRequestInfo("GET", "/api/v1/pods", Query::Parse(query), &failed).name;
  };
  EXPECT_EQ(name("fieldSelector=metadata.name%3Dp"), "p");
  EXPECT_EQ(name("fieldSelector=spec.nodeName%3Dn,metadata.name%3Dp&labelSelector=a"), "p");
  EXPECT_EQ(name("fieldSelector=metadata.name%3Dp&labelSelector=a,,"), "");
  EXPECT_EQ(name("fieldSelector=metadata.name!%3Dp"), "");
  EXPECT_EQ(name("fieldSelector=spec.nodeName%3Dn"), "");
}

}  // namespace
}  // namespace api
