#include "api/error.h"

#include <gtest/gtest.h>

#include "api/status.h"

namespace api {
namespace {

TEST(Error, StatusAsTheRealServerWritesIt) {
  struct {
    Error error;
    std::string_view json;
  } cases[] = {
      {NotFound({"", "configmaps"}, "a"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"configmaps"},"code":404})"},
      {AlreadyExists({"apps", "deployments"}, "d"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"d\" already exists","reason":"AlreadyExists","details":{"name":"d","group":"apps","kind":"deployments"},"code":409})"},
      {Unauthorized(),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})"},
      {Forbidden(R"(User "u" cannot get path "/x")", {}, ""),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"forbidden: User \"u\" cannot get path \"/x\"","reason":"Forbidden","details":{},"code":403})"},
      {UnknownResource("", {}, ""),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404})"},
      {Timeout("request did not complete within the allotted timeout", 0),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504})"},
      {TooManyRequests("wait", 3),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"wait","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429})"},
      {Internal("<x> & \"y\"\x01"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: \u003cx\u003e \u0026 \"y\"\u0001","reason":"InternalError","details":{"causes":[{"message":"\u003cx\u003e \u0026 \"y\"\u0001"}]},"code":500})"},
      {Generic(500, "bare"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"bare","code":500})"},
  };
  for (const auto& c : cases) EXPECT_EQ(StatusJson(c.error), c.json);
}

TEST(Error, AnExpiredListCarriesATokenToGoOnWith) {
  Error error = ResourceExpired("old");
  error.continue_token = "abc";
  EXPECT_EQ(
      StatusJson(error),
      R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"abc"},"status":"Failure","message":"old","reason":"Expired","code":410})");
}

TEST(Error, InvalidJoinsItsCausesAndDropsRepeats) {
  using Type = FieldError::Type;
  const FieldErrors errors = {{Type::kRequired, "spec.a", "\"\"", "name me"},
                              {Type::kInvalid, "spec.b", "\"x\"", "is bad"},
                              {Type::kInvalid, "spec.b", "\"x\"", "is bad"},
                              {Type::kTooLong, "spec.c", "\"long\"", "may not be more than 3 bytes"}};
  const Error error = Invalid({"apps", "Deployment"}, "d", errors);
  EXPECT_EQ(error.code, 422);
  EXPECT_EQ(error.message,
            "Deployment.apps \"d\" is invalid: [spec.a: Required value: name me, spec.b: Invalid value: \"x\": is bad, "
            "spec.c: Too long: may not be more than 3 bytes]");
  EXPECT_EQ(error.details.causes.size(), 4u);
  EXPECT_EQ(error.details.causes[3].reason, "FieldValueTooLong");
  EXPECT_EQ(Invalid({"", "Pod"}, "p", FieldErrors{errors[0]}).message,
            "Pod \"p\" is invalid: spec.a: Required value: name me");
  EXPECT_EQ(Invalid({"", "Pod"}, "p", FieldErrors{}).message, "Pod \"p\" is invalid");
}

TEST(Error, TheTreeSaysWhatTheTextSays) {
  value::Arena arena;
  const Error error = Conflict({"", "pods"}, "p", "the object has been modified");
  const value::Value status = StatusValue(arena, error);
  EXPECT_EQ(status.GetString("message"), "Operation cannot be fulfilled on pods \"p\": the object has been modified");
  EXPECT_EQ(status.Get({"details", "kind"}).AsString(), "pods");
  EXPECT_EQ(status.Get("code").AsInt(), 409);
  EXPECT_EQ(status.members()[0].key, "kind");
  EXPECT_EQ(status.members()[7].key, "code");
}

TEST(Error, SuccessNamesWhatWasDeleted) {
  EXPECT_EQ(
      SuccessStatusJson({"a", "", "configmaps", "u-1", {}, 0}),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"configmaps","uid":"u-1"}})");
}

TEST(FieldErrors, KeepSoMuchTextAndNoMore) {
  using Type = FieldError::Type;
  const std::string quoted(1000, 'x');
  FieldErrors errors;
  size_t kept = 0;
  while (!errors.full() && kept < 100'000) {
    errors.push_back({Type::kInvalid, "f", quoted, "d"});
    ++kept;
  }
  EXPECT_EQ(errors.size(), kept);
  EXPECT_GE(errors.bytes(), FieldErrors::kMostBytes);
  EXPECT_LT(errors.bytes(), FieldErrors::kMostBytes + 2000);
  errors.push_back({Type::kInvalid, "f", "v", "d"});
  EXPECT_EQ(errors.size(), kept);
  errors.pop_back();
  EXPECT_FALSE(errors.full());

  // One alone may be too long: what it quotes is cut, between letters.
  std::string letters;
  while (letters.size() <= FieldErrors::kMostBytes) letters += "\u00e4b";
  const FieldErrors long_one{{Type::kInvalid, "f", letters, "d"}};
  EXPECT_LT(long_one[0].value.size(), FieldErrors::kMostBytes + 8);
  EXPECT_TRUE(long_one[0].value.ends_with("b..."));
  EXPECT_EQ(long_one[0].detail, "d");

  // Many short ones count too.
  FieldErrors small;
  for (int i = 0; i < 1'000'000; ++i) small.push_back({Type::kRequired, "", "", ""});
  EXPECT_LT(small.size(), 50'000U);
}

}  // namespace
}  // namespace api
