// Tables of the groups that are neither core nor workloads.
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "resources/tables/cells.h"
#include "resources/tables/tables.h"

namespace resources {
namespace {

using registry::Column;

constexpr size_t kShown = 3;  // of a list in one cell

std::string WithMore(const std::vector<std::string>& shown, size_t count, std::string_view empty) {
  const std::string text = JoinRange(shown, ",");
  if (count > kShown) return base::Cat(text, " + ", count - kShown, " more...");
  return text.empty() ? std::string(empty) : text;
}

// Tables of a name, some texts at paths, and the age.
constexpr Column kNameAndAge[] = {kNameColumn, kAgeColumn};
Value NameAndAgeCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Age(object);
  return cells.Take();
}

constexpr Column kBudgets[] = {kNameColumn, TextColumn("Min Available", "How many pods must stay."),
                               TextColumn("Max Unavailable", "How many pods may be missing."),
                               NumberColumn("Allowed Disruptions", "How many pods may go now."), kAgeColumn};
Value BudgetCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(Printed(object.Get({"spec", "minAvailable"})), "N/A");
  cells.Text(Printed(object.Get({"spec", "maxUnavailable"})), "N/A");
  cells.Number(Count(object, {"status", "disruptionsAllowed"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kIngresses[] = {kNameColumn,
                                 TextColumn("Class", "Which controller serves it."),
                                 TextColumn("Hosts", "The hosts it answers for."),
                                 TextColumn("Address", "Where it can be reached."),
                                 TextColumn("Ports", "The ports it listens on."),
                                 kAgeColumn};
std::string HostsText(const Value& rules) {
  std::vector<std::string> hosts;
  bool more = false;
  for (const Value& rule : rules.items()) {
    more |= hosts.size() == kShown;
    const std::string_view host = rule.GetString("host");
    if (!more && !host.empty()) hosts.emplace_back(host);
  }
  if (hosts.empty()) return "*";
  const std::string text = JoinRange(hosts, ",");
  return more ? base::Cat(text, " + ", rules.size() - kShown, " more...") : text;
}
Value IngressCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  std::set<std::string_view> addresses;
  for (const Value& ingress : object.Get({"status", "loadBalancer", "ingress"}).items()) {
    const std::string_view ip = ingress.GetString("ip"), host = ingress.GetString("hostname");
    if (!ip.empty() || !host.empty()) addresses.insert(ip.empty() ? host : ip);
  }
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "ingressClassName"}), "<none>");
  cells.Text(HostsText(object.Get({"spec", "rules"})));
  cells.Text(JoinRange(addresses, ","));
  cells.Text(object.Get({"spec", "tls"}).empty() ? "80" : "80, 443");
  cells.Age(object);
  return cells.Take();
}

constexpr Column kIngressClasses[] = {kNameColumn, TextColumn("Controller", "The controller that serves it."),
                                      TextColumn("Parameters", "The object with its parameters."), kAgeColumn};
Value IngressClassCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value parameters = object.Get({"spec", "parameters"});
  std::string text = "<none>";
  if (parameters.is_object()) {
    text = parameters.GetString("kind");
    if (parameters.Find("apiGroup") != nullptr) base::Append(text, ".", parameters.GetString("apiGroup"));
    base::Append(text, "/", parameters.GetString("name"));
  }
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "controller"}));
  cells.Text(text);
  cells.Age(object);
  return cells.Take();
}

constexpr Column kNetworkPolicies[] = {kNameColumn, TextColumn("Pod-Selector", "The pods it is about."), kAgeColumn};
Value NetworkPolicyCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(FormatSelectorOrNone(object.Get({"spec", "podSelector"})));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kServiceCidrs[] = {kNameColumn, TextColumn("CIDRs", "The ranges of addresses."), kAgeColumn};
Value ServiceCidrCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(JoinTexts(object.Get({"spec", "cidrs"}), ","));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kIpAddresses[] = {kNameColumn, TextColumn("ParentRef", "The object that has the address.")};
Value IpAddressCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value parent = object.Get({"spec", "parentRef"});
  std::string text = "<none>";
  if (parent.is_object()) {
    const std::string_view group = parent.GetString("group"), space = parent.GetString("namespace");
    text = base::ToLower(base::Cat(parent.GetString("resource"), group.empty() ? "" : ".", group));
    if (!space.empty()) base::Append(text, "/", space);
    base::Append(text, "/", parent.GetString("name"));
  }
  cells.Name(object);
  cells.Text(text);
  cells.Age(object);
  return cells.Take();
}

