// Tables of the core group (and of events, which two groups serve).
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "resources/tables/cells.h"
#include "resources/tables/pod_table.h"
#include "resources/tables/tables.h"
#include "value/member_index.h"

namespace resources {
namespace {

using registry::Column;

constexpr Column kPods[] = {kNameColumn,
                            TextColumn("Ready", "How many of the containers are ready."),
                            TextColumn("Status", "What the pod's containers are at."),
                            TextColumn("Restarts", "How often containers were started again, and when last."),
                            kAgeColumn,
                            WideColumn("IP", "The pod's first address."),
                            WideColumn("Node", "The node it runs on."),
                            WideColumn("Nominated Node", "The node it will run on when others made room."),
                            WideColumn("Readiness Gates", "How many of its readiness gates are open.")};

constexpr Column kServices[] = {kNameColumn,
                                TextColumn("Type", "How the service can be reached."),
                                TextColumn("Cluster-IP", "Its address inside the cluster."),
                                TextColumn("External-IP", "Its addresses outside the cluster."),
                                TextColumn("Port(s)", "Its ports, with the node's ports."),
                                kAgeColumn,
                                WideColumn("Selector", "Which pods answer for the service.")};

// Addresses of a load balancer, sorted, each once.
std::string LoadBalancerText(const Value& status) {
  std::set<std::string_view> addresses;
  for (const Value& ingress : status.Get({"loadBalancer", "ingress"}).items()) {
    const std::string_view ip = ingress.GetString("ip"), host = ingress.GetString("hostname");
    if (!ip.empty() || !host.empty()) addresses.insert(ip.empty() ? host : ip);
  }
  return JoinRange(addresses, ",");
}

std::string ExternalIpText(const Value& service) {
  const std::string_view type = TextAt(service, {"spec", "type"});
  const std::string given = JoinTexts(service.Get({"spec", "externalIPs"}), ",");
  if (type == "ClusterIP" || type == "NodePort") return given.empty() ? "<none>" : given;
  if (type == "ExternalName") return std::string(TextAt(service, {"spec", "externalName"}));
  if (type != "LoadBalancer") return "<unknown>";
  const std::string balanced = LoadBalancerText(service.Get("status"));
  if (given.empty()) return balanced.empty() ? "<pending>" : balanced;
  return balanced.empty() ? given : base::Cat(balanced, ",", given);
}

std::string PortsText(const Value& ports) {
  std::string text;
  for (const Value& port : ports.items()) {
    base::Append(text, text.empty() ? "" : ",", Count(port, {"port"}));
    if (Count(port, {"nodePort"}) > 0) base::Append(text, ":", Count(port, {"nodePort"}));
    base::Append(text, "/", port.GetString("protocol"));
  }
  return text.empty() ? "<none>" : text;
}

Value ServiceCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value addresses = object.Get({"spec", "clusterIPs"});
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "type"}));
  cells.Text(addresses.empty() ? std::string_view("<none>") : addresses[0].AsString());
  cells.Text(ExternalIpText(object));
  cells.Text(PortsText(object.Get({"spec", "ports"})));
  cells.Age(object);
  cells.Text(FormatLabels(object.Get({"spec", "selector"})));
  return cells.Take();
}

constexpr Column kEndpoints[] = {kNameColumn, TextColumn("Endpoints", "The first addresses with their ports."),
                                 kAgeColumn};

// host:port; IPv6 addresses in brackets.
std::string HostPort(std::string_view host, int64_t port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  return base::Cat(v6 ? "[" : "", host, v6 ? "]:" : ":", port);
}

std::string EndpointsText(const Value& subsets) {
  constexpr size_t kShown = 3;
  if (subsets.empty()) return "<none>";
  std::vector<std::string> shown;
  size_t count = 0;
  for (const Value& subset : subsets.items()) {
    const Value addresses = subset.Get("addresses"), ports = subset.Get("ports");
    for (uint32_t p = 0; p < std::max<uint32_t>(1, ports.size()); ++p) {
      for (const Value& address : addresses.items()) {
        if (++count > kShown) continue;
        const std::string_view ip = address.GetString("ip");
        shown.push_back(ports.empty() ? std::string(ip) : HostPort(ip, Count(ports[p], {"port"})));
      }
    }
  }
  const std::string text = JoinRange(shown, ",");
  return count > kShown ? base::Cat(text, " + ", count - kShown, " more...") : text;
}

