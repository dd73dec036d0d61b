#include "handlers/discovery/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/task.h"
#include "base/text.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace handlers {
namespace {

using testing::HasSubstr;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

const std::filesystem::path kRecorded = FAIRLEAD_SOURCE_DIR "/tests/data/discovery";

// The table that the recorded documents describe, read from their group version documents.
class RecordedTable : public registry::ResourceTables {
 public:
  RecordedTable() {
    Add("", "v1", "api-v1");
    value::Arena arena;
    std::string groups = ReadFile(kRecorded / "apis.json");
    value::Value list = *value::ReadJson(groups, arena);
    for (const value::Value& group : list.Find("groups")->items()) {
      std::string name(group.GetString("name"));
      for (const value::Value& version : group.Find("versions")->items()) {
        std::string text(version.GetString("version"));
        Add(name, text, "apis-" + name + "-" + text);
      }
    }
    registry::ResourceTable::Edit edit;
    for (const auto& resource : owned_) {
      resource->place = static_cast<uint32_t>(edit.put.size());
      edit.put.push_back(resource);
    }
    Publish(edit);
  }

 private:
  static std::vector<std::string> Strings(const value::Value& object, std::string_view key) {
    std::vector<std::string> strings;
    for (const value::Value& item : object.Get(key).items()) strings.emplace_back(item.AsString());
    return strings;
  }

  void Add(const std::string& group, const std::string& version, const std::string& file) {
    value::Arena arena;
    std::string text = ReadFile(kRecorded / (file + ".json"));
    value::Value list = *value::ReadJson(text, arena);
    for (const value::Value& item : list.Find("resources")->items()) {
      std::string name(item.GetString("name"));
      if (size_t slash = name.find('/'); slash != name.npos) {
        registry::Subresource part;
        part.name = name.substr(slash + 1);
        part.verbs = Strings(item, "verbs");
        part.group = item.Find("group") ? item.GetString("group") : item.Find("version") ? "" : group;
        part.version = item.Find("version") ? item.GetString("version") : version;
        part.kind = item.GetString("kind");
        owned_.back()->subresources.push_back(std::move(part));
        continue;
      }
      auto resource = std::make_shared<registry::Resource>();
      resource->group = group;
      resource->version = version;
      resource->plural = name;
      resource->singular = item.GetString("singularName");
      resource->namespaced = item.Get("namespaced").AsBool();
      resource->kind = item.GetString("kind");
      resource->verbs = Strings(item, "verbs");
      resource->short_names = Strings(item, "shortNames");
      resource->categories = Strings(item, "categories");
      resource->storage_version_hash = item.GetString("storageVersionHash");
      owned_.push_back(std::move(resource));
    }
  }

  std::vector<std::shared_ptr<registry::Resource>> owned_;
};

class NoExecutor : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

struct Asked {
  std::string path, accept, method = "GET", if_none_match, agent = "curl/8";
};

struct Got {
  int status = 0;
  exchange::Headers headers;
  std::string body;
};

class DiscoveryTest : public testing::Test {
 protected:
  Got Ask(const Asked& asked) {
    exchange::Request request;
    request.method = asked.method;
    request.path = asked.path;
    if (!asked.accept.empty()) request.headers.Add("accept", asked.accept);
    if (!asked.if_none_match.empty()) request.headers.Add("if-none-match", asked.if_none_match);
    request.headers.Add("user-agent", asked.agent);
    NoExecutor executor;
    exchange::Exchange exchange(std::move(request), executor);
    exchange.context().info.path = asked.path;
    std::optional<exchange::Response> response;
    base::Spawn(discovery_.Handle(exchange),
                [&](std::optional<exchange::Response> done, std::exception_ptr) { response = std::move(done); });
    Got got{response->status, response->headers, {}};
    for (const base::Slice& slice : std::get<std::vector<base::Slice>>(response->body)) got.body += slice.data;
    return got;
  }

