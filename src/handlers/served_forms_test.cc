// A version whose converter has to be waited for, through every verb.
#include "handlers/served_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "handlers/handlers_fixture.h"

namespace handlers {
namespace {

using testing::HasSubstr;
using testing::Not;
using value::Arena;
using value::Value;

// Serves `data.kept` as `data.shown`, with the number of objects that were converted together in `data.batch`.
class Renaming final : public registry::WaitingConverter {
 public:
  base::Task<api::Result<>> Convert(To to, Request request, std::span<Value> objects, Arena& arena) const override {
    ++calls;
    // Goes on later, on the executor.
    co_await base::Await<bool>(request.executor, [](auto done) { done(true); });
    if (failing) co_return api::Fail(api::Internal("conversion webhook failed"));
    for (Value& object : objects) object = Converted(to, object, objects.size(), arena);
    co_return api::Result<>();
  }

  mutable int calls = 0;
  bool failing = false;

 private:
  static Value Converted(To to, const Value& object, size_t count, Arena& arena) {
    const bool served = to == To::kServed;
    Value other = value::DeepCopy(arena, object);
    other.Set(arena, "apiVersion", Value::String(served ? "v2" : "v1"));
    Value data = other.Get("data");
    if (!data.is_object()) return other;
    const std::string_view text = data.GetString(served ? "kept" : "shown");
    if (!text.empty()) data.Set(arena, served ? "shown" : "kept", Value::String(text));
    data.Remove(served ? "kept" : "shown");
    data.Remove("batch");
    if (served) data.Set(arena, "batch", Value::Copy(arena, std::to_string(count)));
    return other;
  }
};

class ServedFormsTest : public testing::Test {
 protected:
  ServedFormsTest() {
    auto other = std::make_shared<registry::Resource>(*f_.configmaps);
    other->version = "v2";
    other->converter = converter_;
    f_.table.Publish({.remove = {}, .put = {other}});
    for (const char* name : {"a", "b"}) {
      EXPECT_TRUE(f_.Create(*f_.configmaps,
                            base::Cat(R"({"metadata":{"name":")", name, R"("},"data":{"kept":")", name, R"("}})")));
    }
  }
  std::string Stored(std::string_view name) {
    return f_.Ask("GET", base::Cat("/api/v1/namespaces/ns/configmaps/", name)).body;
  }

