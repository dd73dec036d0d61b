// ClientCertificates: users by certificates that an authority of --client-ca-file signed: the common name is the user,
// the organizations are its groups. Verifying a chain costs some hundred microseconds, so what was found is kept per
// certificate, in a bounded cache.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/string_map.h"
#include "pipeline/authn/authenticator.h"

struct x509_store_st;

namespace pipeline {

class ClientCertificates final : public Authenticator {
 public:
  static constexpr size_t kCacheEntries = 4096;  // the cache is emptied when it is full

  // `authorities`: PEM certificates. Fails if there is none in it.
  static base::Result<std::unique_ptr<ClientCertificates>> Make(std::string_view authorities, const base::Clock& clock);
  static base::Result<std::unique_ptr<ClientCertificates>> Load(const std::string& path, const base::Clock& clock);
  ~ClientCertificates() override;

  Identity Authenticate(exchange::Exchange& exchange) const override;

 private:
  struct Verdict {
    Identity identity;
    std::chrono::system_clock::time_point good_until;  // the end of the leaf's validity
  };
  ClientCertificates(x509_store_st* authorities, const base::Clock& clock) : authorities_(authorities), clock_(clock) {}
  Verdict Verify(const std::vector<std::string>& chain) const;

  x509_store_st* const authorities_;
  const base::Clock& clock_;
  mutable std::mutex mutex_;
  mutable base::StringMap<Verdict> verdicts_;  // by the leaf's bytes; guarded by mutex_
};

}  // namespace pipeline