constexpr Column kBindings[] = {kNameColumn,
                                TextColumn("Role", "The role that is given."),
                                kAgeColumn,
                                WideColumn("Users", "The users it is given to."),
                                WideColumn("Groups", "The groups it is given to."),
                                WideColumn("ServiceAccounts", "The service accounts it is given to.")};
Value BindingCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  std::vector<std::string> users, groups, accounts;
  for (const Value& subject : object.Get("subjects").items()) {
    const std::string_view kind = subject.GetString("kind"), name = subject.GetString("name");
    if (kind == "User") users.emplace_back(name);
    if (kind == "Group") groups.emplace_back(name);
    if (kind == "ServiceAccount") accounts.push_back(base::Cat(subject.GetString("namespace"), "/", name));
  }
  cells.Name(object);
  cells.Text(base::Cat(TextAt(object, {"roleRef", "kind"}), "/", TextAt(object, {"roleRef", "name"})));
  cells.Age(object);
  cells.Text(JoinRange(users, ", "));
  cells.Text(JoinRange(groups, ", "));
  cells.Text(JoinRange(accounts, ", "));
  return cells.Take();
}

constexpr Column kSigningRequests[] = {kNameColumn,
                                       kAgeColumn,
                                       TextColumn("SignerName", "Who is to sign."),
                                       TextColumn("Requestor", "Who asks."),
                                       TextColumn("RequestedDuration", "For how long."),
                                       TextColumn("Condition", "What became of it.")};
std::string SigningStatus(const Value& object) {
  std::set<std::string_view> conditions;
  for (const Value& condition : object.Get({"status", "conditions"}).items())
    conditions.insert(condition.GetString("type"));
  std::string text = conditions.contains("Denied")     ? "Denied"
                     : conditions.contains("Approved") ? "Approved"
                                                       : "Pending";
  if (conditions.contains("Failed")) text += ",Failed";
  if (!TextAt(object, {"status", "certificate"}).empty()) text += ",Issued";
  return text;
}
Value SigningRequestCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value seconds = object.Get({"spec", "expirationSeconds"});
  cells.Name(object);
  cells.Age(object);
  cells.Text(TextAt(object, {"spec", "signerName"}), "<none>");
  cells.Text(TextAt(object, {"spec", "username"}));
  cells.Text(seconds.is_int() ? HumanDuration(seconds.AsInt()) : std::string("<none>"));
  cells.Text(SigningStatus(object));
  return cells.Take();
}

constexpr Column kTrustBundles[] = {kNameColumn, TextColumn("SignerName", "Whose certificates it holds.")};
Value TrustBundleCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "signerName"}), "<none>");
  return cells.Take();
}

constexpr Column kLeases[] = {kNameColumn, TextColumn("Holder", "Who holds it."), kAgeColumn};
Value LeaseCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "holderIdentity"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kLeaseCandidates[] = {kNameColumn, TextColumn("LeaseName", "The lease it wants."),
                                       TextColumn("BinaryVersion", "The version of the program."),
                                       TextColumn("EmulationVersion", "The version it behaves as."), kAgeColumn};
Value LeaseCandidateCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "leaseName"}));
  cells.Text(TextAt(object, {"spec", "binaryVersion"}));
  cells.Text(TextAt(object, {"spec", "emulationVersion"}));
  cells.Age(object);
  return cells.Take();
}

// A class's name, marked where it is the default one.
std::string ClassName(const Value& object, std::initializer_list<std::string_view> annotations) {
  std::string name(TextAt(object, {"metadata", "name"}));
  for (std::string_view annotation : annotations) {
    if (TextAt(object, {"metadata", "annotations", annotation}) == "true") return name + " (default)";
  }
  return name;
}

