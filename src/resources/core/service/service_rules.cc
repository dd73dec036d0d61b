#include "resources/core/service/service_rules.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/core/service/service_changes.h"
#include "resources/core/service/service_spec.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

using base::Cat;

constexpr int64_t kKubeletPort = 10250;
constexpr int64_t kLongestAffinity = 86400;
constexpr std::string_view kTopologyHints = "service.kubernetes.io/topology-aware-hints";
constexpr std::string_view kTopologyMode = "service.kubernetes.io/topology-mode";
constexpr std::string_view kSourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
constexpr std::string_view kOnlyForBalancers = "may only be used when `type` is 'LoadBalancer'";

constexpr std::string_view kTypes[] = {kClusterIp, kExternalName, kLoadBalancer, kNodePort};
constexpr std::string_view kAffinities[] = {"ClientIP", "None"};
constexpr std::string_view kProtocols[] = {"SCTP", "TCP", "UDP"};
constexpr std::string_view kReach[] = {"Cluster", "Local"};
constexpr std::string_view kDistributions[] = {"PreferClose"};
constexpr std::string_view kIpModes[] = {"Proxy", "VIP"};

// Of a string that may be there with nothing in it: one of `words`.
void CheckGivenWord(Errors& errors, const FieldPath& path, const Value& word, std::span<const std::string_view> words) {
  if (!word.is_string() || std::ranges::find(words, word.AsString()) != words.end()) return;
  errors.NotSupported(path, word.AsString(), words);
}

void CheckTopologyAnnotations(Scope& service) {
  const Value annotations = service.object.Get({"metadata", "annotations"});
  const Value *hints = annotations.Find(kTopologyHints), *mode = annotations.Find(kTopologyMode);
  if (hints == nullptr || mode == nullptr || hints->AsString() == mode->AsString()) return;
  const FieldPath metadata("metadata");
  const FieldPath list = metadata.Child("annotations");
  service.errors.Invalid(list.Key(kTopologyMode), mode->AsString(),
                         Cat("must match annotations[", kTopologyHints, "] when both are specified"));
}

void ForbidNoAddress(Scope& service) {
  if (!IsHeadless(service.object)) return;
  const FieldPath spec("spec");
  const FieldPath list = spec.Child("clusterIPs");
  service.errors.Invalid(list.Index(0), kNoAddress,
                         Cat("may not be set to 'None' for ", TypeOf(service.object), " services"));
}

void CheckBalancedPorts(Scope& service) {
  const FieldPath spec("spec");
  const FieldPath list = spec.Child("ports");
  int64_t i = 0;
  for (const Value& port : SpecOf(service.object).Get("ports").items()) {
    const FieldPath path = list.Index(i++);
    if (NumberAt(port, "port") != kKubeletPort) continue;
    service.errors.Invalid(path, kKubeletPort,
                           Cat("may not expose port ", kKubeletPort, " externally since it is used by kubelet"));
  }
}

// A name elsewhere has no address here.
void CheckExternalName(Scope& service) {
  const FieldPath path("spec");
  const Value spec = SpecOf(service.object);
  constexpr std::string_view kDetail = "may not be set for ExternalName services";
  if (!spec.Get("clusterIPs").empty()) service.errors.Forbidden(path.Child("clusterIPs"), kDetail);
  if (!spec.Get("ipFamilies").empty()) service.errors.Forbidden(path.Child("ipFamilies"), kDetail);
  if (!spec.Get("ipFamilyPolicy").is_null()) service.errors.Forbidden(path.Child("ipFamilyPolicy"), kDetail);
  std::string_view name = spec.GetString("externalName");
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) {
    service.errors.Required(path.Child("externalName"));
  } else {
    kDnsSubdomain(service.errors, path.Child("externalName"), name);
  }
}

void CheckWhatTheTypeNeeds(Scope& service) {
  const std::string_view type = TypeOf(service.object);
  const FieldPath spec("spec");
  if (SpecOf(service.object).Get("ports").empty() && !IsHeadless(service.object) && type != kExternalName) {
    service.errors.Required(spec.Child("ports"));
  }
  if (type == kLoadBalancer) CheckBalancedPorts(service);
  if (type == kLoadBalancer || type == kNodePort) ForbidNoAddress(service);
  if (type == kExternalName) CheckExternalName(service);
}

void CheckPortName(Scope& port, bool required, std::set<std::string_view>& names) {
  const std::string_view name = port.String("name");
  if (name.empty()) {
    if (required) port.errors.Required(port.At("name"));
    return;
  }
  kDnsLabel(port.errors, port.At("name"), name);
  if (!names.insert(name).second) port.errors.Duplicate(port.At("name"), name);
}

