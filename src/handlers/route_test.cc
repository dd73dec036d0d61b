#include "handlers/route.h"

#include "gtest/gtest.h"
#include "registry/registry_fixture.h"

namespace handlers {
namespace {

using Shape = Route::Shape;

struct Case {
  const char* path;
  int code;  // 200, 404 (Status) or -404 (text)
  Shape shape = Shape::kVersion;
  const char *resource = "", *namespace_name = "", *name = "", *subresource = "", *rest = "";
  bool watch = false;
};

class RouteTest : public ::testing::Test {
 protected:
  RouteTest() {
    const std::vector<std::string> all = {"create", "delete", "deletecollection", "get",
                                          "list",   "patch",  "update",           "watch"};
    for (auto* r : {fixture_.namespaces, fixture_.configmaps, fixture_.pods, fixture_.deployments}) r->verbs = all;
    fixture_.namespaces->subresources.push_back({.name = "finalize", .verbs = {"update"}});
    fixture_.pods->subresources.push_back({.name = "exec", .verbs = {"get", "create"}, .connect = true});
    fixture_.deployments->subresources[0].verbs = {"get", "patch", "update"};
    fixture_.events->verbs = {"create"};
  }
  registry::Fixture fixture_;
};

TEST_F(RouteTest, FindsWhatPathsName) {
  const Case cases[] = {
      {"/api", 200},
      {"/api/", 200},
      {"/api/v1", 200},
      {"/api/v1//", 200},
      {"/apis", 200},
      {"/apis/apps", 200},
      {"/apis/apps/v1", 200},
      {"/api/v2", 404},
      {"/apis/apps/v9", 404},
      {"/apis/nosuch", -404},
      {"/apis/nosuch/v1/things", -404},
      {"/nosuch", -404},
      {"/API/v1", -404},
      {"/api/v1/nosuch", 404},
      {"/api/v1/configmaps", 200, Shape::kAllNamespaces, "configmaps"},
      {"/api/v1/configmaps/a", 404},
      {"/api/v1/namespaces/n/configmaps", 200, Shape::kCollection, "configmaps", "n"},
      {"/api/v1/namespaces/n/configmaps/", 200, Shape::kCollection, "configmaps", "n"},
      {"/api/v1/namespaces/n/configmaps/a", 200, Shape::kItem, "configmaps", "n", "a"},
      {"/api/v1/namespaces/n//a", 404},
      {"/api/v1/namespaces/n/configmaps/a/b", 404},
      {"/api/v1/namespaces", 200, Shape::kCollection, "namespaces"},
      {"/api/v1/namespaces/n", 200, Shape::kItem, "namespaces", "", "n"},
      {"/api/v1/namespaces/n/finalize", 200, Shape::kSubresource, "namespaces", "", "n", "finalize"},
      {"/api/v1/namespaces/n/namespaces", 404},
      {"/api/v1/namespaces/n/namespaces/n", 404},
      {"/api/v1/namespaces/n/pods/p/exec", 200, Shape::kSubresource, "pods", "n", "p", "exec"},
      {"/api/v1/namespaces/n/pods/p/exec/a/b", 200, Shape::kSubresource, "pods", "n", "p", "exec", "a/b"},
      {"/apis/apps/v1/namespaces/n/deployments/d/status", 200, Shape::kSubresource, "deployments", "n", "d", "status"},
      {"/apis/apps/v1/namespaces/n/deployments/d/status/x", 404},
      {"/api/v1/namespaces//configmaps", 200, Shape::kCollection, "configmaps"},
      {"/api/v1/namespaces//configmaps/a", 200, Shape::kItem, "configmaps", "", "a"},
      {"/api/v1/namespaces/n/configmaps//", 200, Shape::kCollection, "configmaps", "n"},
      {"/api/v1/namespaces/n//configmaps", 404},
      {"/api/v1/namespaces/n/configmaps//a", 404},
      {"/api//v1/configmaps", 404},
      {"/api/v1//configmaps", 404},
      {"//api/v1/configmaps", -404},
      {"/apis//v1", -404},
      {"/apis//", -404},
      {"/api/v1/watch/configmaps", 200, Shape::kAllNamespaces, "configmaps", "", "", "", "", true},
      {"/api/v1/watch/namespaces/n/configmaps/a", 200, Shape::kItem, "configmaps", "n", "a", "", "", true},
      {"/api/v1/watch/namespaces/n", 200, Shape::kItem, "namespaces", "", "n", "", "", true},
      {"/api/v1/watch/nosuch", 404},
      {"/api/v1/watch/namespaces/n/events", 404},
      {"/api/v1/namespaces/n/events", 200, Shape::kCollection, "events", "n"},
      {"/api/v1/namespaces/n/events/e", 404},
      {"/api/v1/events", 404},
  };
  const registry::ResourceTableRef table = fixture_.table.Snapshot();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    auto route = FindRoute(*table, c.path);
    if (c.code != 200) {
      ASSERT_FALSE(route.has_value());
      EXPECT_EQ(route.error().plain_text_type.empty(), c.code > 0);
      EXPECT_EQ(route.error().code, 404);
      continue;
    }
    ASSERT_TRUE(route.has_value());
    EXPECT_EQ(route->shape, c.shape);
    EXPECT_EQ(route->watch, c.watch);
    EXPECT_EQ(route->resource == nullptr ? "" : route->resource->plural, c.resource);
    EXPECT_EQ(route->namespace_name, c.namespace_name);
    EXPECT_EQ(route->name, c.name);
    EXPECT_EQ(route->subresource == nullptr ? "" : route->subresource->name, c.subresource);
    EXPECT_EQ(route->rest, c.rest);
  }
}

TEST_F(RouteTest, GivesTheVerbOfAMethod) {
  struct {
    const char *method, *path, *verb;
  } cases[] = {
      {"GET", "/api/v1/configmaps", "list"},
      {"POST", "/api/v1/configmaps", ""},
      {"DELETE", "/api/v1/configmaps", ""},
      {"POST", "/api/v1/namespaces/n/configmaps", "create"},
      {"DELETE", "/api/v1/namespaces/n/configmaps", "deletecollection"},
      {"PUT", "/api/v1/namespaces/n/configmaps", ""},
      {"PUT", "/api/v1/namespaces/n/configmaps/a", "update"},
      {"PATCH", "/api/v1/namespaces/n/configmaps/a", "patch"},
      {"POST", "/api/v1/namespaces/n/configmaps/a", ""},
      {"HEAD", "/api/v1/namespaces/n/configmaps/a", ""},
      {"get", "/api/v1/namespaces/n/configmaps/a", ""},
      {"DELETE", "/apis/apps/v1/namespaces/n/deployments/d/status", ""},
      {"GET", "/apis/apps/v1/namespaces/n/deployments/d/status", "get"},
      {"GET", "/api/v1/namespaces/n/finalize", ""},
      {"POST", "/api/v1/namespaces/n/pods/p/exec", "create"},
      {"GET", "/api/v1/namespaces/n/events", ""},
      {"POST", "/api/v1/watch/namespaces/n/configmaps", ""},
      {"GET", "/api/v1/watch/namespaces/n/configmaps/a", "list"},
  };
  const registry::ResourceTableRef table = fixture_.table.Snapshot();
  for (const auto& c : cases) {
    auto route = FindRoute(*table, c.path);
    ASSERT_TRUE(route.has_value()) << c.path;
    EXPECT_EQ(VerbOf(*route, c.method), c.verb) << c.method << " " << c.path;
  }
}

}  // namespace
}  // namespace handlers