constexpr Column kStorageClasses[] = {kNameColumn,
                                      TextColumn("Provisioner", "Who makes its volumes."),
                                      TextColumn("ReclaimPolicy", "What becomes of released volumes."),
                                      TextColumn("VolumeBindingMode", "When volumes are bound."),
                                      TextColumn("AllowVolumeExpansion", "Whether volumes may grow."),
                                      kAgeColumn};
Value StorageClassCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Text(ClassName(
      object, {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}));
  cells.Text(object.GetString("provisioner"));
  cells.Text(object.GetString("reclaimPolicy"), "Delete");
  cells.Text(object.GetString("volumeBindingMode"), "Immediate");
  cells.Bool(Flag(object, {"allowVolumeExpansion"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kAttributesClasses[] = {kNameColumn, TextColumn("DriverName", "The driver it is for."), kAgeColumn};
Value AttributesClassCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Text(ClassName(object, {"volumeattributesclass.alpha.kubernetes.io/is-default-class"}));
  cells.Text(object.GetString("driverName"));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kAttachments[] = {
    kNameColumn,
    {.name = "Attacher", .type = "string", .format = "name", .description = "The driver that attaches."},
    TextColumn("PV", "The volume."),
    TextColumn("Node", "The node."),
    BoolColumn("Attached", "Whether it is attached."),
    kAgeColumn};
Value AttachmentCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "attacher"}));
  cells.Text(TextAt(object, {"spec", "source", "persistentVolumeName"}));
  cells.Text(TextAt(object, {"spec", "nodeName"}));
  cells.Bool(Flag(object, {"status", "attached"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kCsiNodes[] = {kNameColumn, NumberColumn("Drivers", "How many drivers the node has."), kAgeColumn};
Value CsiNodeCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Number(object.Get({"spec", "drivers"}).size());
  cells.Age(object);
  return cells.Take();
}

constexpr Column kCsiDrivers[] = {kNameColumn,
                                  BoolColumn("AttachRequired", "Whether volumes are attached before they are mounted."),
                                  BoolColumn("PodInfoOnMount", "Whether it is told of the pod."),
                                  BoolColumn("StorageCapacity", "Whether it publishes its capacity."),
                                  TextColumn("TokenRequests", "The audiences of tokens it needs."),
                                  BoolColumn("RequiresRepublish", "Whether it is called again from time to time."),
                                  TextColumn("Modes", "The kinds of volumes it supports."),
                                  kAgeColumn};
Value CsiDriverCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value requests = object.Get({"spec", "tokenRequests"});
  cells.Name(object);
  cells.Bool(Flag(object, {"spec", "attachRequired"}, true));
  cells.Bool(Flag(object, {"spec", "podInfoOnMount"}));
  cells.Bool(Flag(object, {"spec", "storageCapacity"}));
  cells.Text(requests.is_array() ? JoinMembers(requests, "audience") : std::string("<unset>"));
  cells.Bool(Flag(object, {"spec", "requiresRepublish"}));
  cells.Text(JoinTexts(object.Get({"spec", "volumeLifecycleModes"}), ","), "<none>");
  cells.Age(object);
  return cells.Take();
}

constexpr Column kPriorityClasses[] = {kNameColumn, NumberColumn("Value", "The priority of its pods."),
                                       BoolColumn("Global-Default", "Whether pods without a class get this one."),
                                       kAgeColumn, TextColumn("PreemptionPolicy", "Whether its pods push out others.")};
Value PriorityClassCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Number(Count(object, {"value"}));
  cells.Bool(Flag(object, {"globalDefault"}));
  cells.Age(object);
  cells.Text(object.GetString("preemptionPolicy"));
  return cells.Take();
}

constexpr Column kRuntimeClasses[] = {kNameColumn, TextColumn("Handler", "What runs its containers."), kAgeColumn};
Value RuntimeClassCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(object.GetString("handler"));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kEndpointSlices[] = {kNameColumn, TextColumn("AddressType", "What kind of addresses."),
                                      TextColumn("Ports", "The first ports."),
                                      TextColumn("Endpoints", "The first addresses."), kAgeColumn};