void CheckPortValues(Scope& port) {
  CheckPortNumber(port.errors, port.At("port"), port.Int("port"));
  if (port.String("protocol").empty()) {
    port.errors.Required(port.At("protocol"));
  } else {
    CheckGivenWord(port.errors, port.At("protocol"), port.Get("protocol"), kProtocols);
  }
  CheckPortNumberOrName(port.errors, port.At("targetPort"), port.Get("targetPort"));
  if (port.Has("appProtocol")) kQualifiedName(port.errors, port.At("appProtocol"), port.String("appProtocol"));
}

void CheckPorts(Scope& spec) {
  const FieldPath list = spec.At("ports");
  const Value ports = spec.Get("ports");
  std::set<std::string_view> names;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const FieldPath path = list.Index(i);
    Scope port{spec.context, path, ports[i], nullptr, spec.errors, &spec};
    CheckPortName(port, ports.size() > 1, names);
    CheckPortValues(port);
  }
}

void CheckSelector(Scope& spec) { CheckLabels(spec.errors, spec.At("selector"), spec.Get("selector")); }

void CheckAffinity(Scope& spec) {
  CheckGivenWord(spec.errors, spec.At("sessionAffinity"), spec.Get("sessionAffinity"), kAffinities);
  if (spec.String("sessionAffinity") != "ClientIP") return;
  const FieldPath config = spec.At("sessionAffinityConfig");
  const FieldPath client = config.Child("clientIP");
  const int64_t seconds = NumberAt(spec.object.Get({"sessionAffinityConfig", "clientIP"}), "timeoutSeconds");
  if (seconds > 0 && seconds <= kLongestAffinity) return;
  spec.errors.Invalid(client.Child("timeoutSeconds"), seconds,
                      Cat("must be greater than 0 and less than ", kLongestAffinity));
}

void CheckAddresses(Scope& spec) { CheckClusterAddresses(spec.errors, spec.parent->object); }

void CheckExternalAddresses(Scope& spec) {
  const FieldPath list = spec.At("externalIPs");
  int64_t i = 0;
  for (const Value& address : spec.Get("externalIPs").items()) {
    const FieldPath path = list.Index(i++);
    const size_t before = spec.errors.size();
    CheckIp(spec.errors, path, address.AsString());
    if (spec.errors.size() == before) CheckOrdinaryIp(spec.errors, path, address.AsString());
  }
}

void ForbidNodePorts(Scope& spec) {
  if (spec.String("type") != kClusterIp) return;
  const FieldPath list = spec.At("ports");
  int64_t i = 0;
  for (const Value& port : spec.Get("ports").items()) {
    const FieldPath path = list.Index(i++);
    if (NumberAt(port, "nodePort") == 0) continue;
    spec.errors.Forbidden(path.Child("nodePort"), "may not be used when `type` is 'ClusterIP'");
  }
}

// No two ports have both number and protocol in common, on the nodes or in the cluster.
void CheckRepeatedPorts(Scope& spec) {
  const FieldPath list = spec.At("ports");
  const Value ports = spec.Get("ports");
  std::set<std::pair<std::string_view, int64_t>> on_nodes, in_cluster;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const FieldPath path = list.Index(i);
    const int64_t number = NumberAt(ports[i], "nodePort");
    if (number == 0 || on_nodes.insert({ports[i].GetString("protocol"), number}).second) continue;
    spec.errors.Duplicate(path.Child("nodePort"), Value::Int(number));
  }
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const std::string_view protocol = ports[i].GetString("protocol");
    const int64_t number = NumberAt(ports[i], "port");
    if (in_cluster.insert({protocol, number}).second) continue;
    spec.errors.Add(
        {api::FieldError::Type::kDuplicate,
         list.Index(i).text(),
         Cat(R"(core.ServicePort{Name:"", Protocol:)", api::Quote(protocol), R"(, AppProtocol:(*string)(nil), Port:)",
             number, R"(, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0})"),
         {}});
  }
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The same in an annotation, which counts where the field is not set.
void CheckSourceAnnotation(Scope& spec) {
  const Value* annotation = spec.parent->object.Get({"metadata", "annotations"}).Find(kSourceRanges);
  if (annotation == nullptr) return;
  const FieldPath metadata("metadata");
  const FieldPath annotations = metadata.Child("annotations");
  const FieldPath path = annotations.Key(kSourceRanges);
  if (spec.String("type") != kLoadBalancer) spec.errors.Forbidden(path, kOnlyForBalancers);
  std::string_view rest = Trimmed(annotation->AsString());
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    CheckCidr(spec.errors, path, Trimmed(rest.substr(0, comma)));
    if (comma == rest.npos) return;
    rest.remove_prefix(comma + 1);
    if (rest.empty()) CheckCidr(spec.errors, path, {});
  }
}

