#include "resources/core/pod/pod_warnings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "api/names.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/node_selector.h"

namespace resources::core {
namespace {

using api::Quote;

// The pod or template whose spec is looked at, and where the warnings go.
struct Subject {
  const FieldPath& path;
  const Value& metadata;
  const Value& spec;
  bool is_template;
  std::vector<std::string>& warnings;

  template <class... Pieces>
  void Say(const FieldPath& at, const Pieces&... pieces) const {
    if (full()) return;
    warnings.push_back(base::Cat(at.text(), ": ", pieces...));
  }
  bool full() const { return warnings.size() >= kMostWarnings; }
  bool HasAnnotation(std::string_view key) const { return metadata.Get("annotations").Find(key) != nullptr; }
  // Says something of an annotation, if it is there.
  void SayOfAnnotation(std::string_view key, std::string_view text) const {
    if (!HasAnnotation(key)) return;
    const FieldPath at_metadata = path.Child("metadata");
    const FieldPath at = at_metadata.Child("annotations");
    Say(at.Key(key), text);
  }
};

// Calls `visit(path, item)` for each of a list.
template <class Visit>
void ForEach(const FieldPath& list, const Value& items, Visit visit) {
  int64_t index = 0;
  for (const Value& item : items.items()) {
    const FieldPath at = list.Index(index++);
    visit(at, item);
  }
}

template <class Visit>
void ForEachContainer(const Subject& subject, const FieldPath& spec, Visit visit) {
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath at = spec.Child(list);
    ForEach(at, subject.spec.Get(list), visit);
  }
}

void WarnOfNodeAffinity(const Subject& subject, const FieldPath& affinity) {
  const Value node = subject.spec.Get({"affinity", "nodeAffinity"});
  const FieldPath at_node = affinity.Child("nodeAffinity");
  const FieldPath required = at_node.Child("requiredDuringSchedulingIgnoredDuringExecution");
  const FieldPath terms = required.Child("nodeSelectorTerms");
  ForEach(terms, node.Get({"requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"}),
          [&](const FieldPath& at, const Value& term) { WarnOfNodeLabels(at, term, subject.warnings); });
  const FieldPath preferred = at_node.Child("preferredDuringSchedulingIgnoredDuringExecution");
  ForEach(preferred, node.Get("preferredDuringSchedulingIgnoredDuringExecution"),
          [&](const FieldPath& at, const Value& term) {
            WarnOfNodeLabels(at.Child("preference"), term.Get("preference"), subject.warnings);
          });
}

void WarnOfPlacement(const Subject& subject, const FieldPath& spec) {
  const FieldPath selector = spec.Child("nodeSelector");
  for (const value::Member& label : subject.spec.Get("nodeSelector").members()) {
    const std::string_view text = DeprecatedNodeLabel(label.key);
    if (!text.empty()) subject.Say(selector.Key(label.key), text);
  }
  WarnOfNodeAffinity(subject, spec.Child("affinity"));
  const FieldPath spread = spec.Child("topologySpreadConstraints");
  ForEach(spread, subject.spec.Get("topologySpreadConstraints"), [&](const FieldPath& at, const Value& constraint) {
    const std::string_view key = constraint.GetString("topologyKey");
    const std::string_view text = DeprecatedNodeLabel(key);
    if (!text.empty()) subject.Say(at.Child("topologyKey"), key, " is ", text);
    if (constraint.Find("labelSelector") == nullptr) {
      subject.Say(at.Child("labelSelector"), "a null labelSelector results in matching no pod");
    }
  });
}

struct Deprecation {
  std::string_view name, text;
};
constexpr Deprecation kAnnotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     R"(non-functional in v1.16+; use the "priorityClassName" field instead)"},
    {"security.alpha.kubernetes.io/sysctls", R"(non-functional in v1.11+; use the "sysctls" field instead)"},
    {"security.alpha.kubernetes.io/unsafe-sysctls", R"(non-functional in v1.11+; use the "sysctls" field instead)"},
};
constexpr Deprecation kVolumes[] = {
    {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    {"gitRepo", "deprecated in v1.11"},
    {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
    {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
    {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"ephemeral", ""},  // looked at for its claim, in its place
    {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd", "deprecated in v1.28, non-functional in v1.31+"},
};

// Amounts of bytes are whole.
void WarnOfFraction(const FieldPath& amounts, const Value& list, std::string_view name,
                    std::vector<std::string>& warnings) {
  const api::Quantity amount = QuantityOf(list.Get(name));
  if (amount.MilliValue() % 1000 == 0) return;
  warnings.push_back(base::Cat(amounts.Key(name).text(), ": fractional byte value ", Quote(amount.text()),
                               " is invalid, must be an integer"));
}

void WarnOfClaim(const Subject& subject, const FieldPath& ephemeral, const Value& source) {
  const FieldPath claim = ephemeral.Child("volumeClaimTemplate");
  WarnOfClaimSpec(claim.Child("spec"), source.Get({"volumeClaimTemplate", "spec"}), subject.warnings);
}

void WarnOfVolumes(const Subject& subject, const FieldPath& spec) {
  const FieldPath volumes = spec.Child("volumes");
  ForEach(volumes, subject.spec.Get("volumes"), [&](const FieldPath& at, const Value& volume) {
    for (const Deprecation& deprecated : kVolumes) {
      const Value* source = volume.Find(deprecated.name);
      if (source == nullptr) continue;
      const std::string_view name = deprecated.name == "storageos" ? "storageOS" : deprecated.name;
      const FieldPath field = at.Child(name);
      if (deprecated.text.empty()) {
        WarnOfClaim(subject, field, *source);
      } else {
        subject.Say(field, deprecated.text);
      }
    }
  });
  WarnOfOverlappingPaths(subject.spec.Get("volumes"), subject.warnings);
}

// Items of a list that say the same in `key`.
void WarnOfRepeated(const Subject& subject, const FieldPath& spec, std::string_view list, std::string_view key) {
  std::set<std::string_view> seen;
  const FieldPath at_list = spec.Child(list);
  ForEach(at_list, subject.spec.Get(list), [&](const FieldPath& at, const Value& item) {
    const std::string_view text = item.GetString(key);
    if (!seen.insert(text).second) subject.Say(at.Child(key), "duplicate ", key, " ", Quote(text));
  });
}

void WarnOfPullSecrets(const Subject& subject, const FieldPath& spec) {
  WarnOfRepeated(subject, spec, "imagePullSecrets", "name");
  const FieldPath secrets = spec.Child("imagePullSecrets");
  ForEach(secrets, subject.spec.Get("imagePullSecrets"), [&](const FieldPath& at, const Value& secret) {
    if (secret.GetString("name").empty()) subject.Say(at.Child("name"), R"(invalid empty name "")");
  });
}

constexpr std::string_view kSeccompText = R"(non-functional in v1.27+; use the "seccompProfile" field instead)";

bool HasProfile(const Value& holder, std::string_view profile) {
  return holder.Get("securityContext").Find(profile) != nullptr;
}

// Annotations that say of a container what fields say now. Of AppArmor in pods the strategy itself speaks.
void WarnOfProfiles(const Subject& subject, const Value& container) {
  const std::string_view name = container.GetString("name");
  if (!HasProfile(container, "seccompProfile")) {
    subject.SayOfAnnotation(base::Cat("container.seccomp.security.alpha.kubernetes.io/", name), kSeccompText);
  }
  if (!subject.is_template || HasProfile(subject.spec, "appArmorProfile") || HasProfile(container, "appArmorProfile")) {
    return;
  }
  subject.SayOfAnnotation(base::Cat("container.apparmor.security.beta.kubernetes.io/", name),
                          R"(deprecated since v1.30; use the "appArmorProfile" field instead)");
}

// A later variable of the same name may refer to the earlier one; else it hides it.
void WarnOfHiddenVariables(const Subject& subject, const FieldPath& container_path, const Value& container) {
  std::set<std::string_view> seen;
  const FieldPath list = container_path.Child("env");
  ForEach(list, container.Get("env"), [&](const FieldPath& at, const Value& variable) {
    const std::string_view name = variable.GetString("name"), text = variable.GetString("value");
    if (seen.insert(name).second) return;
    const std::string reference = base::Cat("$(", name, ")");
    if (variable.Find("valueFrom") == nullptr && text != reference && text.contains(reference)) return;
    subject.Say(at, "hides previous definition of ", Quote(name), ", which may be dropped when using apply");
  });
}

void WarnOfContainer(const Subject& subject, const FieldPath& path, const Value& container) {
  WarnOfProfiles(subject, container);
  const FieldPath resources = path.Child("resources");
  const FieldPath limits = resources.Child("limits"), requests = resources.Child("requests");
  for (std::string_view name : {"memory", "ephemeral-storage"}) {
    WarnOfFraction(limits, container.Get({"resources", "limits"}), name, subject.warnings);
    WarnOfFraction(requests, container.Get({"resources", "requests"}), name, subject.warnings);
  }
  WarnOfHiddenVariables(subject, path, container);
}

// A port of a container, with the text of where it stands.
struct Port {
  explicit Port(const FieldPath& at, const Value& port)
      : path(at.text()),
        name(port.GetString("name")),
        protocol(port.GetString("protocol")),
        host_ip(port.GetString("hostIP")),
        number(Number(port, "containerPort")),
        host_port(Number(port, "hostPort")) {}

  static int64_t Number(const Value& port, std::string_view field) {
    const Value found = port.Get(field);
    return found.is_int() ? found.AsInt() : 0;
  }

  // How the port is told to clash with one before it.
  std::string_view ClashWith(const Port& other) const {
    if (host_ip == other.host_ip && host_port == other.host_port) return "duplicate";
    return host_port == 0 || other.host_port == 0 ? "overlapping" : "dangerously ambiguous";
  }

  std::string path;
  std::string_view name, protocol, host_ip;
  int64_t number, host_port;
};

// The ports of one number and protocol that were seen, found by what they may clash with: none is compared with those
// that it does not clash with, of which there may be many.
class SeenPorts {
 public:
  // Places of the ones that `port` clashes with, in order.
  std::vector<uint32_t> ClashesWith(const Port& port) const {
    std::vector<uint32_t> places;
    const auto add = [&](const auto& index, const auto& key) {
      if (const auto found = index.find(key); found != index.end())
        places.insert(places.end(), found->second.begin(), found->second.end());
    };
    if (port.host_port == 0) {
      places.resize(ports_.size());
      std::iota(places.begin(), places.end(), 0U);
      return places;
    }
    add(by_host_port_, 0);
    if (port.host_ip.empty()) {
      add(by_host_port_, port.host_port);
    } else {
      add(by_address_, Address(port.host_port, port.host_ip));
      add(by_address_, Address(port.host_port, ""));
    }
    std::ranges::sort(places);
    return places;
  }
  const Port& operator[](uint32_t place) const { return ports_[place]; }
  void Add(Port port) {
    const auto place = static_cast<uint32_t>(ports_.size());
    by_host_port_[port.host_port].push_back(place);
    by_address_[Address(port.host_port, port.host_ip)].push_back(place);
    ports_.push_back(std::move(port));
  }

 private:
  using Address = std::pair<int64_t, std::string_view>;
  std::vector<Port> ports_;
  std::map<int64_t, std::vector<uint32_t>> by_host_port_;
  std::map<Address, std::vector<uint32_t>> by_address_;
};

void WarnOfPorts(const Subject& subject, const FieldPath& spec) {
  std::map<std::pair<int64_t, std::string_view>, SeenPorts> seen;
  ForEachContainer(subject, spec, [&](const FieldPath& path, const Value& container) {
    const FieldPath list = path.Child("ports");
    ForEach(list, container.Get("ports"), [&](const FieldPath& at, const Value& item) {
      Port port(at, item);
      if (!port.host_ip.empty() && port.host_port == 0) {
        subject.Say(at, "hostIP set without hostPort: {Name:", port.name, " HostPort:0 ContainerPort:", port.number,
                    " Protocol:", port.protocol, " HostIP:", port.host_ip, "}");
      }
      if (subject.full()) return;  // each of many may clash with each
      SeenPorts& others = seen[{port.number, port.protocol}];
      for (const uint32_t place : others.ClashesWith(port)) {
        subject.Say(at, port.ClashWith(others[place]), " port definition with ", others[place].path);
      }
      others.Add(std::move(port));
    });
  });
}

void WarnOfPodAffinity(const Subject& subject, const FieldPath& affinity, std::string_view kind) {
  constexpr std::string_view kText = "a null labelSelector results in matching no pod";
  const Value terms = subject.spec.Get({"affinity", kind});
  const FieldPath path = affinity.Child(kind);
  const FieldPath required = path.Child("requiredDuringSchedulingIgnoredDuringExecution");
  ForEach(required, terms.Get("requiredDuringSchedulingIgnoredDuringExecution"),
          [&](const FieldPath& at, const Value& term) {
            if (term.Find("labelSelector") == nullptr) subject.Say(at.Child("labelSelector"), kText);
          });
  const FieldPath preferred = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  ForEach(preferred, terms.Get("preferredDuringSchedulingIgnoredDuringExecution"),
          [&](const FieldPath& at, const Value& weighted) {
            const FieldPath term = at.Child("podAffinityTerm");
            if (weighted.Get({"podAffinityTerm", "labelSelector"}).is_null()) {
              subject.Say(term.Child("labelSelector"), kText);
            }
          });
}

void WarnOf(const Subject& subject) {
  const FieldPath spec = subject.path.Child("spec");
  WarnOfPlacement(subject, spec);
  for (const Deprecation& deprecated : kAnnotations) subject.SayOfAnnotation(deprecated.name, deprecated.text);
  WarnOfVolumes(subject, spec);
  WarnOfRepeated(subject, spec, "hostAliases", "ip");
  WarnOfPullSecrets(subject, spec);
  for (std::string_view name : {"memory", "ephemeral-storage"}) {
    WarnOfFraction(spec.Child("overhead"), subject.spec.Get("overhead"), name, subject.warnings);
  }
  if (!HasProfile(subject.spec, "seccompProfile")) {
    subject.SayOfAnnotation("seccomp.security.alpha.kubernetes.io/pod", kSeccompText);
  }
  ForEachContainer(subject, spec,
                   [&](const FieldPath& at, const Value& container) { WarnOfContainer(subject, at, container); });
  WarnOfPorts(subject, spec);
  const Value grace = subject.spec.Get("terminationGracePeriodSeconds");
  if (grace.is_int() && grace.AsInt() < 0) {
    subject.Say(spec.Child("terminationGracePeriodSeconds"),
                "must be >= 0; negative values are invalid and will be treated as 1");
  }
  const FieldPath affinity = spec.Child("affinity");
  WarnOfPodAffinity(subject, affinity, "podAffinity");
  WarnOfPodAffinity(subject, affinity, "podAntiAffinity");
}

int64_t GenerationOf(const Value& object) {
  const Value found = object.Get({"metadata", "generation"});
  return found.is_int() ? found.AsInt() : 0;
}

void Descend(const FieldPath& path, std::span<const std::string_view> members, const Value& value,
             std::vector<std::string>& warnings) {
  if (members.empty()) return WarnOfPodTemplate(path, value, warnings);
  Descend(path.Child(members.front()), members.subspan(1), value.Get(members.front()), warnings);
}

}  // namespace

void WarnOfPod(registry::WriteContext& context, const Value& pod, const Value* old) {
  if (old != nullptr) return;
  const Value metadata = pod.Get("metadata"), spec = pod.Get("spec");
  const api::Complaints complaints = api::CheckDns1123Label(metadata.GetString("name"));
  if (!complaints.empty()) {
    context.warnings.push_back(
        base::Cat("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS "
                  "label is recommended: [",
                  base::Join(complaints, " "), "]"));
  }
  WarnOf({FieldPath(), metadata, spec, false, context.warnings});
}

void WarnOfPodTemplate(const FieldPath& path, const Value& pod_template, std::vector<std::string>& warnings) {
  WarnOf({path, pod_template.Get("metadata"), pod_template.Get("spec"), true, warnings});
}

void WarnOfClaimSpec(const FieldPath& path, const Value& spec, std::vector<std::string>& warnings) {
  const FieldPath resources = path.Child("resources");
  for (std::string_view list : {"requests", "limits"}) {
    WarnOfFraction(resources.Child(list), spec.Get({"resources", list}), "storage", warnings);
  }
}

void WarnOfTemplateAt(registry::WriteContext& context, const Value& object, const Value* old,
                      std::initializer_list<std::string_view> members) {
  if (old != nullptr && GenerationOf(object) == GenerationOf(*old)) return;
  Descend(FieldPath(), std::span(members.begin(), members.size()), object, context.warnings);
}

}  // namespace resources::core
