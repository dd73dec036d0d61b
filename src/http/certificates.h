// The server's certificate: made by itself when there is none, read from files, read anew when the files change.
// Called by Server at start and then at new connections. Threads: one at a time. Errors: say which file and why.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace http {

struct CertificateFiles {
  std::string certificate;  // PEM, the server's own first
  std::string key;          // PEM
};

// Finds apiserver.crt and apiserver.key in `directory`, or makes the directory and them: a self-signed ECDSA
// certificate that is good for a year, for `hosts` (names and addresses).
base::Result<CertificateFiles> FindOrMakeCertificate(const std::string& directory,
                                                     const std::vector<std::string>& hosts);

// The names a cluster's server goes by: localhost and its address, this machine's name, kubernetes with its suffixes,
// `bind_address` if it is one address, `service_address` if not empty.
std::vector<std::string> ServerNames(const std::string& bind_address, const std::string& service_address);

}  // namespace http
