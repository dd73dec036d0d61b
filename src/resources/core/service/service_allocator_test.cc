#include "resources/core/service/service_allocator.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/text.h"
#include "registry/registry_fixture.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

using value::Value;

api::IpPrefix Range(std::string_view text) { return *api::IpPrefix::ParseLoosely(text); }

// A registry whose services draw from small pools: 10.0.0.1 to .6 (of a /29), fd00::1 to ::e where there are two, ports
// 30000 to 30003.
class ServiceAllocatorTest : public testing::Test {
 public:
  explicit ServiceAllocatorTest(std::vector<api::IpPrefix> ranges = {Range("10.0.0.0/29")})
      : options_{.address_ranges = std::move(ranges), .first_port = 30000, .port_count = 4}, fixture_(Hooks()) {
    services_ = &fixture_.table.Add("", "v1", "services", "Service", true);
    services_->strategy = std::make_shared<registry::TableStrategy>(kServices);
    endpoints_ = &fixture_.table.Add("", "v1", "endpoints", "Endpoints", true);
    fixture_.table.Open(*fixture_.store);
    Restart();
  }

  // A new index over the same store.
  void Restart() { allocator_.emplace(*fixture_.store, services_->storage->id, options_, base::SystemRandom()); }

  static std::string Json(std::string_view name, std::string_view spec) {
    return base::Cat(R"({"metadata":{"name":")", name, R"("},"spec":{"sessionAffinity":"None",)", Policy(spec), spec,
                     "}}");
  }
  // "" or what is wrong.
  std::string Create(std::string_view name, std::string_view spec, bool dry_run = false) {
    auto done = fixture_.Create(*services_, Json(name, spec), "ns", dry_run);
    last_ = done ? std::string(done->bytes.data) : "";
    return done ? "" : done.error().message;
  }
  std::string Put(std::string_view name, std::string_view spec) {
    auto done = fixture_.Put(*services_, name, Json(name, spec));
    last_ = done ? std::string(done->bytes.data) : "";
    return done ? "" : done.error().message;
  }
  void Delete(std::string_view name) { ASSERT_TRUE(fixture_.Delete(*services_, name)); }
  bool LastHas(std::string_view text) const { return last_.contains(text); }

 protected:
  static std::string_view Policy(std::string_view spec) {
    return spec.contains("internalTrafficPolicy") ? "" : R"("internalTrafficPolicy":"Cluster",)";
  }
  registry::WriteHooks Hooks() {
    registry::WriteHooks hooks;
    hooks.allocate = [this](registry::WriteContext& context, const Value& object, const Value* old,
                            bool dry_run) -> api::Result<registry::Reservation> {
      if (context.resource.plural != "services") return registry::Reservation();
      return allocator_->Allocate(context, object, old, dry_run);
    };
    return hooks;
  }

  const ServiceAllocator::Options options_;
  registry::Fixture fixture_;
  registry::Resource *services_, *endpoints_;
  std::optional<ServiceAllocator> allocator_;
  std::string last_;
};

constexpr std::string_view kPorts = R"("type":"ClusterIP","ports":[{"port":1,"protocol":"TCP","targetPort":1}])";
constexpr std::string_view kTwo =
    R"("type":"ClusterIP","ports":[{"port":1,"protocol":"TCP","targetPort":1}],"clusterIP":"10.0.0.2")";

std::string NodePorts(std::string_view ports) {
  return base::Cat(R"("type":"NodePort","externalTrafficPolicy":"Cluster","ports":[)", ports, "]");
}
std::string PortOf(int number, std::string_view more = "") {
  return base::Cat(R"({"name":"p)", number, R"(","port":)", number, R"(,"protocol":"TCP","targetPort":1)", more, "}");
}

TEST_F(ServiceAllocatorTest, GivesEveryAddressOnce) {
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) EXPECT_EQ(Create(name, kPorts), "") << name;
  EXPECT_EQ(Create("g", kPorts), "Internal error occurred: failed to allocate a serviceIP: range is full");
  Delete("c");
  EXPECT_EQ(Create("g", kPorts), "");
  EXPECT_TRUE(LastHas(R"("ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack")")) << last_;
}

TEST_F(ServiceAllocatorTest, RefusesWhatIsTakenOrOutside) {
  EXPECT_EQ(Create("a", kTwo), "");
  EXPECT_EQ(Create("b", kTwo),
            "Service \"b\" is invalid: spec.clusterIPs: Invalid value: []string{\"10.0.0.2\"}: failed to allocate IP "
            "10.0.0.2: provided IP is already allocated");
  EXPECT_EQ(Create("b", base::Cat(kPorts, R"(,"clusterIP":"10.0.0.7")")),
            "Service \"b\" is invalid: spec.clusterIPs: Invalid value: []string{\"10.0.0.7\"}: failed to allocate IP "
            "10.0.0.7: the provided IP (10.0.0.7) is not in the valid range. The range of valid IPs is 10.0.0.0/29");
  EXPECT_EQ(
      Create("b", base::Cat(kPorts, R"(,"clusterIP":"fd00::1")")),
      "Service \"b\" is invalid: spec.clusterIPs[0]: Invalid value: []string{\"fd00::1\"}: IPv6 is not configured "
      "on this cluster");
  Restart();
  EXPECT_TRUE(Create("b", kTwo).contains("already allocated"));
  Delete("a");
  EXPECT_EQ(Create("b", kTwo), "");
}

