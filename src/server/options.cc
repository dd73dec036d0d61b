#include "server/options.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "resources/api_resource_config.h"
#include "server/emulated_version.h"
#include "server/serving_flags.h"
#include "server/unenforced_controls.h"
#include "value/quote.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

constexpr std::string_view kAuthorizationModes[] = {"AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"};

// By the names that they have where they run elsewhere: in kube-controller-manager, and the last two in
// kube-apiserver.
struct ControllerName {
  std::string_view name;
  bool ControllerOptions::* option;
};
constexpr ControllerName kControllers[] = {
    {"namespace-controller", &ControllerOptions::namespaces},
    {"garbage-collector-controller", &ControllerOptions::garbage_collector},
    {"disruption-controller", &ControllerOptions::disruption},
    {"resourcequota-controller", &ControllerOptions::quotas},
    {"clusterrole-aggregation-controller", &ControllerOptions::cluster_roles},
    {"validatingadmissionpolicy-status-controller", &ControllerOptions::policies},
    {"priority-and-fairness-config-consumer", &ControllerOptions::flow_schemas},
    {"apiservice-status-available-controller", &ControllerOptions::api_services},
};

template <class List>
bool Contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

// Collects what is wrong, as kube-apiserver does before it says all of it.
class Complaints {
 public:
  void Add(std::string text) { texts_.push_back(std::move(text)); }
  base::Result<> Result() const {
    if (texts_.empty()) return {};
    return base::Fail(Code::kInvalid, texts_.size() == 1 ? texts_[0] : Cat("[", base::Join(texts_, ", "), "]"));
  }

 private:
  std::vector<std::string> texts_;
};

constexpr int kMostRangeBits = 20;

void CheckRangeSize(const api::IpPrefix& range, std::string_view flag, Complaints& complaints) {
  const int bits = range.is_v4() ? 32 : 128;
  if (bits - range.bits() <= kMostRangeBits) return;
  complaints.Add(Cat("specified ", flag, " is too large; for ", bits,
                     "-bit addresses, the mask must be >= ", bits - kMostRangeBits));
}

void CheckServiceRange(const FlagValues& flags, Options& options, std::vector<std::string>& warnings,
                       Complaints& complaints) {
  std::string text(flags.Text("service-cluster-ip-range"));
  if (text.empty()) {
    warnings.push_back(
        "No CIDR for service cluster IPs specified. Default value which was 10.0.0.0/24 is deprecated and "
        "will be removed in future releases. Please specify it using --service-cluster-ip-range.");
    return;
  }
  const std::vector<api::IpPrefix> ranges = ServiceRanges(text);
  const auto entries = static_cast<size_t>(std::ranges::count(text, ',')) + 1;
  if (ranges.empty()) return complaints.Add("service-cluster-ip-range[0] is not a valid cidr");
  if (ranges.size() < std::min<size_t>(entries, 2)) {
    return complaints.Add("service-cluster-ip-range[1] is not an ip net");
  }
  if (entries > 2) complaints.Add("--service-cluster-ip-range must not contain more than two entries");
  CheckRangeSize(ranges[0], "--service-cluster-ip-range", complaints);
  if (ranges.size() > 1) {
    if (ranges[0].is_v4() == ranges[1].is_v4()) {
      complaints.Add("--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family");
    }
    CheckRangeSize(ranges[1], "--service-cluster-ip-range[1]", complaints);
  }
  options.service_range = text;
}

void TakeNodePorts(const FlagValues& flags, Options& options) {
  const auto range = ParsePortRange(flags.Text("service-node-port-range"));
  if (range && range->count > 0) options.node_ports = *range;
}

void CheckAuthorization(const FlagValues& flags, Options& options, std::vector<std::string>& warnings,
                        Complaints& complaints) {
  std::vector<std::string> modes = flags.List("authorization-mode");
  if (modes.empty()) modes.emplace_back("AlwaysAllow");
  for (const std::string& mode : modes) {
    if (!Contains(kAuthorizationModes, mode)) {
      complaints.Add(Cat("authorization-mode ", value::Quote(mode), " is not a valid mode"));
    }
    if (mode == "ABAC" && flags.Text("authorization-policy-file").empty()) {
      complaints.Add("authorization-mode ABAC's authorization policy file not passed");
    }
    if (mode == "Webhook" && flags.Text("authorization-webhook-config-file").empty()) {
      complaints.Add("authorization-mode Webhook's authorization config file not passed");
    }
  }
  for (const auto& [flag, mode] :
       {std::pair("authorization-policy-file", "ABAC"), std::pair("authorization-webhook-config-file", "Webhook")}) {
    if (!flags.Text(flag).empty() && !Contains(modes, std::string_view(mode))) {
      complaints.Add(Cat("cannot specify --", flag, " without mode ", mode));
    }
  }
  for (const std::string& mode : modes) {
    if (std::ranges::count(modes, mode) > 1) {
      std::vector<std::string> quoted;
      for (const std::string& each : modes) quoted.push_back(value::Quote(each));
      complaints.Add(Cat("authorization-mode [", base::Join(quoted, " "), "] has mode specified more than once"));
      break;
    }
  }
  options.access.anonymous = flags.Bool("anonymous-auth");
  if (modes == std::vector<std::string>{"AlwaysAllow"} && options.access.anonymous && !flags.IsSet("anonymous-auth")) {
    options.access.anonymous = false;
    warnings.push_back(
        "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. "
        "You should use a different authorizer");
  }
  options.access.authorization_modes = std::move(modes);
  options.access.policy_file = flags.Text("authorization-policy-file");
}