void CheckSourceRanges(Scope& spec) {
  const Value ranges = spec.Get("loadBalancerSourceRanges");
  if (ranges.empty()) return CheckSourceAnnotation(spec);
  const FieldPath list = spec.At("LoadBalancerSourceRanges");  // so the real server calls it
  if (spec.String("type") != kLoadBalancer) spec.errors.Forbidden(list, kOnlyForBalancers);
  for (uint32_t i = 0; i < ranges.size(); ++i) CheckCidr(spec.errors, list.Index(i), Trimmed(ItemAt(ranges, i)));
}

void CheckAllocationChoice(Scope& spec) {
  if (!spec.Has("allocateLoadBalancerNodePorts") || spec.String("type") == kLoadBalancer) return;
  spec.errors.Forbidden(spec.At("allocateLoadBalancerNodePorts"), kOnlyForBalancers);
}

void CheckExternalTraffic(Scope& spec) {
  const FieldPath path = spec.At("externalTrafficPolicy");
  const Value& service = spec.parent->object;
  const std::string_view policy = spec.String("externalTrafficPolicy");
  if (!IsExternal(service)) {
    if (!policy.empty()) spec.errors.Invalid(path, policy, "may only be set for externally-accessible services");
  } else if (policy.empty()) {
    spec.errors.Required(path);
  } else {
    CheckGivenWord(spec.errors, path, spec.Get("externalTrafficPolicy"), kReach);
  }
  const FieldPath port_path = spec.At("healthCheckNodePort");
  const int64_t port = spec.Int("healthCheckNodePort");
  if (NeedsHealthCheck(service)) {
    if (port == 0) spec.errors.Required(port_path);
    if (port != 0) CheckPortNumber(spec.errors, port_path, port);
  } else if (port != 0) {
    spec.errors.Invalid(port_path, port,
                        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  }
}

void CheckInternalTraffic(Scope& spec) {
  const FieldPath path = spec.At("internalTrafficPolicy");
  const std::string_view type = spec.String("type");
  const bool needed = type == kClusterIp || type == kNodePort || type == kLoadBalancer;
  if (needed && !spec.Has("internalTrafficPolicy")) spec.errors.Required(path);
  CheckGivenWord(spec.errors, path, spec.Get("internalTrafficPolicy"), kReach);
  CheckGivenWord(spec.errors, spec.At("trafficDistribution"), spec.Get("trafficDistribution"), kDistributions);
}

void CheckClass(Scope& spec) {
  Scope service{spec.context, spec.parent->path, spec.parent->object, nullptr, spec.errors};
  CheckLoadBalancerClass(service);
}

constexpr Rule kSpecRules[] = {
    Call(CheckPorts),
    Call(CheckSelector),
    Call(CheckAffinity),
    Call(CheckAddresses),
    Call(CheckExternalAddresses),
    RequiredEnum("type", kTypes),
    Call(ForbidNodePorts),
    Call(CheckRepeatedPorts),
    Call(CheckSourceRanges),
    Call(CheckAllocationChoice),
    Call(CheckClass),
    Call(CheckExternalTraffic),
    Call(CheckInternalTraffic),
};
constexpr Rule kServiceRules[] = {
    Call(CheckTopologyAnnotations),
    Call(CheckWhatTheTypeNeeds),
    Into("spec", kSpecRules),
};
constexpr Rule kChangeRules[] = {
    Call(CheckAddressChanges),
    Call(CheckFamilyChanges),
    Call(CheckLoadBalancerClass),
    Call(CheckHealthCheckChange),
};

void CheckIpMode(Scope& point) {
  const FieldPath path = point.At("ipMode");
  const bool has_ip = !point.String("ip").empty();
  if (!point.Has("ipMode")) {
    if (has_ip) point.errors.Required(path, "must be specified when `ip` is set");
  } else if (!has_ip) {
    point.errors.Forbidden(path, "may not be specified when `ip` is not set");
  } else {
    CheckGivenWord(point.errors, path, point.Get("ipMode"), kIpModes);
  }
}

constexpr Rule kIngressPointRules[] = {
    Format("ip", CheckIp),
    Call(CheckIpMode),
    Format("hostname", kDnsSubdomain),
    Format("hostname", CheckNotIp),
};

}  // namespace

void CheckService(Scope& service) { Check(service, kServiceRules, service.path, service.object, nullptr); }

void CheckServiceChange(Scope& service) { Check(service, kChangeRules, service.path, service.object, service.old); }

void CheckServiceStatus(Scope& service) {
  const FieldPath status("status");
  const FieldPath balancer = status.Child("loadBalancer");
  const FieldPath list = balancer.Child("ingress");
  const Value points = service.object.Get({"status", "loadBalancer", "ingress"});
  if (TypeOf(service.object) != kLoadBalancer && !points.empty()) {
    return service.errors.Forbidden(list, "may only be used when `spec.type` is 'LoadBalancer'");
  }
  for (uint32_t i = 0; i < points.size(); ++i) Check(service, kIngressPointRules, list.Index(i), points[i], nullptr);
}

}  // namespace resources::core