Value EndpointSliceCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  std::vector<std::string> ports, addresses;
  size_t address_count = 0;
  for (const Value& port : object.Get("ports").items()) {
    if (ports.size() == kShown) break;
    const Value* name = port.Find("name");
    const std::string number = Printed(port.Get("port"));
    ports.push_back(!number.empty() ? number : name != nullptr ? std::string(name->AsString()) : "*");
  }
  for (const Value& endpoint : object.Get("endpoints").items()) {
    for (const Value& address : endpoint.Get("addresses").items()) {
      if (address_count++ < kShown) addresses.emplace_back(address.AsString());
    }
  }
  cells.Name(object);
  cells.Text(object.GetString("addressType"));
  cells.Text(WithMore(ports, object.Get("ports").size(), "<unset>"));
  cells.Text(WithMore(addresses, address_count, "<unset>"));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kWebhooks[] = {kNameColumn, NumberColumn("Webhooks", "How many webhooks it names."), kAgeColumn};
Value WebhookCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Number(object.Get("webhooks").size());
  cells.Age(object);
  return cells.Take();
}

constexpr Column kValidatingPolicies[] = {kNameColumn, NumberColumn("Validations", "How many validations it holds."),
                                          TextColumn("ParamKind", "The kind of its parameters."), kAgeColumn};
constexpr Column kMutatingPolicies[] = {kNameColumn, NumberColumn("Mutations", "How many mutations it holds."),
                                        TextColumn("ParamKind", "The kind of its parameters."), kAgeColumn};
Value PolicyCells(Arena& arena, const Value& object, std::string_view now, std::string_view parts) {
  Cells cells(arena, now);
  const Value kind = object.Get({"spec", "paramKind"});
  cells.Name(object);
  cells.Number(object.Get({"spec", parts}).size());
  cells.Text(kind.is_object() ? base::Cat(kind.GetString("apiVersion"), "/", kind.GetString("kind"))
                              : std::string("<unset>"));
  cells.Age(object);
  return cells.Take();
}
Value ValidatingPolicyCells(Arena& arena, const Value& object, std::string_view now) {
  return PolicyCells(arena, object, now, "validations");
}
Value MutatingPolicyCells(Arena& arena, const Value& object, std::string_view now) {
  return PolicyCells(arena, object, now, "mutations");
}

constexpr Column kPolicyBindings[] = {kNameColumn, TextColumn("PolicyName", "The policy that is bound."),
                                      TextColumn("ParamRef", "The parameters it is bound to."), kAgeColumn};

// A selector as Go prints the structure.
std::string SelectorDump(const Value& selector) {
  std::string labels, requirements;
  for (const value::Member& label : selector.Get("matchLabels").members())
    base::Append(labels, label.key, ": ", label.value.AsString(), ",");
  for (const Value& requirement : selector.Get("matchExpressions").items()) {
    base::Append(requirements, "LabelSelectorRequirement{Key:", requirement.GetString("key"),
                 ",Operator:", requirement.GetString("operator"), ",Values:[",
                 JoinTexts(requirement.Get("values"), " "), "],},");
  }
  return base::Cat("&LabelSelector{MatchLabels:map[string]string{", labels,
                   "},MatchExpressions:[]LabelSelectorRequirement{", requirements, "},}");
}

Value PolicyBindingCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value reference = object.Get({"spec", "paramRef"});
  std::string text = "<unset>";
  const std::string_view name = reference.GetString("name"), space = reference.GetString("namespace");
  if (!name.empty()) {
    text = base::Cat(space.empty() ? std::string_view("*") : space, "/", name);
  } else if (reference.Get("selector").is_object()) {
    text = SelectorDump(reference.Get("selector"));
  }
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "policyName"}));
  cells.Text(text);
  cells.Age(object);
  return cells.Take();
}

constexpr Column kFlowSchemas[] = {kNameColumn,
                                   TextColumn("PriorityLevel", "The level its requests get."),
                                   TextColumn("MatchingPrecedence", "Lower is tried first."),
                                   TextColumn("DistinguisherMethod", "What tells its flows apart."),
                                   kAgeColumn,
                                   TextColumn("MissingPL", "Whether its level does not exist.")};