// Proxies in front of the server that say who asks.
void CheckProxies(const FlagValues& flags, Options& options, Complaints& complaints) {
  const auto list = [&](std::string_view flag) {
    std::vector<std::string> names = flags.List(flag);
    const auto is_blank = [](const std::string& name) { return base::TrimSpace(name).empty(); };
    if (std::ranges::any_of(names, is_blank)) complaints.Add(Cat("empty value in ", value::Quote(flag)));
    return names;
  };
  options.access.proxy_ca_file = flags.Text("requestheader-client-ca-file");
  options.access.proxy_headers = {.allowed_names = list("requestheader-allowed-names"),
                                  .user_headers = list("requestheader-username-headers"),
                                  .uid_headers = list("requestheader-uid-headers"),
                                  .group_headers = list("requestheader-group-headers"),
                                  .extra_prefixes = list("requestheader-extra-headers-prefix")};
  if (!options.access.proxy_headers.uid_headers.empty() && !options.gates.Enabled("RemoteRequestHeaderUID")) {
    complaints.Add("--requestheader-uid-headers requires the \"RemoteRequestHeaderUID\" feature to be enabled");
  }
}

// What is served, and gates that need each other.
void CheckApis(const FlagValues& flags, const Options& options, Complaints& complaints) {
  if (flags.Bool("enable-priority-and-fairness")) {
    for (std::string_view key : {"flowcontrol.apiserver.k8s.io/v1", "api/ga", "api/all"}) {
      const auto found = std::ranges::find(options.runtime_config, key,
                                           [](const auto& pair) -> std::string_view { return pair.first; });
      const std::string_view value = found == options.runtime_config.end() ? "" : std::string_view(found->second);
      if (value == "false") {
        complaints.Add(Cat("--runtime-config=", key, "=false conflicts with --enable-priority-and-fairness=true"));
      }
      if (value == "true" || value == "false") break;
    }
  }
  if (auto enabled = resources::ApiResourceConfig::Make(options.runtime_config); !enabled) {
    complaints.Add(enabled.error().message);
  }
  if (options.gates.Enabled("UnknownVersionInteroperabilityProxy") && !options.gates.Enabled("StorageVersionAPI")) {
    complaints.Add("UnknownVersionInteroperabilityProxy feature requires StorageVersionAPI feature flag to be enabled");
  }
  if (options.gates.Enabled("AuthorizeNodeWithSelectors") && !options.gates.Enabled("AuthorizeWithSelectors")) {
    complaints.Add("AuthorizeNodeWithSelectors feature requires AuthorizeWithSelectors feature to be enabled");
  }
}

void CheckPlugins(std::string_view flag, const std::vector<std::string>& plugins, Complaints& complaints) {
  for (const std::string& plugin : plugins) {
    if (FindAdmissionPlugin(plugin) == nullptr) {
      complaints.Add(Cat(flag, " plugin ", value::Quote(plugin), " is unknown"));
    }
  }
}

void CheckAdmission(const FlagValues& flags, Options& options, Complaints& complaints) {
  std::vector<std::string> enabled = flags.List("enable-admission-plugins");
  std::vector<std::string> disabled = flags.List("disable-admission-plugins");
  const std::vector<std::string> only = flags.List("admission-control");
  if (!only.empty() && !(enabled.empty() && disabled.empty())) {
    complaints.Add(
        "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive");
  }
  CheckPlugins("admission-control", only, complaints);
  CheckPlugins("enable-admission-plugins", enabled, complaints);
  CheckPlugins("disable-admission-plugins", disabled, complaints);
  std::set<std::string> both;
  for (const std::string& plugin : enabled) {
    if (Contains(disabled, plugin)) both.insert(plugin);
  }
  if (!both.empty()) {
    complaints.Add(Cat("[", base::Join(std::vector<std::string>(both.begin(), both.end()), " "),
                       "] in enable-admission-plugins and disable-admission-plugins overlapped"));
  }
  if (!only.empty()) {
    enabled = only;
    for (const AdmissionPlugin& plugin : AllAdmissionPlugins()) disabled.emplace_back(plugin.name);
  }
  options.admission_plugins = RunningPlugins(enabled, disabled);
  options.admission_configuration_file = flags.Text("admission-control-config-file");
  options.not_ready_toleration_seconds = flags.Int("default-not-ready-toleration-seconds");
  options.unreachable_toleration_seconds = flags.Int("default-unreachable-toleration-seconds");
  options.privileged_containers = flags.Bool("allow-privileged");
}