TEST_F(ServiceAllocatorTest, AWriteThatFailsGivesBackWhatItTook) {
  EXPECT_TRUE(Create("a", R"("type":"ClusterIP","clusterIP":"10.0.0.2")").contains("spec.ports: Required value"));
  EXPECT_EQ(Create("a", kTwo), "");
  EXPECT_TRUE(Create("a", base::Cat(kPorts, R"(,"clusterIP":"10.0.0.3")")).contains("already exists"));
  EXPECT_EQ(Create("b", base::Cat(kPorts, R"(,"clusterIP":"10.0.0.3")")), "");
}

TEST_F(ServiceAllocatorTest, AWriteUnderWayHoldsWhatItTook) {
  registry::Arena arena;
  std::vector<std::string> warnings;
  registry::WriteContext context{fixture_.request, *services_, arena, "", "", warnings};
  const auto take = [&] {
    return allocator_->Allocate(context, fixture_.Parse(*services_, Json("a", kTwo), arena), nullptr, false);
  };
  auto first = take();
  ASSERT_TRUE(first);
  EXPECT_FALSE(take());
  first->reset();
  EXPECT_TRUE(take());
}

TEST_F(ServiceAllocatorTest, DryRunsTakeNothing) {
  EXPECT_EQ(Create("a", kTwo, true), "");
  EXPECT_EQ(Create("a", kPorts, true), "");
  EXPECT_TRUE(LastHas(R"("clusterIP":"10.0.0.0")")) << last_;
  EXPECT_EQ(Create("a", NodePorts(base::Cat(PortOf(1), ",", PortOf(2))), true), "");
  EXPECT_TRUE(LastHas(R"("nodePort":32769)") && LastHas(R"("nodePort":32770)")) << last_;
  EXPECT_EQ(Create("a", kTwo), "");
}

TEST_F(ServiceAllocatorTest, NodePorts) {
  EXPECT_EQ(Create("a", NodePorts(base::Cat(PortOf(1, R"(,"nodePort":30001)"), ",", PortOf(2)))), "");
  EXPECT_EQ(
      Create("b", NodePorts(PortOf(1, R"(,"nodePort":30001)"))),
      "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated");
  EXPECT_EQ(Create("b", NodePorts(PortOf(1, R"(,"nodePort":80)"))),
            "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid "
            "range. The range of valid ports is 30000-30003");
  EXPECT_EQ(Put("a", kPorts), "");  // gives its ports back
  EXPECT_FALSE(LastHas("nodePort")) << last_;
  EXPECT_EQ(Create("b", NodePorts(PortOf(1, R"(,"nodePort":30001)"))), "");
  EXPECT_EQ(Create("c", NodePorts(base::Cat(PortOf(1), ",", PortOf(2), ",", PortOf(3)))), "");
  EXPECT_EQ(Create("d", NodePorts(PortOf(1))), "Internal error occurred: failed to allocate a nodePort: range is full");
}

TEST_F(ServiceAllocatorTest, AReplacedServiceKeepsWhatItHas) {
  EXPECT_EQ(Create("a", NodePorts(PortOf(1, R"(,"nodePort":30002)"))), "");
  const std::string address = last_.substr(last_.find(R"("clusterIP":)"), 23);
  EXPECT_EQ(Put("a", NodePorts(PortOf(1))), "");
  EXPECT_TRUE(LastHas(R"("nodePort":30002)") && LastHas(address)) << last_;
  EXPECT_TRUE(Put("a", NodePorts(base::Cat(PortOf(1, R"(,"nodePort":30003)"), ",", PortOf(2, R"(,"nodePort":30003)"))))
                  .starts_with("duplicate nodePort: {TCP 30003}"));
}