Value EndpointsCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(EndpointsText(object.Get("subsets")));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kNodes[] = {kNameColumn,
                             TextColumn("Status", "Whether the node is ready and takes pods."),
                             TextColumn("Roles", "The roles that its labels name."),
                             kAgeColumn,
                             TextColumn("Version", "The version of its kubelet."),
                             WideColumn("Internal-IP", "Its address inside the cluster."),
                             WideColumn("External-IP", "Its address outside the cluster."),
                             WideColumn("OS-Image", "Its operating system."),
                             WideColumn("Kernel-Version", "The version of its kernel."),
                             WideColumn("Container-Runtime", "Its container runtime and version.")};

std::string NodeStatus(const Value& node) {
  std::string status = "Unknown";
  for (const Value& condition : node.Get({"status", "conditions"}).items()) {
    if (condition.GetString("type") == "Ready") status = condition.GetString("status") == "True" ? "Ready" : "NotReady";
  }
  return Flag(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status;
}

std::string NodeRoles(const Value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string_view> roles;
  for (const value::Member& label : node.Get({"metadata", "labels"}).members()) {
    if (label.key.starts_with(kPrefix) && label.key.size() > kPrefix.size())
      roles.insert(label.key.substr(kPrefix.size()));
    if (label.key == "kubernetes.io/role" && !label.value.AsString().empty()) roles.insert(label.value.AsString());
  }
  return JoinRange(roles, ",");
}

std::string_view NodeAddress(const Value& node, std::string_view type) {
  for (const Value& address : node.Get({"status", "addresses"}).items()) {
    if (address.GetString("type") == type) return address.GetString("address");
  }
  return "<none>";
}

Value NodeCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value info = object.Get({"status", "nodeInfo"});
  cells.Name(object);
  cells.Text(NodeStatus(object));
  cells.Text(NodeRoles(object), "<none>");
  cells.Age(object);
  cells.Text(info.GetString("kubeletVersion"));
  cells.Text(NodeAddress(object, "InternalIP"));
  cells.Text(NodeAddress(object, "ExternalIP"));
  cells.Text(info.GetString("osImage"), "<unknown>");
  cells.Text(info.GetString("kernelVersion"), "<unknown>");
  cells.Text(info.GetString("containerRuntimeVersion"), "<unknown>");
  return cells.Take();
}

constexpr Column kEvents[] = {
    TextColumn("Last Seen", "How long ago it happened last."),
    TextColumn("Type", "Normal or Warning."),
    TextColumn("Reason", "Why, in one word."),
    TextColumn("Object", "What it happened to."),
    WideColumn("Subobject", "Which part of it."),
    WideColumn("Source", "Who reports it."),
    TextColumn("Message", "What happened."),
    WideColumn("First Seen", "How long ago it happened first."),
    WideColumn("Count", "How often it happened."),
    {.name = "Name", .type = "string", .format = "name", .priority = 1, .description = kNameColumn.description}};

// The first of the names that is there: the two groups call the same fields differently.
Value Either(const Value& object, std::string_view one, std::string_view other) {
  const Value* found = object.Find(one);
  return found != nullptr ? *found : object.Get(other);
}
std::string_view EitherText(const Value& object, std::string_view one, std::string_view other) {
  const Value found = Either(object, one, other);
  return found.is_string() ? found.AsString() : std::string_view();
}