// "*" is all, "name" one, "-name" all but it, as kube-controller-manager reads it.
void CheckControllers(const FlagValues& flags, Options& options, Complaints& complaints) {
  const std::vector<std::string> wanted = flags.List("controllers");
  const auto enabled = [&](std::string_view name) {
    if (Contains(wanted, name)) return true;
    return !Contains(wanted, Cat("-", name)) && Contains(wanted, "*");
  };
  for (const std::string& name : wanted) {
    const std::string_view plain = std::string_view(name).substr(name.starts_with('-') ? 1 : 0);
    if (plain == "*" || std::ranges::find(kControllers, plain, &ControllerName::name) != std::end(kControllers))
      continue;
    complaints.Add(Cat(value::Quote(plain), " is not in the list of known controllers"));
  }
  options.garbage_collection = flags.Bool("enable-garbage-collector");
  options.routes_to_endpoints = flags.Bool("enable-aggregator-routing");
  for (const auto& [name, option] : kControllers) options.controllers.*option = enabled(name);
  options.controllers.garbage_collector &= options.garbage_collection;
  options.controllers.flow_schemas &= options.fairness;
}

void CheckTokens(const FlagValues& flags, Options& options, Complaints& complaints) {
  const std::chrono::nanoseconds longest = flags.Duration("service-account-max-token-expiration");
  const auto bound = std::chrono::seconds(int64_t{1} << 32);
  if (longest.count() != 0 && (longest < std::chrono::hours(1) || longest > bound)) {
    complaints.Add("the service-account-max-token-expiration must be between 1 hour and 2^32 seconds");
  }
  options.service_accounts.longest_token = std::chrono::duration_cast<std::chrono::seconds>(longest);
}

void CheckLimits(const FlagValues& flags, Options& options, Complaints& complaints) {
  for (std::string_view name : {"max-requests-inflight", "max-mutating-requests-inflight", "min-request-timeout"}) {
    if (flags.Int(name) < 0) complaints.Add(Cat("--", name, " can not be negative value"));
  }
  for (std::string_view name : {"livez-grace-period", "request-timeout", "shutdown-delay-duration"}) {
    if (flags.Duration(name).count() < 0) complaints.Add(Cat("--", name, " can not be negative value"));
  }
  options.fairness = flags.Bool("enable-priority-and-fairness");
  options.in_flight.reading = static_cast<int>(flags.Int("max-requests-inflight"));
  options.in_flight.mutating = static_cast<int>(flags.Int("max-mutating-requests-inflight"));
  options.min_request_timeout = std::chrono::seconds(flags.Int("min-request-timeout"));
  options.request_timeout = flags.Duration("request-timeout");
  options.event_ttl = flags.Duration("event-ttl");
  options.livez_grace = flags.Duration("livez-grace-period");
  options.shutdown_delay = flags.Duration("shutdown-delay-duration");
  options.limits.streams = flags.Int("http2-max-streams-per-connection") > 0
                               ? static_cast<uint32_t>(flags.Int("http2-max-streams-per-connection"))
                               : options.limits.streams;
}

void CheckServing(const FlagValues& flags, Options& options, Complaints& complaints) {
  options.bind_address = flags.Text("bind-address");
  options.advertise_address = flags.Text("advertise-address");
  options.external_hostname = flags.Text("external-hostname");
  options.certificate_directory = flags.Text("cert-dir");
  options.certificate_file = flags.Text("tls-cert-file");
  options.key_file = flags.Text("tls-private-key-file");
  options.tls.http2 = !flags.Bool("disable-http2-serving");
  options.tls.cipher_suites = flags.List("tls-cipher-suites");
  int64_t port = flags.Int("secure-port");
  if (port < 1 || port > 65535) {
    complaints.Add(
        Cat("--secure-port ", port, " must be between 1 and 65535, inclusive. It cannot be turned off with 0"));
  }
  options.port = static_cast<uint16_t>(port);
  if (options.certificate_file.empty() != options.key_file.empty()) {
    complaints.Add("missing filename for serving cert");
  }
  static constexpr std::pair<std::string_view, int> kVersions[] = {{"VersionTLS10", TLS1_VERSION},
                                                                   {"VersionTLS11", TLS1_1_VERSION},
                                                                   {"VersionTLS12", TLS1_2_VERSION},
                                                                   {"VersionTLS13", TLS1_3_VERSION}};
  if (std::string_view version = flags.Text("tls-min-version"); !version.empty()) {
    auto known = std::ranges::find(kVersions, version, [](const auto& each) { return each.first; });
    if (known == std::end(kVersions)) {
      complaints.Add(Cat("unknown tls version ", value::Quote(version)));
    } else {
      options.tls.min_version = known->second;
    }
  }
}

