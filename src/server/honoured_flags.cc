#include "server/honoured_flags.h"

#include <algorithm>

namespace server {
namespace {

// Sorted. Also those whose wish is met without looking at it (allow-privileged: privileged containers are allowed), and
// those that only fit what Fairlead does not have (etcd-prefix, watch-cache: nothing to warn of).
constexpr std::string_view kHonoured[] = {
    "advertise-address",
    "allow-privileged",
    "anonymous-auth",
    "api-audiences",
    "authorization-mode",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "controllers",
    "cors-allowed-origins",
    "data-dir",
    "disable-admission-plugins",
    "disable-http2-serving",
    "emulated-version",
    "enable-admission-plugins",
    "enable-garbage-collector",
    "enable-priority-and-fairness",
    "etcd-prefix",
    "etcd-servers",
    "event-ttl",
    "feature-gates",
    "goaway-chance",
    "help",
    "history",
    "http2-max-streams-per-connection",
    "io-threads",
    "kubeconfig",
    "listen",
    "max-mutating-requests-inflight",
    "max-requests-inflight",
    "min-request-timeout",
    "permit-address-sharing",
    "permit-port-sharing",
    "request-timeout",
    "runtime-config",
    "secure-port",
    "service-account-extend-token-expiration",
    "service-account-issuer",
    "service-account-jwks-uri",
    "service-account-key-file",
    "service-account-max-token-expiration",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    "service-node-port-range",
    "shutdown-delay-duration",
    "shutdown-send-retry-after",
    "shutdown-watch-termination-grace-period",
    "storage-backend",
    "store",
    "strict-transport-security-directives",
    "tls-cert-file",
    "tls-cipher-suites",
    "tls-min-version",
    "tls-private-key-file",
    "tls-sni-cert-key",
    "token-auth-file",
    "unsafe-no-fsync",
    "v",
    "version",
    "vmodule",
    "watch-cache",
    "watch-cache-sizes",
};

}  // namespace

bool IsHonoured(std::string_view flag) { return std::ranges::binary_search(kHonoured, flag); }

}  // namespace server
