#include "handlers/endpoints/endpoints.h"

#include "gtest/gtest.h"

namespace handlers {
namespace {

std::shared_ptr<exchange::Handler> Any() {
  return Sync([](exchange::Exchange&) { return exchange::Response{}; });
}

TEST(EndpointsTest, FindsTheClosestRegistration) {
  Endpoints endpoints;
  auto version = Any(), open_api = Any(), v3 = Any(), document = Any();
  endpoints.Exact("/version", version);
  endpoints.Prefix("/openapi", open_api);
  endpoints.Prefix("/openapi/v3", v3);
  endpoints.Exact("/openapi/v3/one", document);
  struct Case {
    const char* path;
    exchange::Handler* want;
  } cases[] = {
      {"/version", version.get()},     {"/version/", nullptr},           {"/versions", nullptr},
      {"/openapi", open_api.get()},    {"/openapi/v2", open_api.get()},  {"/openapi/v3", v3.get()},
      {"/openapi/v3/x/y", v3.get()},   {"/openapi/v33", open_api.get()}, {"/openapi/v3/one", document.get()},
      {"/openapi/v3/one/x", v3.get()}, {"/openapix", nullptr},           {"", nullptr},
      {"/Version", nullptr},
  };
  for (const Case& c : cases) EXPECT_EQ(endpoints.Find(c.path), c.want) << c.path;
}

TEST(EndpointsTest, ALaterRegistrationReplacesTheEarlierOne) {
  Endpoints endpoints;
  auto first = Any(), second = Any();
  endpoints.Exact("/a", first);
  endpoints.Exact("/a", second);
  endpoints.Prefix("/b", first);
  endpoints.Prefix("/b", second);
  EXPECT_EQ(endpoints.Find("/a"), second.get());
  EXPECT_EQ(endpoints.Find("/b/c"), second.get());
  EXPECT_EQ(endpoints.Paths(), (std::vector<std::string>{"/a", "/b"}));
}

}  // namespace
}  // namespace handlers