Value FlowSchemaCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  std::string_view dangling = "?";
  for (const Value& condition : object.Get({"status", "conditions"}).items()) {
    if (condition.GetString("type") != "Dangling") continue;
    dangling = condition.GetString("status");
    break;
  }
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "priorityLevelConfiguration", "name"}));
  cells.Number(Count(object, {"spec", "matchingPrecedence"}));
  cells.Text(TextAt(object, {"spec", "distinguisherMethod", "type"}), "<none>");
  cells.Age(object);
  cells.Text(dangling);
  return cells.Take();
}

int64_t FlowSchemaRank(const Value& object) { return Count(object, {"spec", "matchingPrecedence"}); }

constexpr Column kPriorityLevels[] = {kNameColumn,
                                      TextColumn("Type", "Limited or Exempt."),
                                      TextColumn("NominalConcurrencyShares", "Its share of the requests at a time."),
                                      TextColumn("Queues", "How many queues it has."),
                                      TextColumn("HandSize", "How many queues a flow is dealt."),
                                      TextColumn("QueueLengthLimit", "How many requests wait in a queue."),
                                      kAgeColumn};
Value PriorityLevelCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value limited = object.Get({"spec", "limited"}), queuing = limited.Get({"limitResponse", "queuing"});
  const auto number = [&](bool there, const Value& v) {
    there ? cells.Number(v.is_int() ? v.AsInt() : 0) : cells.Text("<none>");
  };
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "type"}));
  number(limited.is_object(), limited.Get("nominalConcurrencyShares"));
  for (std::string_view field : {"queues", "handSize", "queueLengthLimit"})
    number(queuing.is_object(), queuing.Get(field));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kStorageVersions[] = {kNameColumn,
                                       TextColumn("CommonEncodingVersion", "The version all servers write."),
                                       TextColumn("StorageVersions", "The version each server writes."), kAgeColumn};
Value StorageVersionCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value versions = object.Get({"status", "storageVersions"});
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < versions.size() && i < kShown; ++i) {
    texts.push_back(base::Cat(versions[i].GetString("apiServerID"), "=", versions[i].GetString("encodingVersion")));
  }
  cells.Name(object);
  cells.Text(TextAt(object, {"status", "commonEncodingVersion"}), "<unset>");
  cells.Text(WithMore(texts, versions.size(), "<unset>"));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kResourceClaims[] = {kNameColumn, TextColumn("State", "Whether it is allocated and reserved."),
                                      kAgeColumn};
Value ResourceClaimCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const bool deleting = object.Get({"metadata", "deletionTimestamp"}).is_string();
  std::vector<std::string_view> states;
  if (deleting) states.emplace_back("deleted");
  if (object.Get({"status", "allocation"}).is_object()) {
    states.emplace_back("allocated");
    if (!object.Get({"status", "reservedFor"}).empty()) states.emplace_back("reserved");
  } else if (!deleting) {
    states.emplace_back("pending");
  }
  cells.Name(object);
  cells.Text(JoinRange(states, ","));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kResourceSlices[] = {kNameColumn, TextColumn("Node", "The node that has the devices."),
                                      TextColumn("Driver", "The driver of the devices."),
                                      TextColumn("Pool", "The pool they belong to."), kAgeColumn};
