#include "resources/bootstrap.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "registry/json_scan.h"
#include "registry/strategy.h"

namespace resources {
namespace {

using base::Cat;

// An entry of managedFields for what the server itself wrote.
std::string Managed(std::string_view api_version, std::string_view fields) {
  return Cat(R"("managedFields":[{"manager":"kube-apiserver","operation":"Update","apiVersion":")", api_version,
             R"(","time":"","fieldsType":"FieldsV1","fieldsV1":{)", fields, "}}]");
}

std::string LabelField(std::string_view label) {
  return Cat(R"("f:metadata":{"f:labels":{".":{},"f:)", label, R"(":{}}})");
}

constexpr std::string_view kBlanks = R"("uid":"","resourceVersion":"",)";
constexpr std::string_view kCreated = R"("creationTimestamp":"",)";

bool IsIpv6(std::string_view address) { return address.contains(':'); }

std::string Service(const ServerPlace& place) {
  return Cat(
      R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"kubernetes","namespace":"default",)", kBlanks,
      kCreated, R"("labels":{"component":"apiserver","provider":"kubernetes"},)",
      Managed("v1",
              R"("f:metadata":{"f:labels":{".":{},"f:component":{},"f:provider":{}}},)"
              R"("f:spec":{"f:clusterIP":{},"f:internalTrafficPolicy":{},"f:ipFamilyPolicy":{},"f:ports":{".":{},)"
              R"("k:{\"port\":443,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{},"f:protocol":{},)"
              R"("f:targetPort":{}}},"f:sessionAffinity":{},"f:type":{}})"),
      R"(},"spec":{"ports":[{"name":"https","protocol":"TCP","port":443,"targetPort":)", place.port,
      R"(}],"clusterIP":")", place.service_ip, R"(","clusterIPs":[")", place.service_ip,
      R"("],"type":"ClusterIP","sessionAffinity":"None","ipFamilies":[")", IsIpv6(place.service_ip) ? "IPv6" : "IPv4",
      R"("],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}})");
}

std::string Endpoints(const ServerPlace& place) {
  return Cat(R"({"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"kubernetes","namespace":"default",)", kBlanks,
             kCreated, R"("labels":{"endpointslice.kubernetes.io/skip-mirror":"true"},)",
             Managed("v1", Cat(LabelField("endpointslice.kubernetes.io/skip-mirror"), R"(,"f:subsets":{})")),
             R"(},"subsets":[{"addresses":[{"ip":")", place.advertise_address,
             R"("}],"ports":[{"name":"https","port":)", place.port, R"(,"protocol":"TCP"}]}]})");
}

std::string EndpointSlice(const ServerPlace& place) {
  return Cat(R"({"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1",)",
             R"("metadata":{"name":"kubernetes","namespace":"default",)", kBlanks, R"("generation":1,)", kCreated,
             R"("labels":{"kubernetes.io/service-name":"kubernetes"},)",
             Managed("discovery.k8s.io/v1", Cat(R"("f:addressType":{},"f:endpoints":{},)",
                                                LabelField("kubernetes.io/service-name"), R"(,"f:ports":{})")),
             R"(},"addressType":")", IsIpv6(place.advertise_address) ? "IPv6" : "IPv4",
             R"(","endpoints":[{"addresses":[")", place.advertise_address,
             R"("],"conditions":{"ready":true}}],"ports":[{"name":"https","protocol":"TCP","port":)", place.port,
             "}]}");
}

std::string Lease(const ServerPlace& place, std::string_view now, base::Random& random) {
  const std::string name = Cat("apiserver-", base::NewNameSuffix(random, 26));
  return Cat(R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":")", name,
             R"(","namespace":"kube-system",)", kBlanks, kCreated,
             R"("labels":{"apiserver.kubernetes.io/identity":"kube-apiserver","kubernetes.io/hostname":")",
             place.hostname, R"("},)",
             Managed("coordination.k8s.io/v1",
                     R"("f:metadata":{"f:labels":{".":{},"f:apiserver.kubernetes.io/identity":{},)"
                     R"("f:kubernetes.io/hostname":{}}},"f:spec":{"f:holderIdentity":{},"f:leaseDurationSeconds":{},)"
                     R"("f:renewTime":{}})"),
             R"(},"spec":{"holderIdentity":")", name, "_", base::NewUuid(random),
             R"(","leaseDurationSeconds":3600,"renewTime":")", now.substr(0, now.size() - 1), R"(.000000Z"}})");
}

std::string TokenTracking(std::string_view now) {
  return Cat(R"({"kind":"ConfigMap","apiVersion":"v1",)",
             R"("metadata":{"name":"kube-apiserver-legacy-service-account-token-tracking","namespace":"kube-system",)",
             kBlanks, kCreated, Managed("v1", R"("f:data":{".":{},"f:since":{}})"), R"(},"data":{"since":")",
             now.substr(0, 10), R"("}})");
}

// Whether the gates are as "A,-B" says.
bool GatesAre(std::string_view gates, GateIsOn gate_is_on) {
  while (!gates.empty()) {
    std::string_view gate = gates.substr(0, gates.find(','));
    gates.remove_prefix(std::min(gates.size(), gate.size() + 1));
    const bool wanted = !gate.starts_with('-');
    if (!wanted) gate.remove_prefix(1);
    if (gate_is_on(gate) != wanted) return false;
  }
  return true;
}

}  // namespace

std::vector<registry::BootstrapObject> ObjectsFor(const registry::ResourceTable& table, GateIsOn gate_is_on) {
  std::set<std::string> versions;
  for (const registry::Resource* resource : table.All()) {
    versions.insert(Cat(resource->version, ".", resource->group));
  }
  const auto serves = [&](const registry::BootstrapObject& object) {
    return object.kind != "APIService" ||
           versions.contains(std::string(registry::PlainText(registry::FindJson(object.json, "metadata.name"))));
  };
  std::vector<registry::BootstrapObject> objects;
  for (const RecordedObject& recorded : RecordedObjects()) {
    if (serves(recorded.object) && GatesAre(recorded.gates, gate_is_on)) objects.push_back(recorded.object);
  }
  return objects;
}

PlaceObjects::PlaceObjects(const ServerPlace& place, const base::Clock& clock, base::Random& random) {
  const std::string now = registry::TimeText(clock.Now());
  texts_ = {Service(place), Endpoints(place), EndpointSlice(place), TokenTracking(now)};
  if (place.has_identity) texts_.push_back(Lease(place, now, random));
  objects_ = {{"", "v1", "Service", texts_[0]},
              {"", "v1", "Endpoints", texts_[1]},
              {"discovery.k8s.io", "v1", "EndpointSlice", texts_[2]},
              {"", "v1", "ConfigMap", texts_[3]}};
  if (place.has_identity) objects_.push_back({"coordination.k8s.io", "v1", "Lease", texts_[4]});
}

}  // namespace resources
