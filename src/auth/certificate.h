// ClientCertificates: users by certificates that an authority of --client-ca-file signed: the common name is the user,
// the organizations are its groups. Verifying a chain costs some hundred microseconds, so what was found is kept per
// chain, in a bounded cache, as long as every certificate of the chain is valid and the authorities are the same. A
// file of authorities is looked at again at most once a second, when somebody comes; one that cannot be read or has no
// authority in it leaves the old ones in use.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "auth/authenticator.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/string_map.h"

struct x509_store_st;

namespace auth {

class ClientCertificates final : public Authenticator {
 public:
  static constexpr size_t kCacheEntries = 4096;  // the cache is emptied when it is full
  // How long a refusal is remembered, so that a client cannot have the same chain verified for each of its requests.
  static constexpr std::chrono::seconds kRefusalKept{10};

  // `authorities`: PEM certificates. Fails if there is none in it.
  static base::Result<std::unique_ptr<ClientCertificates>> Make(std::string_view authorities, const base::Clock& clock);
  static base::Result<std::unique_ptr<ClientCertificates>> Load(const std::string& path, const base::Clock& clock);
  ~ClientCertificates() override;

  Identity Authenticate(exchange::Exchange& exchange) const override;

 private:
  using Store = std::shared_ptr<x509_store_st>;
  struct Verdict {
    Identity identity;
    std::chrono::system_clock::time_point good_until;  // when the first certificate of the chain expires
  };
  // What tells a file from its successor.
  struct Stamp {
    int64_t inode = 0, size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  ClientCertificates(Store authorities, std::string path, const base::Clock& clock);
  static base::Result<Store> Parse(std::string_view authorities);
  static Stamp Look(const std::string& path);
  // Those that are in force now; a change of the file empties the cache. mutex_ is held.
  const Store& Current() const;
  Verdict Verify(x509_store_st& authorities, const std::vector<std::string>& chain) const;

  const std::string path_;  // "": never read again
  const base::Clock& clock_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable Store authorities_;
  mutable Stamp stamp_;
  mutable std::chrono::steady_clock::time_point looked_;
  mutable base::StringMap<Verdict> verdicts_;  // by the digest of the chain
};

}  // namespace auth
