// RequestHeaders (--requestheader-*): users as a proxy in front of the server names them, in headers. Believed only of
// a connection whose client certificate an authority for such proxies signed. Any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "auth/certificate.h"

namespace auth {

class RequestHeaders final : public Authenticator {
 public:
  struct Options {
    std::vector<std::string> allowed_names;  // common names of proxies; empty: any
    std::vector<std::string> user_headers, uid_headers, group_headers, extra_prefixes;
  };
  RequestHeaders(std::unique_ptr<const ClientCertificates> proxies, Options options);

  // Absent without a certificate, and where a proxy names nobody.
  Identity Authenticate(exchange::Exchange& exchange) const override;

 private:
  const std::unique_ptr<const ClientCertificates> proxies_;
  const Options options_;  // headers in lower case
};

}  // namespace auth
