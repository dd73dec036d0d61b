#include "pipeline/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace pipeline {
namespace {

using testing::HasSubstr;

class NowhereExecutor final : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

class EmptyBody final : public exchange::BodySource {
 public:
  State Pull(size_t, std::vector<base::Slice>&) override { return State::kEnd; }
  void SetWaker(absl::AnyInvocable<void()>) override {}
};

class RequestMetricsTest : public testing::Test {
 protected:
  exchange::Response Observe(std::string method, std::string path, exchange::Response response,
                             std::string_view query = "") {
    exchange::Request request;
    request.method = std::move(method);
    request.headers.Add("content-type", "application/apply-patch+yaml");
    exchange::Exchange exchange(std::move(request), executor_);
    bool failed = false;
    exchange.context().query = api::Query::Parse(query);
    exchange.context().info = api::ParseRequestInfo(exchange.request().method, path, exchange.context().query, &failed);
    observed_.Observe(exchange, response, std::chrono::milliseconds(30));
    return response;
  }
  NowhereExecutor executor_;
  base::Metrics metrics_;
  RequestMetrics observed_{metrics_, [](const api::RequestInfo& info) {
                             return (info.resource == "pods" || info.resource == "deployments") &&
                                    (info.subresource.empty() || info.subresource == "status");
                           }};
};

TEST_F(RequestMetricsTest, CountsRequestsByWhatTheyAre) {
  exchange::Response body;
  body.body = std::vector<base::Slice>{base::Slice::Static("12345")};
  Observe("GET", "/api/v1/namespaces/a/pods", std::move(body));
  Observe("PATCH", "/apis/apps/v1/namespaces/a/deployments/d/status", {.status = 409}, "dryRun=All");
  Observe("GET", "/livez", {});
  Observe("BREW", "/any/path/at/all", {.status = 404});
  Observe("GET", "/livez", {.status = 401});
  const std::string text = metrics_.Expose();
  for (
      const char* line : {
          R"(apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"} 1)",
          R"(apiserver_request_total{code="409",component="apiserver",dry_run="All",group="apps",resource="deployments",scope="resource",subresource="status",verb="APPLY",version="v1"} 1)",
          R"(apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/livez",verb="GET",version=""} 1)",
          R"(apiserver_request_total{code="404",component="",dry_run="",group="",resource="",scope="",subresource="",verb="other",version=""} 1)",
          R"(apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1",le="0.025"} 0)",
          R"(apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1",le="0.05"} 1)",
          R"(apiserver_response_sizes_sum{component="apiserver",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"} 5)",
          R"(authentication_attempts{result="failure"} 1)",
      }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(RequestMetricsTest, NoLabelIsMadeUpByAClient) {
  for (int i = 0; i < 50; ++i) {
    const std::string word = "invented" + std::to_string(i) + "\xff";
    for (const std::string& path : {"/apis/" + word + "/v1/pod", "/apis/apps/" + word + "/sets",
                                    "/api/v1/namespaces/" + word + "/" + word, "/api/v1/namespaces/a/pods/b/" + word}) {
      Observe("GET", path, {.status = 403}, "dryRun=" + word + "&fieldManager=" + word);
      Observe(word, path, {.status = 403});
      exchange::Response watch;
      watch.is_watch = true;
      watch.body = std::make_unique<EmptyBody>();
      Observe("GET", path, std::move(watch), "watch=1");
    }
    Observe("GET", "/" + word, {.status = 403});
  }
  const std::string text = metrics_.Expose();
  EXPECT_EQ(text.find("invented"), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
  EXPECT_LT(std::ranges::count(text, '\n'), 800) << "a few series, however many were asked for";
  EXPECT_THAT(text, HasSubstr(R"(group="other",resource="other",scope="resource",subresource="other",verb="GET")"));
}

TEST_F(RequestMetricsTest, AWatchIsCountedUntilItsBodyIsGone) {
  const std::string line =
      R"(apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} )";
  {
    exchange::Response watch;
    watch.is_watch = true;
    watch.body = std::make_unique<EmptyBody>();
    const exchange::Response open = Observe("GET", "/api/v1/pods", std::move(watch), "watch=1");
    EXPECT_THAT(metrics_.Expose(), HasSubstr(line + "1"));
  }
  EXPECT_THAT(metrics_.Expose(), HasSubstr(line + "0"));
}

}  // namespace
}  // namespace pipeline