  RecordedTable tables_;
  Discovery discovery_{tables_, {.server_address = "192.0.2.2:17443"}};
};

constexpr std::string_view kJson = "application/json", kYaml = "application/yaml",
                           kProtobuf = "application/vnd.kubernetes.protobuf";

std::string AggregatedAs(std::string_view type, std::string_view version) {
  return std::string(type) + ";g=apidiscovery.k8s.io;v=" + std::string(version) + ";as=APIGroupDiscoveryList";
}

TEST_F(DiscoveryTest, AnswersEveryRecordedDocumentToTheByte) {
  size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRecorded)) {
    std::string name = entry.path().stem().string(), form = entry.path().extension().string();
    if (form == ".md" || form == ".etag") continue;
    std::string_view type = form == ".pb" ? kProtobuf : form == ".yaml" ? kYaml : kJson;
    std::string path, accept(type);
    if (name.starts_with("agg-")) {
      path = name.starts_with("agg-apis-") ? "/apis" : "/api";
      accept = AggregatedAs(type, name.substr(name.rfind('-') + 1));
    } else {
      path = "/" + name;
      for (size_t dash = path.find('-'); dash != path.npos; dash = path.find('-', dash)) path[dash] = '/';
    }
    SCOPED_TRACE(entry.path().filename().string());
    Got got = Ask({.path = path, .accept = accept});
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.headers.Get("content-type"), accept);
    std::string wanted = ReadFile(entry.path());
    EXPECT_TRUE(got.body == wanted) << got.body.substr(0, 300) << "\nwanted\n" << wanted.substr(0, 300);
    ++compared;
  }
  EXPECT_GT(compared, 90u);
}

TEST_F(DiscoveryTest, EtagsAreTheReferencesOwn) {
  for (const char* path : {"/api", "/apis"}) {
    std::string etag = ReadFile(kRecorded / (std::string("agg-") + (path + 1) + ".etag"));
    etag.pop_back();
    for (const char* version : {"v2", "v2beta1"}) {
      Got got = Ask({.path = path, .accept = AggregatedAs(kJson, version)});
      EXPECT_EQ(got.headers.Get("etag"), etag);
      EXPECT_EQ(got.headers.Get("vary"), "Accept");
      EXPECT_EQ(got.headers.Get("cache-control"), "public");
      Got same = Ask({.path = path, .accept = AggregatedAs(kJson, version), .if_none_match = etag});
      EXPECT_EQ(same.status, 304);
      EXPECT_EQ(same.body, "");
      EXPECT_EQ(Ask({.path = path, .accept = AggregatedAs(kJson, version), .if_none_match = "W/" + etag}).status, 200);
    }
  }
}

TEST_F(DiscoveryTest, Negotiates) {
  struct Case {
    const char* name;
    Asked asked;
    int status;
    std::string content_type;
    const char* contains;
  };
  const std::string v2 = AggregatedAs(kJson, "v2"), beta = AggregatedAs(kJson, "v2beta1");
  const Case cases[] = {
      {"first version named", {"/apis", beta + "," + v2}, 200, beta, "v2beta1"},
      {"aggregated wins", {"/apis", "application/json," + v2}, 200, v2, "APIGroupDiscoveryList"},
      {"unknown version falls back",
       {"/apis", AggregatedAs(kJson, "v3") + ",application/json"},
       200,
       "application/json",
       "APIGroupList"},
      {"unknown version alone",
       {"/apis", AggregatedAs(kJson, "v3")},
       406,
       "application/json",
       "only the following media types are accepted"},
      {"slash knows no aggregation", {"/apis/", v2}, 406, "application/json", "only the following"},
      {"slash of the core group does", {"/api/", v2}, 200, v2, "items"},
      {"group document", {"/apis/apps", v2}, 406, "application/json", "only the following"},
      {"version document", {"/apis/apps/v1", v2}, 406, "application/json", "only the following"},
      {"route test", {"/api", "application/cbor"}, 406, "application/json", "406: Not Acceptable"},
      {"no route test", {"/apis", "application/cbor"}, 406, "application/json", "only the following"},
      {"anything", {"/apis", "*/*"}, 200, "application/json", "APIGroupList"},
      {"slashes", {"/api/v1//", ""}, 200, "application/json", "\"groupVersion\": \"v1\""},
      {"any method on groups", {"/apis/apps", "", "DELETE"}, 200, "application/json", "APIGroup"},
      {"only GET on versions", {"/apis/apps/v1", "", "POST"}, 405, "application/json", "does not allow this method"},
      {"only GET on the core group", {"/api", "", "POST"}, 405, "application/json", "does not allow this method"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Got got = Ask(c.asked);
    EXPECT_EQ(got.status, c.status);
    EXPECT_EQ(got.headers.Get("content-type"), c.content_type);
    EXPECT_THAT(got.body, HasSubstr(c.contains));
  }
}

// "v1.g.example.com" with a group's and a version's priority; `more` are further members of the spec.
void AddService(ApiServices::Builder& builder, std::string_view version, std::string_view group, int group_priority,
                int version_priority, std::string_view more = "") {
  value::Arena arena;
  const std::string name = base::Cat(version, ".", group);
  const std::string json =
      base::Cat(R"({"metadata":{"name":")", name, R"("},"spec":{"group":")", group, R"(","version":")", version,
                R"(","groupPriorityMinimum":)", group_priority, R"(,"versionPriority":)", version_priority, more, "}}");
  builder.Add(*value::ReadJson(json, arena));
}