Value EventCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value about = Either(object, "involvedObject", "regarding"),
              source = Either(object, "source", "deprecatedSource");
  const Value series = object.Get("series");
  std::string_view first = EitherText(object, "firstTimestamp", "deprecatedFirstTimestamp");
  if (first.empty()) first = object.GetString("eventTime");
  std::string_view last = EitherText(object, "lastTimestamp", "deprecatedLastTimestamp");
  const Value counted = Either(object, "count", "deprecatedCount");
  int64_t count = counted.is_int() && counted.AsInt() != 0 ? counted.AsInt() : 1;
  if (series.is_object()) {
    last = series.GetString("lastObservedTime");
    count = Count(series, {"count"});
  } else if (last.empty()) {
    last = first;
  }
  std::string target = base::ToLower(about.GetString("kind"));
  if (!about.GetString("name").empty()) base::Append(target, "/", about.GetString("name"));
  std::string_view component = source.GetString("component"), host = source.GetString("host");
  if (component.empty()) component = EitherText(object, "reportingComponent", "reportingController");
  if (host.empty()) host = object.GetString("reportingInstance");
  cells.Text(cells.Since(last));
  cells.Text(object.GetString("type"));
  cells.Text(object.GetString("reason"));
  cells.Text(target);
  cells.Text(about.GetString("fieldPath"));
  cells.Text(host.empty() ? std::string(component) : base::Cat(component, ", ", host));
  cells.Text(base::TrimSpace(EitherText(object, "message", "note")));
  cells.Text(cells.Since(first));
  cells.Number(count);
  cells.Name(object);
  return cells.Take();
}

constexpr Column kNamespaces[] = {kNameColumn, TextColumn("Status", "Active, or Terminating while its content goes."),
                                  kAgeColumn};
Value NamespaceCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(TextAt(object, {"status", "phase"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kSecrets[] = {kNameColumn, TextColumn("Type", "What kind of data it holds."),
                               TextColumn("Data", "How many entries it has."), kAgeColumn};
Value SecretCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(object.GetString("type"));
  cells.Number(object.Get("data").size());
  cells.Age(object);
  return cells.Take();
}

constexpr Column kServiceAccounts[] = {kNameColumn, TextColumn("Secrets", "How many secrets it may use."), kAgeColumn};
Value ServiceAccountCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Number(object.Get("secrets").size());
  cells.Age(object);
  return cells.Take();
}

constexpr Column kConfigMaps[] = {kNameColumn, TextColumn("Data", "How many entries it has."), kAgeColumn};
Value ConfigMapCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Number(int64_t{object.Get("data").size()} + object.Get("binaryData").size());
  cells.Age(object);
  return cells.Take();
}

constexpr Column kVolumes[] = {kNameColumn,
                               TextColumn("Capacity", "How much it holds."),
                               TextColumn("Access Modes", "How it can be mounted."),
                               TextColumn("Reclaim Policy", "What becomes of it when it is released."),
                               TextColumn("Status", "Whether it is bound."),
                               TextColumn("Claim", "The claim it is bound to."),
                               TextColumn("StorageClass", "Its class."),
                               TextColumn("VolumeAttributesClass", "The class of its attributes."),
                               TextColumn("Reason", "Why it is in that state."),
                               kAgeColumn,
                               WideColumn("VolumeMode", "A filesystem or a block device.")};

// RWO,ROX,RWX,RWOP in this order, each once.
std::string AccessModes(const Value& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string_view> texts;
  for (const auto& [mode, text] : kShort) {
    if (std::ranges::any_of(modes.items(), [&](const Value& m) { return m.AsString() == mode; })) texts.push_back(text);
  }
  return JoinRange(texts, ",");
}

// The class by the old annotation, or by the field.
std::string_view StorageClassOf(const Value& object) {
  const std::string_view annotated =
      TextAt(object, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  return annotated.empty() ? TextAt(object, {"spec", "storageClassName"}) : annotated;
}

std::string_view VolumePhase(const Value& object) {
  return object.Get({"metadata", "deletionTimestamp"}).is_string() ? "Terminating"
                                                                   : TextAt(object, {"status", "phase"});
}

std::string StorageText(const Value& amounts) {
  const std::string text = Printed(amounts.Get("storage"));
  return text.empty() ? "0" : text;
}

Value VolumeCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value claim = object.Get({"spec", "claimRef"});
  cells.Name(object);
  cells.Text(StorageText(object.Get({"spec", "capacity"})));
  cells.Text(AccessModes(object.Get({"spec", "accessModes"})));
  cells.Text(TextAt(object, {"spec", "persistentVolumeReclaimPolicy"}));
  cells.Text(VolumePhase(object));
  cells.Text(claim.is_object() ? base::Cat(claim.GetString("namespace"), "/", claim.GetString("name")) : std::string());
  cells.Text(StorageClassOf(object));
  cells.Text(TextAt(object, {"spec", "volumeAttributesClassName"}), "<unset>");
  cells.Text(TextAt(object, {"status", "reason"}));
  cells.Age(object);
  cells.Text(TextAt(object, {"spec", "volumeMode"}), "<unset>");
  return cells.Take();
}

