// What is sent to a conversion webhook, and what its answers come to.
#include "customresources/review_converter.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "base/text.h"
#include "customresources/compiled_schema.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace customresources {
namespace {

using registry::Converter;
using value::Arena;
using value::Value;

// Nothing is posted: the client answers on the spot.
class NoExecutor final : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds /*delay*/,
                                         absl::AnyInvocable<void()> /*work*/) override {
    return nullptr;
  }
};

class FakeClient final : public exchange::WebhookClient {
 public:
  base::Task<std::expected<std::string, exchange::WebhookFailure>> Post(base::Executor& /*executor*/,
                                                                        exchange::WebhookCall call) override {
    sent.push_back(call.body);
    url = call.address.url;
    co_return answer(call.body);
  }
  std::function<std::expected<std::string, exchange::WebhookFailure>(std::string_view review)> answer;
  std::vector<std::string> sent;
  std::string url;
};

class ReviewConverterTest : public testing::Test {
 protected:
  static constexpr std::string_view kSchema =
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}}})";
  static constexpr std::string_view kConversion =
      R"({"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://hook/x"},"conversionReviewVersions":["v9","v1"]}})";

  ReviewConverterTest() {
    const auto schema = compiler_.Compile(value::ReadJson(kSchema, arena_).value());
    v1_ = std::make_shared<ResourceType>("g.io", "v1", "Thing", schema);
    v2_ = std::make_shared<ResourceType>("g.io", "v2", "Thing", schema);
  }

  // The objects in v2 as JSON, or the error's message.
  std::string ToServed(std::vector<std::string> objects, std::string_view conversion = kConversion) {
    const ReviewConverter converter(client_, value::ReadJson(conversion, arena_).value(), v2_, v1_);
    std::vector<Value> trees;
    for (const std::string& object : objects)
      trees.push_back(value::ReadJson(arena_.CopyString(object), arena_).value());
    std::optional<api::Result<>> result;
    api::RequestContext context;
    base::Spawn(converter.Convert(Converter::To::kServed, {context, executor_}, trees, arena_),
                [&](std::optional<api::Result<>> done, std::exception_ptr) { result = std::move(done); });
    if (!result) return "not done";
    if (!*result) return result->error().message;
    std::string text;
    for (const Value& tree : trees)
      base::Append(text, text.empty() ? "" : "\n", value::ToJson(tree, value::KeyOrder::kSorted));
    return text;
  }

  // An answer that has the review's uid in place of UID.
  void Answer(std::string text) {
    client_.answer = [text = std::move(text), this](std::string_view review) {
      const Value tree = value::ReadJson(arena_.CopyString(review), arena_).value();
      std::string answer = text;
      if (const size_t at = answer.find("UID"); at != answer.npos) {
        answer.replace(at, 3, tree.Get("request").GetString("uid"));
      }
      return answer;
    };
  }
  void AnswerObjects(std::string_view objects) {
    Answer(base::Cat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"UID",)",
                     R"("result":{"status":"Success"},"convertedObjects":[)", objects, "]}}"));
  }

  Arena arena_;
  SchemaCompiler compiler_;
  std::shared_ptr<const ResourceType> v1_, v2_;
  FakeClient client_;
  NoExecutor executor_;
};

constexpr std::string_view kStored =
    R"({"apiVersion":"g.io/v1","kind":"Thing","metadata":{"generation":3,"name":"x","resourceVersion":"7","uid":"u"},"spec":{"a":"1"}})";
constexpr std::string_view kFailed = "conversion webhook for g.io/v1, Kind=Thing ";

TEST_F(ReviewConverterTest, SendsABatchInOneCallAndKeepsMetadata) {
  AnswerObjects(
      R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"x","uid":"u","labels":{"l":"1"},"generation":9},"spec":{"b":"1","unknown":1}},)"
      R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"x","uid":"u"},"spec":{"b":"1"}})");
  EXPECT_EQ(
      ToServed({std::string(kStored), std::string(kStored)}),
      R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"generation":3,"labels":{"l":"1"},"name":"x","resourceVersion":"7","uid":"u"},"spec":{"b":"1"}})"
      "\n"
      R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"generation":3,"name":"x","resourceVersion":"7","uid":"u"},"spec":{"b":"1"}})");
  ASSERT_EQ(client_.sent.size(), 1u);
  EXPECT_EQ(client_.url, "https://hook/x");
  const Value review = value::ReadJson(arena_.CopyString(client_.sent[0]), arena_).value();
  EXPECT_EQ(review.Get("request").GetString("desiredAPIVersion"), "g.io/v2");
  EXPECT_EQ(
      value::ToJson(review.Get({"request", "objects"})[0]),
      R"({"apiVersion":"g.io/v1","kind":"Thing","metadata":{"generation":3,"name":"x","uid":"u"},"spec":{"a":"1"}})");
}

TEST_F(ReviewConverterTest, WhatHasTheVersionIsNotSent) {
  const std::string object = R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"x"},"spec":{"b":"1"}})";
  EXPECT_EQ(ToServed({object}), object);
  EXPECT_TRUE(client_.sent.empty());
}

TEST_F(ReviewConverterTest, RefusesOtherIdentities) {
  const auto converted = [&](std::string_view object) {
    AnswerObjects(object);
    return ToServed({std::string(kStored)});
  };
  EXPECT_EQ(converted(R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"y","uid":"u"}})"),
            base::Cat(kFailed, "returned invalid object: must have the same name: x != y"));
  EXPECT_EQ(converted(R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"x","uid":"w"}})"),
            base::Cat(kFailed, "returned invalid object: must have the same UID: u != w"));
  EXPECT_EQ(converted(R"({"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"x","uid":"u"}})"),
            base::Cat(kFailed,
                      "returned invalid object at index 0: invalid groupVersion (expected g.io/v2, received g.io/v1)"));
  EXPECT_EQ(converted(R"({"apiVersion":"g.io/v2","kind":"Other","metadata":{"name":"x","uid":"u"}})"),
            base::Cat(kFailed, "returned invalid object at index 0: invalid kind (expected Thing, received Other)"));
  EXPECT_EQ(
      converted(R"({"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"x","uid":"u","labels":{"l":1}}})"),
      base::Cat(kFailed,
                "returned invalid metadata: metadata.labels[l] must be a string, but is int64 in converted object"));
  EXPECT_EQ(converted(""), base::Cat(kFailed, "returned 0 objects, expected 1"));
}

TEST_F(ReviewConverterTest, TellsWhatIsWrongWithAnAnswer) {
  const auto told = [&](std::string answer) {
    Answer(std::move(answer));
    return ToServed({std::string(kStored)});
  };
  EXPECT_EQ(told("{}"), base::Cat(kFailed,
                                  "failed: expected webhook response of apiextensions.k8s.io/v1, "
                                  "Kind=ConversionReview, got /, Kind="));
  EXPECT_EQ(told(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"})"),
            base::Cat(kFailed, "failed: no response provided"));
  EXPECT_EQ(told(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"UID",)"
                 R"("result":{"status":"Failure","message":"not today"}}})"),
            base::Cat(kFailed, "failed: not today"));
  EXPECT_EQ(
      told(R"({"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"ConversionReview"})"),
      base::Cat(kFailed, "failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion"));
  client_.answer = [](std::string_view) {
    return std::unexpected(exchange::WebhookFailure{.message = "dial tcp: no"});
  };
  EXPECT_EQ(ToServed({std::string(kStored)}), base::Cat(kFailed, "failed: dial tcp: no"));
}

}  // namespace
}  // namespace customresources