std::vector<std::pair<std::string, std::string>> Pairs(const std::vector<std::string>& values) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::string_view value : values) {
    while (!value.empty()) {
      size_t comma = value.find(',');
      std::string_view pair = value.substr(0, comma);
      value = comma == std::string_view::npos ? "" : value.substr(comma + 1);
      if (pair.empty()) continue;
      size_t equals = pair.find('=');
      std::string key(base::TrimSpace(pair.substr(0, equals)));
      if (key == "v1") key = "/v1";
      std::string text(equals == std::string_view::npos ? "" : base::TrimSpace(pair.substr(equals + 1)));
      std::erase_if(pairs, [&](const auto& earlier) { return earlier.first == key; });
      pairs.emplace_back(std::move(key), std::move(text));
    }
  }
  return pairs;
}

}  // namespace

base::Result<Options> OptionsOf(const FlagValues& flags, std::vector<std::string>& warnings) {
  Options options;
  base::Result<FeatureGates> gates = FeatureGates::Parse(flags.List("feature-gates"), warnings);
  if (!gates) return std::unexpected(gates.error());
  options.gates = *std::move(gates);
  const base::Result<EmulatedVersion> emulated = ReadEmulatedVersion(flags.List("emulated-version"));
  if (!emulated) return std::unexpected(emulated.error());
  if (!emulated->is_own) warnings.push_back("--emulated-version: Fairlead is 1.32 all the same");
  options.runtime_config = Pairs(flags.List("runtime-config"));
  options.access.token_file = flags.Text("token-auth-file");
  options.access.bootstrap_tokens = flags.Bool("enable-bootstrap-token-auth");
  options.access.client_ca_file = flags.Text("client-ca-file");
  options.service_accounts = {.issuers = flags.List("service-account-issuer"),
                              .key_files = flags.List("service-account-key-file"),
                              .signing_key_file = std::string(flags.Text("service-account-signing-key-file")),
                              .jwks_uri = std::string(flags.Text("service-account-jwks-uri")),
                              .audiences = flags.List("api-audiences"),
                              .extend_tokens = flags.Bool("service-account-extend-token-expiration")};
  Complaints complaints;
  if (std::string_view backend = flags.Text("storage-backend"); !backend.empty() && backend != "etcd3") {
    complaints.Add("--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'");
  }
  if (flags.Bool("encryption-provider-config-automatic-reload") && flags.Text("encryption-provider-config").empty()) {
    complaints.Add("--encryption-provider-config-automatic-reload must be set with --encryption-provider-config");
  }
  for (const std::string& complaint : emulated->complaints) complaints.Add(complaint);
  CheckApis(flags, options, complaints);
  CheckServiceRange(flags, options, warnings, complaints);
  TakeNodePorts(flags, options);
  CheckTokens(flags, options, complaints);
  CheckLimits(flags, options, complaints);
  CheckServing(flags, options, complaints);
  for (std::string& complaint : TakeServingFlags(flags, options)) complaints.Add(std::move(complaint));
  CheckAuthorization(flags, options, warnings, complaints);
  CheckProxies(flags, options, complaints);
  CheckAdmission(flags, options, complaints);
  CheckControllers(flags, options, complaints);
  if (base::Result<> checked = complaints.Result(); !checked) return std::unexpected(checked.error());
  if (base::Result<> enforced = RefuseUnenforced(flags, warnings); !enforced) return std::unexpected(enforced.error());
  for (std::string_view name : flags.names()) {
    const Flag& flag = flags.Known(name);
    if (flag.effect == Flag::Effect::kNone) warnings.push_back(Cat("--", name, " has no effect: ", flag.note));
  }
  return options;
}

std::vector<api::IpPrefix> ServiceRanges(std::string_view text) {
  std::vector<api::IpPrefix> ranges;
  while (ranges.size() < 2) {
    const size_t comma = text.find(',');
    const auto range = api::IpPrefix::ParseLoosely(text.substr(0, comma));
    if (!range) break;
    ranges.push_back(*range);
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  return ranges;
}

std::string FirstServiceAddress(std::string_view text) {
  const std::vector<api::IpPrefix> ranges = ServiceRanges(text);
  return ranges.empty() ? "" : ranges[0].first().Plus(1).text();
}

}  // namespace server