constexpr Column kClaims[] = {kNameColumn,
                              TextColumn("Status", "Whether it is bound."),
                              TextColumn("Volume", "The volume it is bound to."),
                              TextColumn("Capacity", "How much the volume holds."),
                              TextColumn("Access Modes", "How the volume can be mounted."),
                              TextColumn("StorageClass", "Its class."),
                              TextColumn("VolumeAttributesClass", "The class of its attributes."),
                              kAgeColumn,
                              WideColumn("VolumeMode", "A filesystem or a block device.")};
Value ClaimCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const std::string_view volume = TextAt(object, {"spec", "volumeName"});
  cells.Name(object);
  cells.Text(VolumePhase(object));
  cells.Text(volume);
  cells.Text(volume.empty() ? std::string() : StorageText(object.Get({"status", "capacity"})));
  cells.Text(volume.empty() ? std::string() : AccessModes(object.Get({"status", "accessModes"})));
  cells.Text(StorageClassOf(object));
  cells.Text(TextAt(object, {"spec", "volumeAttributesClassName"}), "<unset>");
  cells.Age(object);
  cells.Text(TextAt(object, {"spec", "volumeMode"}), "<unset>");
  return cells.Take();
}

constexpr Column kComponentStatuses[] = {kNameColumn, TextColumn("Status", "Whether it is healthy."),
                                         TextColumn("Message", "What it says."),
                                         TextColumn("Error", "What is wrong with it.")};
Value ComponentStatusCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  for (const Value& condition : object.Get("conditions").items()) {
    if (condition.GetString("type") != "Healthy") continue;
    cells.Text(condition.GetString("status") == "True" ? "Healthy" : "Unhealthy");
    cells.Text(condition.GetString("message"));
    cells.Text(condition.GetString("error"));
    return cells.Take();
  }
  for (std::string_view text : {"Unknown", "", ""}) cells.Text(text);
  return cells.Take();
}

constexpr Column kQuotas[] = {kNameColumn, kAgeColumn, TextColumn("Request", "Used and allowed of what is requested."),
                              TextColumn("Limit", "Used and allowed of what is limited.")};
Value QuotaCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  std::vector<value::Member> hard(object.Get({"status", "hard"}).members().begin(),
                                  object.Get({"status", "hard"}).members().end());
  std::ranges::sort(hard, {}, &value::Member::key);
  const value::MemberIndex in_use(object.Get({"status", "used"}));
  std::string requests, limits;
  for (const value::Member& amount : hard) {
    std::string& text = amount.key.starts_with("limits.") ? limits : requests;
    const Value* found = in_use.Find(amount.key);
    const std::string used = Printed(found != nullptr ? *found : Value());
    base::Append(text, text.empty() ? "" : ", ", amount.key, ": ", used.empty() ? "0" : used, "/",
                 Printed(amount.value));
  }
  cells.Name(object);
  cells.Age(object);
  cells.Text(requests);
  cells.Text(limits);
  return cells.Take();
}

constexpr TableEntry kTables[] = {
    {"", "pods", {kPods, PodCells, PodConditions}},
    {"", "services", {kServices, ServiceCells}},
    {"", "endpoints", {kEndpoints, EndpointsCells}},
    {"", "nodes", {kNodes, NodeCells}},
    {"", "events", {kEvents, EventCells}},
    {"events.k8s.io", "events", {kEvents, EventCells}},
    {"", "namespaces", {kNamespaces, NamespaceCells}},
    {"", "secrets", {kSecrets, SecretCells}},
    {"", "serviceaccounts", {kServiceAccounts, ServiceAccountCells}},
    {"", "configmaps", {kConfigMaps, ConfigMapCells}},
    {"", "persistentvolumes", {kVolumes, VolumeCells}},
    {"", "persistentvolumeclaims", {kClaims, ClaimCells}},
    {"", "componentstatuses", {kComponentStatuses, ComponentStatusCells}},
    {"", "resourcequotas", {kQuotas, QuotaCells}},
};

}  // namespace

std::span<const TableEntry> CoreTables() { return kTables; }

}  // namespace resources
