// Names and conditions of definitions.
#include "customresources/definition_status.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace customresources {
namespace {

using value::Arena;
using value::Value;

class Status : public ::testing::Test {
 protected:
  Value Read(std::string_view json) { return value::ReadJson(arena_.CopyString(json), arena_).value(); }
  Value Definition(std::string_view names, std::string_view status = "{}", std::string_view group = "e.com",
                   std::string_view annotations = "{}") {
    return Read(base::Cat(R"({"metadata":{"annotations":)", annotations, R"(},"spec":{"group":")", group,
                          R"(","names":)", names, R"(},"status":)", status, "}"));
  }
  // The conditions after a reconciliation: "NamesAccepted True NoConflicts, ...".
  std::string Conditions(Value definition, const UsedNames& used, StatusInput input = {}) {
    input.used = &used;
    input.now = "2024-01-01T00:00:00Z";
    changed_ = ReconcileStatus(arena_, definition, input);
    std::string text;
    for (const Value& condition : definition.Get({"status", "conditions"}).items()) {
      base::Append(text, text.empty() ? "" : ", ", condition.GetString("type"), " ", condition.GetString("status"), " ",
                   condition.GetString("reason"));
    }
    return text;
  }

  Arena arena_;
  bool changed_ = false;
};

constexpr std::string_view kNames =
    R"({"plural":"things","singular":"thing","shortNames":["th","tt"],"kind":"Thing","listKind":"ThingList"})";

TEST_F(Status, AFreeNameIsGivenAtOnce) {
  const Value definition = Definition(kNames);
  EXPECT_EQ(Conditions(definition, {}), "NamesAccepted True NoConflicts, Established True InitialNamesAccepted");
  EXPECT_TRUE(changed_);
  EXPECT_EQ(value::ToJson(definition.Get({"status", "acceptedNames"})), kNames);
  EXPECT_EQ(Conditions(definition, {}), "NamesAccepted True NoConflicts, Established True InitialNamesAccepted");
  EXPECT_FALSE(changed_);
}

TEST_F(Status, TakenNamesAreNotGiven) {
  UsedNames used;
  used.Add(Definition("{}", R"({"acceptedNames":{"plural":"other","singular":"thing","shortNames":["th","tt"],
      "kind":"Other","listKind":"Thing"}})"));
  const Value definition = Definition(kNames);
  EXPECT_EQ(Conditions(definition, used), "NamesAccepted False KindConflict, Established False NotAccepted");
  EXPECT_EQ(value::ToJson(definition.Get({"status", "acceptedNames"})),
            R"({"plural":"things","listKind":"ThingList"})");
  EXPECT_EQ(definition.Get({"status", "conditions"})[0].GetString("message"), "\"Thing\" is already in use");
  const NamesOutcome outcome = DecideNames(arena_, Definition(R"({"plural":"p","shortNames":["th","tt"]})"), used);
  EXPECT_EQ(outcome.names_accepted.message, R"(["th" is already in use, "tt" is already in use])");
  EXPECT_EQ(outcome.names_accepted.reason, "ShortNamesConflict");
}

TEST_F(Status, WhatIsEstablishedStaysSo) {
  const Value definition = Definition(kNames);
  (void)Conditions(definition, {});
  UsedNames used;
  used.Add(definition);
  used.resources.emplace("zz");
  const Value names = definition.Get({"spec", "names"});
  names.Set(arena_, "shortNames", Read(R"(["zz"])"));
  EXPECT_EQ(Conditions(definition, used),
            "NamesAccepted False ShortNamesConflict, Established True InitialNamesAccepted");
  // A name of one's own is free.
  names.Set(arena_, "shortNames", Read(R"(["th","ty"])"));
  EXPECT_EQ(Conditions(definition, used), "NamesAccepted True NoConflicts, Established True InitialNamesAccepted");
}

TEST_F(Status, OtherConditions) {
  EXPECT_EQ(Conditions(Definition(kNames), {}, {.bad_ca_bundle = true}),
            "NamesAccepted True NoConflicts, Established False InvalidCABundle");
  EXPECT_TRUE(
      Conditions(Definition(kNames), {}, {.structural_errors = "x"}).ends_with("NonStructuralSchema True Violations"));
  const auto approval = [&](std::string_view annotation) {
    const std::string annotations =
        annotation.empty() ? "{}" : base::Cat(R"({"api-approved.kubernetes.io":")", annotation, "\"}");
    const auto condition = ApprovalCondition(Definition(kNames, "{}", "a.k8s.io", annotations));
    return base::Cat(condition->status, " ", condition->reason, " ", condition->message);
  };
  EXPECT_EQ(approval("unapproved, testing"), "False UnapprovedAnnotation not approved: \"unapproved, testing\"");
  EXPECT_EQ(approval("https://github.com/x"), "True ApprovedAnnotation approved in https://github.com/x");
  EXPECT_TRUE(approval("nonsense").starts_with("False InvalidAnnotation"));
  EXPECT_TRUE(approval("").starts_with("False MissingAnnotation"));
  EXPECT_FALSE(ApprovalCondition(Definition(kNames, "{}", "notk8s.io")));
}

}  // namespace
}  // namespace customresources