constexpr std::string_view kElsewhere = R"(,"service":{"namespace":"n","name":"s"})";

TEST_F(DiscoveryTest, ListsWhatApiServicesSpeakOf) {
  ApiServices::Builder builder;
  for (std::string_view version : {"v1", "foo", "v2beta1", "v10", "v2"}) AddService(builder, version, "g.io", 5, 10);
  AddService(builder, "v1alpha1", "g.io", 7, 11);
  AddService(builder, "v1", "apps", 17800, 15);
  AddService(builder, "v1", "a.io", 7, 1, kElsewhere);
  AddService(builder, "v9", "g.io", 1, 1, kElsewhere);
  discovery_.Publish(std::move(builder).Build());
  const auto in_order = [](std::string_view text, std::initializer_list<std::string_view> words) {
    size_t at = 0;
    for (std::string_view word : words) {
      const size_t found = text.find(word, at);
      if (found == text.npos) return false;
      at = found + word.size();
    }
    return true;
  };
  const std::string groups = Ask({"/apis", ""}).body;
  EXPECT_TRUE(in_order(groups, {R"("apiregistration.k8s.io")", R"("apps")", R"("a.io")", R"("g.io")"})) << groups;
  EXPECT_EQ(groups.find("batch"), groups.npos) << "its API service is gone";
  const std::string group = Ask({"/apis/g.io", ""}).body;
  EXPECT_TRUE(
      in_order(group, {"v1alpha1", "v10", "v2\"", "v1\"", "v2beta1", "foo", "v9", "preferredVersion", "v1alpha1"}))
      << group;
  const std::string told = Ask({"/apis", AggregatedAs(kJson, "v2")}).body;
  EXPECT_TRUE(in_order(told, {"apiregistration.k8s.io", R"("apps")", R"("a.io")", R"("version": "v1")",
                              R"("freshness": "Stale")", R"("g.io")", R"("v9")"}))
      << told;
  EXPECT_EQ(told.find("v2beta1"), told.npos) << "nobody serves it";
  EXPECT_TRUE(discovery_.services()->IsElsewhere("/apis/a.io/v1"));
  EXPECT_TRUE(discovery_.services()->IsElsewhere("/apis/g.io/v9/things/x"));
  EXPECT_FALSE(discovery_.services()->IsElsewhere("/apis/g.io/v98"));
  EXPECT_FALSE(discovery_.services()->IsElsewhere("/apis/g.io/v1/things"));
}

TEST(ApiServices, FollowTheVersionsOfCustomResources) {
  ApiServices::Builder builder;
  value::Arena arena;
  for (std::string_view json : {
           R"({"metadata":{"name":"v2.gone.io","labels":{"kube-aggregator.kubernetes.io/automanaged":"true"}},
               "spec":{"group":"gone.io","version":"v2","groupPriorityMinimum":1000,"versionPriority":100}})",
           R"({"metadata":{"name":"v1.kept.io","labels":{"kube-aggregator.kubernetes.io/automanaged":"true"}},
               "spec":{"group":"kept.io","version":"v1","groupPriorityMinimum":1000,"versionPriority":100}})",
           R"({"metadata":{"name":"v1.mine.io"},"spec":{"group":"mine.io","version":"v1","groupPriorityMinimum":10,
               "versionPriority":1}})"}) {
    builder.Add(*value::ReadJson(json, arena));
  }
  const std::vector<ApiServices::GroupVersion> custom = {{"kept.io", "v1"}, {"kept.io", "v2"}, {"new.io", "v1"}};
  const ApiServices services = std::move(builder).Build().WithRegistered(custom);
  std::vector<std::string> shown;
  for (const ApiServices::Group& group : services.groups()) {
    for (const ApiServices::Version& version : group.versions)
      shown.push_back(base::Cat(group.name, "/", version.name));
  }
  EXPECT_THAT(shown, testing::ElementsAre("kept.io/v2", "kept.io/v1", "new.io/v1", "mine.io/v1"));
}

}  // namespace
}  // namespace handlers
