// Connections to pods, as far as they need no node.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "handlers/handlers_fixture.h"

namespace handlers {
namespace {

using ::testing::HasSubstr;

class ConnectionsTest : public ::testing::Test {
 protected:
  ConnectionsTest() {
    for (std::string_view name : {"exec", "portforward", "proxy", "log"}) {
      registry::Subresource& subresource = f_.pods->subresources.emplace_back();
      subresource.name = name;
      subresource.verbs = {"get", "create", "patch"};
      subresource.connect = name != "log";
      subresource.table = name != "log";
    }
    AddConnections(f_.subresources);
    f_.Create(*f_.pods, R"({"metadata":{"name":"one"},"spec":{"containers":[{"name":"a"}]}})");
    f_.Create(
        *f_.pods,
        R"({"metadata":{"name":"two"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"},{"name":"b"}]}})");
  }
  Fixture f_;
};

TEST_F(ConnectionsTest, SayWhatIsMissing) {
  struct {
    const char *name, *path;
    int status;
    const char* text;
  } cases[] = {
      {"no pod", "none/exec", 404, R"(pods \"none\" not found)"},
      {"not in earnest", "none/exec?dryRun=", 400, "dryRun is not supported"},
      {"no node", "one/exec", 400, "pod one does not have a host assigned"},
      {"no node to forward to", "two/portforward", 400, "pod two does not have a host assigned"},
      {"no such container", "one/exec?container=x", 400, "container x is not valid for pod one"},
      {"which container", "two/exec", 400, "a container name must be specified for pod two, choose one of: [i a b]"},
      {"no address", "one/proxy", 400, "address not allowed"},
      {"bad scheme", "x:one:1/proxy", 400, R"(invalid pod request \"x:one:1\")"},
      {"nothing logged yet", "one/log", 204, ""},
      {"bad number of lines", "one/log?tailLines=-1", 422,
       "tailLines: Invalid value: -1: must be greater than or equal to 0"},
      {"no number", "one/log?limitBytes=x", 400, R"(strconv.ParseInt: parsing \"x\": invalid syntax)"},
      {"since twice", "one/log?sinceSeconds=1&sinceTime=2027-01-01T00:00:00Z", 422, "\"field\":\"[]\""},
      {"since no time", "one/log?sinceTime=x", 400,
       R"(parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\")"},
      {"since nothing", "one/log?sinceTime=", 204, ""},
      {"no port", "one/portforward?ports=80,x", 400,
       R"(cannot convert to []int32: strconv.ParseUint: parsing \"x\": invalid syntax)"},
      {"empty port", "one/portforward?ports=", 400, R"(parsing \"\": invalid syntax)"},
      {"too large a port", "one/portforward?ports=65536", 400, R"(parsing \"65536\": value out of range)"},
      {"good ports", "two/portforward?ports=80,81&ports=65535", 400, "does not have a host assigned"},
  };
  for (const auto& c : cases) {
    const TestAnswer answer = f_.Ask("GET", std::string("/api/v1/namespaces/ns/pods/") + c.path);
    EXPECT_EQ(answer.status, c.status) << c.name;
    EXPECT_THAT(answer.body, HasSubstr(c.text)) << c.name;
  }
}

// A connection passes on whatever is sent; logs are text by their route, and by their handler what objects are.
TEST_F(ConnectionsTest, LookAtTypes) {
  struct {
    const char *method, *path, *accept;
    int status;
    const char* text;
  } cases[] = {
      {"GET", "one/proxy", "text/html", 400, "address not allowed"},
      {"PATCH", "one/proxy", "garbage", 400, "address not allowed"},
      {"GET", "none/log", "text/plain", 406, "only the following media types are accepted: application/json"},
      {"GET", "one/log", "text/html", 406, "Available representations: text/plain, application/json"},
      {"GET", "one/log", "application/json;as=Table;g=meta.k8s.io;v=v1", 406, "only the following media types"},
      {"GET", "one/log", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 500,
       "object does not implement"},
      {"GET", "one/log", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", 406,
       "(*rest.LocationStreamer)"},
      {"GET", "one/log", "text/plain, */*", 204, ""},
  };
  for (const auto& c : cases) {
    const TestAnswer answer =
        f_.Ask(c.method, std::string("/api/v1/namespaces/ns/pods/") + c.path, "", {{"accept", c.accept}});
    EXPECT_EQ(answer.status, c.status) << c.path << " " << c.accept;
    EXPECT_THAT(answer.body, HasSubstr(c.text)) << c.path << " " << c.accept;
  }
}

}  // namespace
}  // namespace handlers