  Fixture f_;
  std::shared_ptr<Renaming> converter_ = std::make_shared<Renaming>();
};

constexpr const char* kMaps = "/api/v2/namespaces/ns/configmaps";
constexpr const char* kA = "/api/v2/namespaces/ns/configmaps/a";
const std::vector<std::pair<std::string, std::string>> kJson = {{"content-type", "application/json"}};

TEST_F(ServedFormsTest, ReadsAreConvertedInBatches) {
  const TestAnswer one = f_.Ask("GET", kA);
  EXPECT_EQ(one.status, 200);
  EXPECT_THAT(one.body, HasSubstr(R"({"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"a")"));
  EXPECT_THAT(one.body, HasSubstr(R"("shown":"a")"));
  converter_->calls = 0;
  const TestAnswer all = f_.Ask("GET", kMaps);
  EXPECT_THAT(all.body, HasSubstr(R"("apiVersion":"v2")"));
  EXPECT_THAT(all.body, HasSubstr(R"("shown":"a")"));
  EXPECT_THAT(all.body, HasSubstr(R"("shown":"b")"));
  EXPECT_THAT(all.body, HasSubstr(R"("batch":"2")"));
  EXPECT_THAT(all.body, Not(HasSubstr("kept")));
  EXPECT_EQ(converter_->calls, 1);
  EXPECT_THAT(Stored("a"), Not(HasSubstr("shown")));
  const TestAnswer table = f_.Ask("GET", kMaps, "", {{"accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_THAT(table.body, HasSubstr(R"("cells":["a")"));
  EXPECT_THAT(f_.Ask("GET", kMaps, "", {{"accept", "application/yaml"}}).body, HasSubstr("shown: b"));
}

TEST_F(ServedFormsTest, WhatCannotBeConvertedIsNotAnswered) {
  converter_->failing = true;
  for (const char* path : {kA, kMaps}) {
    const TestAnswer answer = f_.Ask("GET", path);
    EXPECT_EQ(answer.status, 500) << path;
    EXPECT_THAT(answer.body, HasSubstr("conversion webhook failed"));
  }
  EXPECT_EQ(f_.Ask("DELETE", kA).status, 500);
  EXPECT_EQ(f_.Ask("PUT", kA, R"({"metadata":{"name":"a"},"data":{"shown":"x"}})", kJson).status, 500);
  EXPECT_EQ(f_.Ask("POST", kMaps, R"({"metadata":{"name":"c"}})", kJson).status, 500);
  converter_->failing = false;
  EXPECT_EQ(f_.Ask("GET", base::Cat(kMaps, "/c")).status, 404);
  EXPECT_THAT(Stored("a"), HasSubstr(R"("kept":"a")"));
}

TEST_F(ServedFormsTest, WritesAreConvertedOnTheirWay) {
  TestAnswer answer = f_.Ask("POST", kMaps, R"({"metadata":{"name":"c"},"data":{"shown":"c"}})", kJson);
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("shown":"c")"));
  EXPECT_THAT(Stored("c"), HasSubstr(R"("kept":"c")"));
  answer = f_.Ask("PUT", kA, R"({"metadata":{"name":"a"},"data":{"shown":"new"}})", kJson);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("shown":"new")"));
  EXPECT_THAT(Stored("a"), HasSubstr(R"("kept":"new")"));
  answer = f_.Ask("PATCH", kA, R"({"data":{"shown":"patched"}})", {{"content-type", "application/merge-patch+json"}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(Stored("a"), HasSubstr(R"("kept":"patched")"));
  answer = f_.Ask("PUT", base::Cat(kA, "?dryRun=All"), R"({"metadata":{"name":"a"},"data":{"shown":"tried"}})", kJson);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("shown":"tried")"));
  EXPECT_THAT(answer.body, Not(HasSubstr("kept")));
  EXPECT_THAT(Stored("a"), HasSubstr(R"("kept":"patched")"));
  EXPECT_EQ(f_.Ask("DELETE", kA).status, 200);
  EXPECT_EQ(f_.Ask("GET", kA).status, 404);
}

// Who applied through one version has its fields compared in that version, whoever applies through another.
TEST_F(ServedFormsTest, AppliesTrackFieldsInTheVersionsOfTheirManagers) {
  const std::vector<std::pair<std::string, std::string>> apply = {{"content-type", "application/apply-patch+yaml"}};
  const auto configuration = [](std::string_view version, std::string_view data) {
    return base::Cat(R"({"apiVersion":")", version, R"(","kind":"ConfigMap","metadata":{"name":"d"},"data":)", data,
                     "}");
  };
  const std::string v1 = "/api/v1/namespaces/ns/configmaps/d?fieldManager=", v2 = base::Cat(kMaps, "/d?fieldManager=");
  TestAnswer answer = f_.Ask("PATCH", base::Cat(v1, "one"), configuration("v1", R"({"kept":"x","other":"y"})"), apply);
  EXPECT_EQ(answer.status, 201) << answer.body;
  answer = f_.Ask("PATCH", base::Cat(v2, "two"), configuration("v2", R"({"more":"z"})"), apply);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("shown":"x")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("manager":"one")"));
  answer = f_.Ask("PATCH", base::Cat(v1, "one"), configuration("v1", R"({"kept":"x"})"), apply);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("more":"z")"));
  EXPECT_THAT(answer.body, Not(HasSubstr(R"("other":)"))) << "what nobody applies any more goes";
}

TEST_F(ServedFormsTest, WatchesGiveConvertedPortions) {
  exchange::Response response = f_.Send(f_.NewRequest("GET", base::Cat(kMaps, "?watch=true")));
  ASSERT_EQ(response.status, 200);
  auto& body = std::get<std::unique_ptr<exchange::BodySource>>(response.body);
  bool woken = false;
  body->SetWaker([&] { woken = true; });
  const auto read = [&] {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      woken = false;
      std::vector<base::Slice> slices;
      const auto state = body->Pull(4096, slices);
      for (const base::Slice& slice : slices) text += slice.data;
      if (state == exchange::BodySource::State::kEnd) break;
      f_.executor.RunPosted();
      if (state == exchange::BodySource::State::kWait && !woken) break;
    }
    return text;
  };
  const std::string state = read();
  EXPECT_THAT(state,
              HasSubstr(R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"a")"));
  EXPECT_THAT(state, HasSubstr(R"("shown":"b")"));
  ASSERT_TRUE(f_.Create(*f_.configmaps, R"({"metadata":{"name":"c"},"data":{"kept":"c"}})"));
  ASSERT_TRUE(f_.Delete(*f_.configmaps, "a"));
  const std::string events = read();
  EXPECT_THAT(events, HasSubstr(R"("shown":"c")"));
  EXPECT_THAT(events,
              HasSubstr(R"({"type":"DELETED","object":{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"a")"));
  converter_->failing = true;
  ASSERT_TRUE(f_.Delete(*f_.configmaps, "b"));
  EXPECT_THAT(read(), HasSubstr(R"({"type":"ERROR")"));
}

}  // namespace
}  // namespace handlers
