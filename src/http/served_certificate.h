// ServedCertificate: the certificate files of a server and the TLS context made of them, renewed when the files change.
// Only a new connection can see a change, so the files are looked at then, at most once a second: no thread, no timer.
// Threads: one at a time (the acceptor's loop). A change that cannot be read leaves the old certificate in use.
#pragma once

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <memory>

#include "base/result.h"
#include "http/certificates.h"
#include "http/tls.h"

namespace http {

class ServedCertificate {
 public:
  static base::Result<std::unique_ptr<ServedCertificate>> Load(CertificateFiles files, TlsParameters parameters);
  std::shared_ptr<const TlsContext> Current(std::chrono::steady_clock::time_point now);

 private:
  // What tells a file from its successor.
  struct Stamp {
    int64_t inode = 0, size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::array<Stamp, 2>;

  ServedCertificate(CertificateFiles files, TlsParameters parameters)
      : files_(std::move(files)), parameters_(std::move(parameters)) {}
  Stamps Look() const;
  base::Result<> Read();

  const CertificateFiles files_;
  const TlsParameters parameters_;
  Stamps stamps_;
  std::chrono::steady_clock::time_point looked_{};
  std::shared_ptr<const TlsContext> context_;
};

}  // namespace http
