// Options: everything that can be chosen about one server, with the sensible default of each. Made by main from a
// command line, or by a test by hand; read by Server.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/ip_address.h"
#include "auth/request_header.h"
#include "base/result.h"
#include "http/served_certificate.h"
#include "http/session.h"
#include "http/tls.h"
#include "pipeline/connection_headers.h"
#include "pipeline/drain.h"
#include "pipeline/flowcontrol/flow_control.h"
#include "server/admission_plugins.h"
#include "server/feature_gates.h"
#include "server/flags.h"
#include "server/port_range.h"

namespace server {

enum class StoreKind { kMemory, kRocksDb };

// Who may do what.
struct AccessOptions {
  std::vector<std::string> authorization_modes = {"AlwaysAllow"};  // AlwaysAllow, AlwaysDeny, RBAC, Node, ...; in order
  bool anonymous = true;
  std::string policy_file;    // of ABAC; "" none
  std::string token_file;     // CSV; "" none
  std::string proxy_ca_file;  // PEM: authorities of proxies that say who asks; "" none
  auth::RequestHeaders::Options proxy_headers;
  bool bootstrap_tokens = false;  // secrets of kube-system are tokens of nodes that join
  std::string client_ca_file;     // PEM; "" none
  std::string admin_token;        // a token of system:masters beside the file's; "" none
};

struct StoreOptions {
  StoreKind kind = StoreKind::kMemory;
  std::string directory;  // of kRocksDb
  bool sync = true;       // false: a crash of the machine may lose acknowledged writes
  std::chrono::nanoseconds history{std::chrono::minutes(5)};  // for watches and exact reads
};

struct ServiceAccountOptions {
  std::vector<std::string> issuers, key_files;
  std::string signing_key_file, jwks_uri;
  std::vector<std::string> audiences;     // of this API; empty: the issuers
  std::chrono::seconds longest_token{0};  // that is given; 0: no bound
  bool extend_tokens = true;              // of pods that ask for an hour
};

// What kube-controller-manager does elsewhere.
struct ControllerOptions {
  bool namespaces = true;         // namespaces that are deleted are emptied and go
  bool garbage_collector = true;  // dependents follow their owners
  bool disruption = true;         // disruption budgets say what may be evicted
  bool quotas = true;             // quotas say what is used
  bool cluster_roles = true;      // aggregated roles have the rules of those they select
  bool policies = true;           // admission policies say that they were looked at
  bool flow_schemas = true;       // say whether their priority level is there
  bool api_services = true;       // say whether they can be reached
};

struct Options {
  std::string bind_address = "127.0.0.1";
  uint16_t port = 0;
  std::string certificate_directory;       // where a certificate is found or made
  std::string certificate_file, key_file;  // given ones, in place of that
  http::TlsParameters tls;
  std::vector<http::NamedCertificate> named_certificates;  // for names that clients ask for
  bool share_port = false;                                 // other processes may listen on it too
  pipeline::ConnectionHeaders::Options connection_headers;
  std::vector<std::string> allowed_origins;  // of browsers' pages, as regular expressions
  http::Limits limits;
  int io_threads = 0;  // 0: one for each processor

  StoreOptions store;
  AccessOptions access;
  ServiceAccountOptions service_accounts;
  FeatureGates gates;
  std::vector<std::pair<std::string, std::string>> runtime_config;
  std::string service_range = "10.0.0.0/24";  // addresses of services, one range of each family; the first is the API's
  PortRange node_ports{.first = 30000, .count = 2768};  // of services
  std::string advertise_address;  // where clients of the `kubernetes` service are sent; "": found out
  // The admission plugins that run, by name; such as are not built do nothing.
  std::vector<std::string> admission_plugins = RunningPlugins({}, {});
  std::string admission_configuration_file;  // what single plugins are configured with; "" none
  int64_t not_ready_toleration_seconds = 300, unreachable_toleration_seconds = 300;  // of pods that do not say
  bool privileged_containers = true;  // kube-apiserver and its flags have false
  std::string external_hostname;      // what discovery and the OpenID documents call this server; "": its address

  ControllerOptions controllers;
  bool routes_to_endpoints = false;  // webhooks are called at endpoints of their services
  bool garbage_collection = true;    // there is a garbage collector, here or elsewhere

  std::chrono::nanoseconds event_ttl{std::chrono::hours(1)};  // how long events stay after they were written; 0 always
  pipeline::InFlightLimits in_flight;
  bool fairness = true;  // requests are classified by flow schemas, whose statuses are kept
  std::chrono::nanoseconds request_timeout{std::chrono::seconds(60)};
  std::chrono::nanoseconds min_request_timeout{std::chrono::seconds(1800)};
  std::chrono::nanoseconds livez_grace{0};     // how long /livez does not mind what is not finished
  std::chrono::nanoseconds shutdown_delay{0};  // how long it serves on after it said that it is not ready any more
  std::chrono::nanoseconds shutdown_watch_grace{0};  // over which watches are then ended; 0: all at once
  pipeline::Drain::Options drain;                    // how requests are turned away meanwhile
  std::chrono::nanoseconds shutdown_grace{std::chrono::seconds(60)};  // how long running requests may then take
};

// The options that kube-apiserver's flags stand for. The error's message is what kube-apiserver says: one complaint, or
// all of them in brackets; where it has none, Fairlead's of flags that protect and are not honoured. `warnings`: what
// the flags ask for and Fairlead has no use for, and what they warn of.
base::Result<Options> OptionsOf(const FlagValues& flags, std::vector<std::string>& warnings);

// Options::service_range as what it names: one range or two, as many as can be read.
std::vector<api::IpPrefix> ServiceRanges(std::string_view text);
// The first address of the first ("10.0.0.0/24": "10.0.0.1"), which is the API's own; "" where it is no range.
std::string FirstServiceAddress(std::string_view text);

}  // namespace server
