#include "handlers/negotiation.h"

#include "gtest/gtest.h"

namespace handlers {
namespace {

struct Case {
  const char* accept;
  int code;  // 200 or the error's
  Output want = {};
  const char* message = "";
};

constexpr Offer kObject = {.table = true, .partial_object = true};
constexpr const char* kRouteRefusal =
    "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf";
constexpr const char* kRefusal =
    "only the following media types are accepted: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf";

void Check(const Case& c, const Offer& offer) {
  SCOPED_TRACE(c.accept);
  exchange::Request request;
  if (*c.accept != 0) request.headers.Add("accept", c.accept);
  auto output = Negotiate(request, api::Query::Parse(""), offer);
  if (c.code == 200) {
    ASSERT_TRUE(output.has_value()) << output.error().message;
    EXPECT_EQ(*output, c.want);
  } else {
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code, c.code);
    EXPECT_EQ(output.error().message, c.message);
    EXPECT_EQ(output.error().has_details, std::string_view(c.message).starts_with("406"));
  }
}

TEST(NegotiationTest, ChoosesTheClientsFirstChoice) {
  const Case cases[] = {
      {"", 200},
      {"*/*", 200},
      {"application/json", 200},
      {"application/json;q=0", 200},
      {"application/json;q=0.1, application/yaml;q=0.9", 200, {.encoding = Encoding::kYaml}},
      {"application/yaml, application/json", 200, {.encoding = Encoding::kYaml}},
      {"application/xml, application/yaml;q=0.3", 200, {.encoding = Encoding::kYaml}},
      {"application/yaml;q=0, application/json;q=0.5", 200},
      {"*/*;q=0.1, application/yaml", 200, {.encoding = Encoding::kYaml}},
      {"application/json;q=abc, application/yaml;q=0.1", 200, {.encoding = Encoding::kYaml}},
      {"application/*;q=0.8, application/yaml;q=0.7", 200, {.encoding = Encoding::kYaml}},
      {"application/vnd.kubernetes.protobuf,application/json", 200, {.encoding = Encoding::kProtobuf}},
      {"application/json;pretty=1", 200, {.pretty = true}},
      {"application/json;as=Table;g=meta.k8s.io;v=v1", 200, {.view = View::kTable}},
      {"application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
       200,
       {.view = View::kTable, .beta_view = true}},
      {"application/json,application/json;as=Table;g=meta.k8s.io;v=v1", 200},
      {"application/json;as=Table;g=bogus;v=v1,application/json", 200},
      {"application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1, application/json", 200},
      {"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
       200,
       {.encoding = Encoding::kProtobuf, .view = View::kPartialObject}},
      {"application/xml", 406, {}, kRouteRefusal},
      {"application/*", 406, {}, kRouteRefusal},
      {"APPLICATION/JSON", 406, {}, kRouteRefusal},
      {"garbage", 406, {}, kRouteRefusal},
      {"application/cbor", 406, {}, kRouteRefusal},
      {"application/json;as=Table", 406, {}, kRefusal},
      {"application/json;g=meta.k8s.io;v=v1", 406, {}, kRefusal},
      {"application/json;as=Bogus;g=meta.k8s.io;v=v1", 406, {}, kRefusal},
  };
  for (const Case& c : cases) Check(c, kObject);
}

TEST(NegotiationTest, CborIsOfferedBehindItsGate) {
  Check({"application/cbor", 200, {.encoding = Encoding::kCbor}}, {.cbor = true});
  Check({"application/cbor-seq",
         406,
         {},
         "only the following media types are accepted: application/json, application/yaml, "
         "application/vnd.kubernetes.protobuf, application/cbor"},
        {.cbor = true, .stream_types = true});
}

TEST(NegotiationTest, ListRoutesNameTheirStreamTypes) {
  Check({"application/xml",
         406,
         {},
         "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
         "application/vnd.kubernetes.protobuf, application/json;stream=watch, "
         "application/vnd.kubernetes.protobuf;stream=watch"},
        {.stream_types = true});
}

TEST(NegotiationTest, YamlCannotStream) {
  exchange::Request request;
  request.headers.Add("accept", "application/yaml");
  auto output = NegotiateStream(request, api::Query::Parse(""), {.stream_types = true});
  ASSERT_FALSE(output.has_value());
  EXPECT_EQ(output.error().message,
            "only the following media types are accepted: application/json;stream=watch, "
            "application/vnd.kubernetes.protobuf;stream=watch");
}

TEST(NegotiationTest, PeopleGetIndentedJson) {
  struct {
    const char *query, *agent;
    bool pretty;
  } cases[] = {{"", "kubectl/v1", false},         {"", "curl/8", true},        {"", "Wget/1", true},
               {"", "Mozilla/5.0 x", true},       {"pretty=1", "", true},      {"pretty=true", "", true},
               {"pretty=false", "curl/8", false}, {"pretty=bogus", "", false}, {"pretty=", "curl/8", true}};
  for (const auto& c : cases) {
    exchange::Request request;
    request.headers.Add("user-agent", c.agent);
    EXPECT_EQ(NegotiateError(request, api::Query::Parse(c.query), false).pretty, c.pretty) << c.query << " " << c.agent;
  }
}

TEST(NegotiationTest, ErrorsFallBackToIndentedJson) {
  exchange::Request request;
  request.headers.Add("accept", "application/json;as=Table;g=meta.k8s.io;v=v1");
  EXPECT_EQ(NegotiateError(request, api::Query::Parse(""), false), (Output{.pretty = true}));
}

TEST(NegotiationTest, BodiesAreOfATypeThatCanBeRead) {
  struct {
    const char* type;
    bool good;
    Encoding want;
  } cases[] = {{"", true, Encoding::kJson},
               {"application/json; charset=utf-8", true, Encoding::kJson},
               {"APPLICATION/YAML", true, Encoding::kYaml},
               {"application/vnd.kubernetes.protobuf", true, Encoding::kProtobuf},
               {"application/json;", true, Encoding::kJson},
               {"application/json; ; ", false, {}},
               {"application/json;;", false, {}},
               {"application/json;charset", false, {}},
               {"application/json;charset=", false, {}},
               {R"(application/json;charset="";b=1;)", true, Encoding::kJson},
               {R"(application/json; a = "x;\"y" ; b=c)", true, Encoding::kJson},
               {R"(application/json;a="x)", false, {}},
               {"application/json;a=1;A=1", true, Encoding::kJson},
               {"application/json;a=1;A=2", false, {}},
               {"application/json;a=1 b=2", false, {}},
               {"application/cbor", false, {}},
               {"text/plain", false, {}}};
  for (const auto& c : cases) {
    auto encoding = NegotiateInput(c.type, true, false);
    ASSERT_EQ(encoding.has_value(), c.good) << c.type;
    if (c.good) {
      EXPECT_EQ(*encoding, c.want) << c.type;
    } else {
      EXPECT_EQ(encoding.error().code, 415);
    }
  }
}

}  // namespace
}  // namespace handlers
