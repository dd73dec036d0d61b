// ServedCertificate: the certificate files of a server, its own and those for names that clients ask for (SNI), and the
// TLS context made of them, renewed when the files change.
// Only a new connection can see a change, so the files are looked at then, at most once a second: no thread, no timer.
// Threads: one at a time (the acceptor's loop). A change that cannot be read leaves the old certificate in use.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/certificates.h"
#include "http/tls.h"

namespace http {

// A certificate for clients that ask for one of `names` ("*." for one more label); without names for those in it.
struct NamedCertificate {
  CertificateFiles files;
  std::vector<std::string> names;
};

class ServedCertificate {
 public:
  // Of `named` the earlier ones win, and names that are given win over those of a certificate.
  static base::Result<std::unique_ptr<ServedCertificate>> Load(CertificateFiles files,
                                                               std::vector<NamedCertificate> named,
                                                               TlsParameters parameters);
  std::shared_ptr<const TlsContext> Current(std::chrono::steady_clock::time_point now);

 private:
  // What tells a file from its successor.
  struct Stamp {
    int64_t inode = 0, size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::vector<Stamp>;

  ServedCertificate(CertificateFiles files, std::vector<NamedCertificate> named, TlsParameters parameters)
      : files_(std::move(files)), named_(std::move(named)), parameters_(std::move(parameters)) {}
  Stamps Look() const;
  base::Result<> Read();

  const CertificateFiles files_;
  const std::vector<NamedCertificate> named_;
  const TlsParameters parameters_;
  Stamps stamps_;
  std::chrono::steady_clock::time_point looked_{};
  std::shared_ptr<const TlsContext> context_;
};

}  // namespace http