TEST_F(ServiceAllocatorTest, ANameElsewhereHasNoAddress) {
  EXPECT_EQ(Create("a", kTwo), "");
  EXPECT_EQ(Put("a", R"("type":"ExternalName","externalName":"x")"), "");
  EXPECT_FALSE(LastHas("clusterIP")) << last_;
  EXPECT_EQ(Create("b", kTwo), "");
  EXPECT_TRUE(Put("a", kTwo).contains("already allocated"));
  EXPECT_EQ(Put("a", kPorts), "");
  EXPECT_TRUE(LastHas(R"("clusterIP":"10.0.0.)")) << last_;
}

TEST_F(ServiceAllocatorTest, HealthChecksHaveAPortOfTheirOwn) {
  const std::string balanced = base::Cat(
      R"("type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"externalTrafficPolicy":"Local","ports":[)",
      PortOf(1), "]");
  EXPECT_EQ(Create("a", base::Cat(balanced, R"(,"healthCheckNodePort":30003)")), "");
  EXPECT_EQ(
      Create("b", base::Cat(balanced, R"(,"healthCheckNodePort":30003)")),
      "Internal error occurred: failed to allocate requested HealthCheck NodePort 30003: provided port is already "
      "allocated");
  EXPECT_EQ(Put("a", balanced), "");
  EXPECT_TRUE(LastHas(R"("healthCheckNodePort":30003)")) << last_;
  EXPECT_EQ(Put("a", kPorts), "");
  EXPECT_EQ(Create("b", base::Cat(balanced, R"(,"healthCheckNodePort":30003)")), "");
}

TEST_F(ServiceAllocatorTest, EndpointsGoWithTheirService) {
  EXPECT_EQ(Create("a", kTwo), "");
  ASSERT_TRUE(fixture_.Create(*endpoints_, R"({"metadata":{"name":"a"}})"));
  Delete("a");
  EXPECT_FALSE(fixture_.Get(*endpoints_, "a"));
}

class DualStackTest : public ServiceAllocatorTest {
 public:
  DualStackTest() : ServiceAllocatorTest({Range("10.0.0.0/29"), Range("fd00::/124")}) {}
};

TEST_F(DualStackTest, FollowsPolicyAndFamilies) {
  // First, for the others may choose any address.
  EXPECT_EQ(Create("d", base::Cat(kPorts, R"(,"clusterIP":"fd00::e")")), "");
  EXPECT_TRUE(LastHas(R"("ipFamilies":["IPv6"])")) << last_;
  EXPECT_EQ(Create("a", kPorts), "");
  EXPECT_TRUE(LastHas(R"("ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack")")) << last_;
  EXPECT_EQ(Create("b", base::Cat(kPorts, R"(,"ipFamilyPolicy":"PreferDualStack")")), "");
  EXPECT_TRUE(LastHas(R"("ipFamilies":["IPv4","IPv6"])") && LastHas(R"(,"fd00::)")) << last_;
  EXPECT_EQ(Create("c", base::Cat(kPorts, R"(,"ipFamilyPolicy":"RequireDualStack","ipFamilies":["IPv6"])")), "");
  EXPECT_TRUE(LastHas(R"("ipFamilies":["IPv6","IPv4"])") && LastHas(R"("clusterIP":"fd00::)")) << last_;
  EXPECT_EQ(Create("e", base::Cat(kPorts, R"(,"clusterIP":"10.0.0.6","clusterIPs":["10.0.0.6","fd00::e"])")),
            "Service \"e\" is invalid: spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' "
            "or 'PreferDualStack' when multiple cluster IPs are specified");
}

TEST_F(DualStackTest, GainsAndReleasesTheSecondAddress) {
  EXPECT_EQ(Create("a", kTwo), "");
  EXPECT_EQ(Put("a", base::Cat(kPorts, R"(,"ipFamilyPolicy":"RequireDualStack")")), "");
  EXPECT_TRUE(LastHas(R"("clusterIPs":["10.0.0.2","fd00::)")) << last_;
  EXPECT_EQ(Put("a", base::Cat(kPorts, R"(,"ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4"])")), "");
  EXPECT_TRUE(LastHas(R"("clusterIPs":["10.0.0.2"])")) << last_;
}

TEST(NumberPool, KeepsTheFirstNumbersBack) {
  NumberPool pool(40, 16);
  for (int i = 0; i < 24; ++i) {
    const auto number = pool.Choose(base::SystemRandom());
    ASSERT_TRUE(number);
    EXPECT_GE(*number, 16);
    pool.Hold(*number);
  }
  for (int i = 0; i < 16; ++i) {
    const auto number = pool.Choose(base::SystemRandom());
    ASSERT_TRUE(number);
    EXPECT_LT(*number, 16);
    pool.Hold(*number);
  }
  EXPECT_FALSE(pool.Choose(base::SystemRandom()));
  pool.Hold(3);
  pool.Release(3);
  EXPECT_TRUE(pool.Has(3));
  pool.Release(3);
  EXPECT_FALSE(pool.Has(3));
}

TEST(AddressPool, LeavesOutNetworkAndBroadcast) {
  AddressPool pool(Range("10.0.0.77/24"));
  EXPECT_EQ(pool.text(), "10.0.0.0/24");
  EXPECT_EQ(pool.numbers().size(), 254);
  EXPECT_FALSE(pool.NumberOf(*api::IpAddress::ParseLoosely("10.0.0.0")));
  EXPECT_FALSE(pool.NumberOf(*api::IpAddress::ParseLoosely("10.0.0.255")));
  EXPECT_EQ(pool.NumberOf(*api::IpAddress::ParseLoosely("10.0.0.1")), 0);
  EXPECT_EQ(pool.AddressOf(253), "10.0.0.254");
  EXPECT_EQ(AddressPool(Range("fd00::/64")).numbers().size(), 65535);
  EXPECT_EQ(AddressPool(Range("10.0.0.1/32")).numbers().size(), 0);
}

}  // namespace
}  // namespace resources::core
