#include "admission/webhooks/admission_review.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

// What is said of an answer; "" where it is one.
std::string Fault(std::string_view text, bool mutating = true, std::string_view version = "v1") {
  value::Arena arena;
  const auto answer = ReadReview(text, version, "u", mutating, arena);
  if (answer) return "";
  return Cat(answer.error().unreadable ? "unreadable: " : "", answer.error().message);
}

std::string Review(std::string_view response, std::string_view version = "v1") {
  return Cat(R"({"apiVersion":"admission.k8s.io/)", version, R"(","kind":"AdmissionReview","response":)", response,
             "}");
}

TEST(AdmissionReview, IsWrittenAsTheApiDoes) {
  value::Arena arena;
  const auto read = [&](std::string_view json) { return *value::ReadJson(arena.CopyString(json), arena); };
  const Value request = read(R"({"kind":{"kind":"K"},"name":"a","dryRun":false,"options":null})");
  EXPECT_EQ(WriteReview({.version = "v1beta1",
                         .uid = "u",
                         .request = request,
                         .object = read(R"({"a":"\"<"})"),
                         .old_object = Value()}),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"u",)"
            R"("kind":{"kind":"K"},"name":"a","object":{"a":"\"\u003c"},"oldObject":null,"dryRun":false,)"
            R"("options":null}})");
}

TEST(AdmissionReview, TellsWhatIsNoAnswer) {
  const std::string field = "unreadable: json: cannot unmarshal ";
  struct {
    std::string text, fault;
  } cases[] = {
      {"", "unreadable: 0-length response with status code: 200 and content type: application/json"},
      {"null", "webhook response was absent"},
      {"{}", "webhook response was absent"},
      {Review("null"), "webhook response was absent"},
      {Review("7"), field + "number into Go struct field AdmissionReview.response of type v1.AdmissionResponse"},
      {Review(R"({"uid":"u","allowed":1})"),
       field + "number into Go struct field AdmissionResponse.response.allowed of type bool"},
      {Review(R"({"uid":7})"), field + "number into Go struct field AdmissionResponse.response.uid of type string"},
      {Review(R"({"uid":"u","warnings":[7]})"),
       field + "number into Go struct field AdmissionResponse.response.warnings of type string"},
      {Review(R"({"uid":"u","auditAnnotations":{"a":{}}})"),
       field + "object into Go struct field AdmissionResponse.response.auditAnnotations of type string"},
      {Review(R"({"uid":"u","patch":"!"})"), "unreadable: illegal base64 data at input byte 0"},
      {Review(R"({"uid":"v"})"), R"(expected response.uid="u", got "v")"},
      {R"({"response":{"uid":"u"}})",
       "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="},
      {Review(R"({"uid":"u"})", "v1beta1"),
       "unreadable: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"},
      {Review(R"({"uid":"u","patch":"W10="})"), "webhook returned response.patch but not response.patchType"},
      {Review(R"({"uid":"u","patchType":"JSONPatch"})"), "webhook returned response.patchType but not response.patch"},
      {Review(R"({"uid":"u","patch":"W10=","patchType":""})"), R"(webhook returned invalid response.patchType of "")"},
      {"apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: u}\n", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(Fault(c.text), c.fault) << c.text;
  EXPECT_EQ(Fault(Review(R"({"uid":"u","patch":"W10="})"), false), "validating webhook may not return response.patch");
  EXPECT_EQ(Fault(Review(R"({"uid":"u","patchType":"x"})"), false),
            "validating webhook may not return response.patchType");
}

TEST(AdmissionReview, AsksLessOfTheOlderVersion) {
  value::Arena arena;
  const std::string text = Review(R"({"uid":"other","allowed":true,"patch":"W10="})", "v1beta1");
  const auto mutating = ReadReview(text, "v1beta1", "u", true, arena);
  ASSERT_TRUE(mutating);
  EXPECT_EQ(mutating->patch, "[]");
  EXPECT_EQ(mutating->patch_type, "JSONPatch");
  const auto validating = ReadReview(text, "v1beta1", "u", false, arena);
  ASSERT_TRUE(validating);
  EXPECT_EQ(validating->patch, "");
}

TEST(AdmissionReview, BoundsWhatIsKept) {
  std::string warnings = R"({"uid":"u","allowed":true,"warnings":[)";
  for (int i = 0; i < 1000; ++i) warnings += i == 0 ? R"("w")" : R"(,"w")";
  value::Arena arena;
  const std::string text = Review(warnings + "]}");
  const auto answer = ReadReview(text, "v1", "u", true, arena);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->warnings.size(), 100);
}

TEST(AdmissionReview, RefusalsAreErrors) {
  value::Arena arena;
  const auto said = [&](std::string_view status) {
    const api::Error error = RefusalBy("w", *value::ReadJson(arena.CopyString(status), arena));
    return Cat(error.code, " ", error.reason, ": ", error.message);
  };
  const std::string denied = R"(admission webhook "w" denied the request)";
  EXPECT_EQ(said("null"), "400 : " + denied + " without explanation");
  EXPECT_EQ(said(R"({"code":200,"message":"m"})"), "400 : " + denied + ": m");
  EXPECT_EQ(said(R"({"code":418,"reason":"R"})"), "418 R: " + denied + ": R");
  EXPECT_EQ(said(R"({"code":99999})"), "400 : " + denied + " without explanation");
}

}  // namespace
}  // namespace admission
