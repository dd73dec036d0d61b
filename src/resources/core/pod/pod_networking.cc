#include <algorithm>
#include <string>
#include <string_view>

#include "resources/core/pod/pod_rules.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

// What the C library's resolver can hold.
constexpr uint32_t kMaxNameservers = 3;
constexpr uint32_t kMaxSearches = 32;
constexpr size_t kMaxSearchBytes = 2048;  // with a space between two

// A pod that had one keeps searches of forms that are not taken from others.
bool HasDotOrUnderscore(const Value& searches) {
  return std::ranges::any_of(searches.items(), [](const Value& search) {
    return search.AsString() == "." || search.AsString().contains('_');
  });
}

int64_t PortOf(const Value& port, std::string_view field) {
  const Value number = port.Get(field);
  return number.is_int() ? number.AsInt() : 0;
}

// In the host's network a container's port is the host's. What is no pod yet may leave it to be defaulted.
void CheckHostPorts(Errors& errors, const FieldPath& path, const Value& ports, bool of_pod) {
  int64_t index = 0;
  for (const Value& port : ports.items()) {
    const FieldPath item = path.Index(index++);
    const int64_t host_port = PortOf(port, "hostPort");
    if (host_port == PortOf(port, "containerPort") || (!of_pod && host_port == 0)) continue;
    errors.Invalid(item.Child("hostPort"), host_port, "must match `containerPort` when `hostNetwork` is true");
  }
}

void CheckNameservers(Errors& errors, const FieldPath& path, const Value& servers) {
  if (servers.size() > kMaxNameservers) errors.Invalid(path, servers, "must not have more than 3 nameservers");
  int64_t index = 0;
  for (const Value& server : servers.items()) CheckIp(errors, path.Index(index++), server.AsString());
}

void CheckSearches(Errors& errors, const FieldPath& path, const Value& searches, bool relaxed) {
  if (searches.size() > kMaxSearches) errors.Invalid(path, searches, "must not have more than 32 search paths");
  size_t bytes = searches.empty() ? 0 : searches.size() - 1;
  for (const Value& search : searches.items()) bytes += search.AsString().size();
  if (bytes > kMaxSearchBytes) {
    errors.Invalid(path, searches, "must not have more than 2048 characters (including spaces) in the search list");
  }
  int64_t index = 0;
  for (const Value& search : searches.items()) {
    const FieldPath item = path.Index(index++);
    std::string_view domain = search.AsString();
    if (relaxed && domain == ".") continue;
    if (domain.ends_with('.')) domain.remove_suffix(1);
    PutComplaints(errors, item, domain,
                  relaxed ? api::CheckDns1123SubdomainWithUnderscore(domain) : api::CheckDns1123Subdomain(domain));
  }
}

void CheckOptions(Errors& errors, const FieldPath& path, const Value& options) {
  int64_t index = 0;
  for (const Value& option : options.items()) {
    const FieldPath item = path.Index(index++);
    if (option.GetString("name").empty()) errors.Required(item, "must not be empty");
  }
}

}  // namespace

void CheckHostNetworkPorts(Scope& spec) {
  const Value host_network = spec.Get("hostNetwork");
  if (!host_network.is_bool() || !host_network.AsBool()) return;
  const bool of_pod = IsSpecOfPod(spec);
  const FieldPath containers = spec.At("containers");
  int64_t index = 0;
  for (const Value& container : spec.Get("containers").items()) {
    const FieldPath path = containers.Index(index++);
    CheckHostPorts(spec.errors, path.Child("ports"), container.Get("ports"), of_pod);
  }
}

void CheckDnsConfig(Scope& spec) {
  const FieldPath path = spec.At("dnsConfig");
  const Value config = spec.Get("dnsConfig");
  if (spec.String("dnsPolicy") == "None") {
    if (!spec.Has("dnsConfig")) {
      return spec.errors.Required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
    }
    if (config.Get("nameservers").empty()) {
      return spec.errors.Required(path.Child("nameservers"),
                                  "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  const bool relaxed = spec.context.Has(Feature::kRelaxedDnsSearchValidation) ||
                       (spec.old != nullptr && HasDotOrUnderscore(spec.old->Get({"dnsConfig", "searches"})));
  CheckNameservers(spec.errors, path.Child("nameservers"), config.Get("nameservers"));
  CheckSearches(spec.errors, path.Child("searches"), config.Get("searches"), relaxed);
  CheckOptions(spec.errors, path.Child("options"), config.Get("options"));
}

void CheckHostAliases(Scope& spec) {
  const FieldPath list = spec.At("hostAliases");
  int64_t index = 0;
  for (const Value& alias : spec.Get("hostAliases").items()) {
    const FieldPath item = list.Index(index++);
    const FieldPath hostnames = item.Child("hostnames");
    CheckIp(spec.errors, item.Child("ip"), alias.GetString("ip"));
    int64_t host_index = 0;
    for (const Value& hostname : alias.Get("hostnames").items()) {
      kDnsSubdomain(spec.errors, hostnames.Index(host_index++), hostname.AsString());
    }
  }
}

}  // namespace resources::core