Value ResourceSliceCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "nodeName"}));
  cells.Text(TextAt(object, {"spec", "driver"}));
  cells.Text(TextAt(object, {"spec", "pool", "name"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kMigrations[] = {TextColumn("Name", "The object's name."),
                                  TextColumn("Resource", "The resource that is migrated.")};
Value MigrationCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value resource = object.Get({"spec", "resource"});
  cells.Name(object);
  cells.Text(
      base::Cat(resource.GetString("resource"), ".", resource.GetString("version"), ".", resource.GetString("group")));
  return cells.Take();
}

constexpr Column kApiServices[] = {kNameColumn, TextColumn("Service", "The service that answers, or Local."),
                                   TextColumn("Available", "Whether it can be reached, and why not."), kAgeColumn};
std::string AvailabilityText(const Value& object) {
  for (const Value& condition : object.Get({"status", "conditions"}).items()) {
    if (condition.GetString("type") != "Available") continue;
    const std::string_view status = condition.GetString("status"), reason = condition.GetString("reason");
    return status == "True" || reason.empty() ? std::string(status) : base::Cat(status, " (", reason, ")");
  }
  return "Unknown";
}
Value ApiServiceCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value service = object.Get({"spec", "service"});
  cells.Name(object);
  cells.Text(service.is_object() ? base::Cat(service.GetString("namespace"), "/", service.GetString("name"))
                                 : std::string("Local"));
  cells.Text(AvailabilityText(object));
  cells.Age(object);
  return cells.Take();
}

constexpr std::string_view kAdmission = "admissionregistration.k8s.io", kFlow = "flowcontrol.apiserver.k8s.io",
                           kRbac = "rbac.authorization.k8s.io", kStorage = "storage.k8s.io",
                           kNetworking = "networking.k8s.io", kDevices = "resource.k8s.io";

constexpr TableEntry kTables[] = {
    {"policy", "poddisruptionbudgets", {kBudgets, BudgetCells}},
    {kNetworking, "ingresses", {kIngresses, IngressCells}},
    {kNetworking, "ingressclasses", {kIngressClasses, IngressClassCells}},
    {kNetworking, "networkpolicies", {kNetworkPolicies, NetworkPolicyCells}},
    {kNetworking, "servicecidrs", {kServiceCidrs, ServiceCidrCells}},
    {kNetworking, "ipaddresses", {kIpAddresses, IpAddressCells}},
    {kRbac, "rolebindings", {kBindings, BindingCells}},
    {kRbac, "clusterrolebindings", {kBindings, BindingCells}},
    {"certificates.k8s.io", "certificatesigningrequests", {kSigningRequests, SigningRequestCells}},
    {"certificates.k8s.io", "clustertrustbundles", {kTrustBundles, TrustBundleCells}},
    {"coordination.k8s.io", "leases", {kLeases, LeaseCells}},
    {"coordination.k8s.io", "leasecandidates", {kLeaseCandidates, LeaseCandidateCells}},
    {kStorage, "storageclasses", {kStorageClasses, StorageClassCells}},
    {kStorage, "volumeattributesclasses", {kAttributesClasses, AttributesClassCells}},
    {kStorage, "volumeattachments", {kAttachments, AttachmentCells}},
    {kStorage, "csinodes", {kCsiNodes, CsiNodeCells}},
    {kStorage, "csidrivers", {kCsiDrivers, CsiDriverCells}},
    {"scheduling.k8s.io", "priorityclasses", {kPriorityClasses, PriorityClassCells}},
    {"node.k8s.io", "runtimeclasses", {kRuntimeClasses, RuntimeClassCells}},
    {"discovery.k8s.io", "endpointslices", {kEndpointSlices, EndpointSliceCells}},
    {kAdmission, "mutatingwebhookconfigurations", {kWebhooks, WebhookCells}},
    {kAdmission, "validatingwebhookconfigurations", {kWebhooks, WebhookCells}},
    {kAdmission, "validatingadmissionpolicies", {kValidatingPolicies, ValidatingPolicyCells}},
    {kAdmission, "validatingadmissionpolicybindings", {kPolicyBindings, PolicyBindingCells}},
    {kAdmission, "mutatingadmissionpolicies", {kMutatingPolicies, MutatingPolicyCells}},
    {kAdmission, "mutatingadmissionpolicybindings", {kPolicyBindings, PolicyBindingCells}},
    {kFlow, "flowschemas", {kFlowSchemas, FlowSchemaCells, nullptr, FlowSchemaRank}},
    {kFlow, "prioritylevelconfigurations", {kPriorityLevels, PriorityLevelCells}},
    {"apiregistration.k8s.io", "apiservices", {kApiServices, ApiServiceCells}},
    {"internal.apiserver.k8s.io", "storageversions", {kStorageVersions, StorageVersionCells}},
    {kDevices, "deviceclasses", {kNameAndAge, NameAndAgeCells}},
    {kDevices, "resourceclaims", {kResourceClaims, ResourceClaimCells}},
    {kDevices, "resourceclaimtemplates", {kNameAndAge, NameAndAgeCells}},
    {kDevices, "resourceslices", {kResourceSlices, ResourceSliceCells}},
    {"storagemigration.k8s.io", "storageversionmigrations", {kMigrations, MigrationCells}},
};

}  // namespace

std::span<const TableEntry> PlatformTables() { return kTables; }

}  // namespace resources
