#include "handlers/options.h"

#include "gtest/gtest.h"

namespace handlers {
namespace {

struct Case {
  const char* query;
  const char* message;  // "" for good
};

TEST(ListParametersTest, SaysWhatIsWrong) {
  const Case cases[] = {
      {"limit=abc", R"(strconv.ParseInt: parsing "abc": invalid syntax)"},
      {"limit=", R"(strconv.ParseInt: parsing "": invalid syntax)"},
      {"limit=%2B5", ""},
      {"limit=0x1", R"(strconv.ParseInt: parsing "0x1": invalid syntax)"},
      {"limit=abc&timeoutSeconds=x", R"(strconv.ParseInt: parsing "x": invalid syntax)"},
      {"timeoutSeconds=99999999999999999999",
       R"(strconv.ParseInt: parsing "99999999999999999999": value out of range)"},
      {"limit=-5", ""},
      {"resourceVersionMatch=Exact",
       R"(ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided)"},
      {"resourceVersionMatch=exact&resourceVersion=1",
       R"(ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "exact": supported values: "Exact", "NotOlderThan", "")"},
      {"resourceVersionMatch=Exact&resourceVersion=0",
       R"(ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0")"},
      {"sendInitialEvents=true",
       R"(ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list)"},
      {"watch=1&sendInitialEvents=true",
       R"(ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan)"},
      {"watch=1&resourceVersionMatch=NotOlderThan",
       R"(ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided)"},
      {"watch=1&continue=x&resourceVersion=5", ""},
  };
  for (const Case& c : cases) {
    auto parameters = ParseListParameters(api::Query::Parse(c.query));
    EXPECT_EQ(parameters ? "" : parameters.error().message, c.message) << c.query;
  }
}

TEST(ListParametersTest, AWatchAtNoVersionBeginsWithTheState) {
  struct {
    const char* query;
    bool initial, watch_list;
  } cases[] = {{"watch=1", true, false},
               {"watch=", true, false},
               {"watch=maybe&resourceVersion=0", true, false},
               {"watch=1&resourceVersion=5", false, false},
               {"watch=1&allowWatchBookmarks=1", true, true},
               {"watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", false, false}};
  for (const auto& c : cases) {
    api::Query query = api::Query::Parse(c.query);
    auto parameters = ParseListParameters(query);
    ASSERT_TRUE(parameters.has_value()) << c.query;
    EXPECT_TRUE(parameters->watch) << c.query;
    EXPECT_EQ(parameters->send_initial_events.value_or(false), c.initial) << c.query;
    EXPECT_EQ(parameters->is_watch_list(), c.watch_list) << c.query;
  }
  EXPECT_FALSE(ParseListParameters(api::Query::Parse("watch=FALSE"))->watch);
  EXPECT_FALSE(ParseListParameters(api::Query::Parse("watch=0"))->watch);
}

TEST(ListParametersTest, WatchListsHaveAGate) {
  struct {
    const char *query, *message;
  } cases[] = {
      {"watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
       R"(ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled)"},
      {"watch=1&sendInitialEvents=x",
       R"(ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled])"},
      {"watch=1&allowWatchBookmarks=1", ""},
  };
  for (const auto& c : cases) {
    const api::Query query = api::Query::Parse(c.query);
    const auto parameters = ParseListParameters(query, /*watch_lists=*/false);
    EXPECT_EQ(parameters ? "" : parameters.error().message, c.message) << c.query;
    if (parameters) EXPECT_FALSE(parameters->is_watch_list()) << c.query;
  }
}

TEST(WriteParametersTest, SaysWhatIsWrong) {
  struct {
    const char* query;
    WriteKind kind;
    const char* message;
  } cases[] = {
      {"dryRun=All&dryRun=All", WriteKind::kCreate, ""},
      {"dryRun=All&dryRun=x", WriteKind::kCreate,
       R"(CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: []string{"All", "x"}: supported values: "All")"},
      {"dryRun=", WriteKind::kUpdate,
       R"(UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: []string{""}: supported values: "All")"},
      {"fieldValidation=strict", WriteKind::kCreate,
       R"(CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn")"},
      {"fieldManager=a%07b", WriteKind::kPatch,
       R"(PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\ab": invalid character U+0007 (at position 1))"},
      {"force=1", WriteKind::kPatch,
       R"(PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch)"},
      {"force=1", WriteKind::kApply,
       R"(PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch)"},
      {"fieldManager=m&force=1", WriteKind::kApply, ""},
  };
  for (const auto& c : cases) {
    auto parameters = ParseWriteParameters(api::Query::Parse(c.query), c.kind);
    EXPECT_EQ(parameters ? "" : parameters.error().message, c.message) << c.query;
  }
  std::string long_name = "fieldManager=" + std::string(129, 'x');
  EXPECT_EQ(ParseWriteParameters(api::Query::Parse(long_name), WriteKind::kCreate).error().message,
            R"(CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes)");
}

TEST(DeleteParametersTest, ReadsQueriesAndBodies) {
  api::Query query =
      api::Query::Parse("gracePeriodSeconds=5&propagationPolicy=Orphan&dryRun=All&uid=u&resourceVersion=7");
  auto options = ParseDeleteParameters(query, false);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->grace_period_seconds, 5);
  EXPECT_EQ(options->propagation_policy, "Orphan");
  EXPECT_TRUE(options->dry_run);
  EXPECT_EQ(options->preconditions.uid, "u");
  EXPECT_EQ(options->preconditions.resource_version, "7");
  EXPECT_EQ(
      ParseDeleteParameters(api::Query::Parse("propagationPolicy=bad"), false).error().message,
      R"(DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "bad": supported values: "Foreground", "Background", "Orphan", "nil")");
  EXPECT_EQ(
      ParseDeleteParameters(api::Query::Parse("propagationPolicy=Orphan&orphanDependents=0"), false).error().message,
      R"(DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set)");
}

TEST(DeleteParametersTest, WhatDeletesTheUnreadableLooksAtNothing) {
  struct Case {
    const char *query, *message;
  };
  const Case cases[] = {
      {"dryRun=All", "dryRun"},
      {"propagationPolicy=Orphan", "propagationPolicy"},
      {"orphanDependents=false", "orphanDependents"},
      {"gracePeriodSeconds=0", "gracePeriodSeconds"},
  };
  const std::string option = "ignoreStoreReadErrorWithClusterBreakingPotential=yes&";
  for (const Case& c : cases) {
    EXPECT_EQ(
        ParseDeleteParameters(api::Query::Parse(option + c.query), true).error().message,
        std::string(R"(DeleteOptions.meta.k8s.io "" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: )"
                    "Invalid value: true: cannot be set together with .") +
            c.message);
    EXPECT_TRUE(ParseDeleteParameters(api::Query::Parse(option + c.query), false)) << "the gate is off";
  }
  EXPECT_TRUE(ParseDeleteParameters(api::Query::Parse(option), true)->unreadable);
  EXPECT_FALSE(ParseDeleteParameters(api::Query::Parse(option), false)->unreadable);
}

TEST(FieldManagerTest, ComesFromTheUserAgent) {
  EXPECT_EQ(FieldManagerOrUserAgent("m", "kubectl/v1"), "m");
  EXPECT_EQ(FieldManagerOrUserAgent("", "kubectl/v1.32 (linux)"), "kubectl");
  EXPECT_EQ(FieldManagerOrUserAgent("", "a\x01z"), "az");
  EXPECT_EQ(FieldManagerOrUserAgent("", ""), "unknown");
  EXPECT_EQ(FieldManagerOrUserAgent("", std::string(300, 'x')), std::string(128, 'x'));
}

// Each of its letters is an error that quotes the whole manager.
TEST(FieldManagerTest, ManyBadLettersAreAnErrorOfBoundedSize) {
  std::string query = "fieldManager=";
  for (int i = 0; i < 300'000; ++i) query += "%01";
  const auto parameters = ParseWriteParameters(api::Query::Parse(query), WriteKind::kPatch);
  ASSERT_FALSE(parameters);
  size_t bytes = parameters.error().message.size();
  for (const api::Cause& cause : parameters.error().details.causes) bytes += cause.message.size() + cause.field.size();
  EXPECT_LT(bytes, 6 * api::FieldErrors::kMostBytes);
}

TEST(FieldManagerTest, FewBadLettersAreAllTold) {
  std::string query = "fieldManager=";
  for (int i = 0; i < 128; ++i) query += "%01";
  const auto parameters = ParseWriteParameters(api::Query::Parse(query), WriteKind::kPatch);
  ASSERT_FALSE(parameters);
  EXPECT_EQ(parameters.error().details.causes.size(), 128U);
}

}  // namespace
}  // namespace handlers
