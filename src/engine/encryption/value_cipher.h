// ValueCipher: how stored values are encrypted, in the form in which kube-apiserver stores them in etcd:
// `k8s:enc:aescbc:v1:KEYNAME:` and then the ciphertext. Rules say which resources are encrypted and by which providers:
// the first key of the first provider writes, all of them read.
//
//   aescbc     16 bytes of IV, AES-CBC with PKCS #7 padding; not authenticated
//   aesgcm     12 bytes of nonce, AES-GCM; the value's place (`/registry/secrets/NAMESPACE/NAME`) is authenticated with
//   it secretbox  24 bytes of nonce, XSalsa20-Poly1305 identity   nothing: values as they are
//
// Threads: immutable, any. Errors: kCorrupt with kube-apiserver's reason where a value cannot be read, kIo where the
// machine has no random bytes. Keys are wiped when the cipher goes. Called by engines, on the way to the disk and from
// it; made by server/encryption_configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace engine {

struct EncryptionKey {
  std::string name, secret;  // the secret as bytes; its length is checked: 16, 24 or 32 of AES, 32 of secretbox
};

struct EncryptionProvider {
  enum class Kind : uint8_t { kIdentity, kAesCbc, kAesGcm, kSecretbox };
  Kind kind = Kind::kIdentity;
  std::vector<EncryptionKey> keys;  // none of identity
};

struct EncryptionRule {
  std::string resource, group;  // "*" is any; core is ""
  std::vector<EncryptionProvider> providers;
};

// What a collection of the store holds.
struct GroupResource {
  std::string_view group, resource;
};

class ValueCipher {
 public:
  using Resolve = std::function<GroupResource(std::string_view collection)>;

  ValueCipher(std::vector<EncryptionRule> rules, Resolve resolve);
  ~ValueCipher();
  ValueCipher(const ValueCipher&) = delete;
  ValueCipher& operator=(const ValueCipher&) = delete;

  static bool IsSealed(std::string_view stored) { return stored.starts_with("k8s:enc:"); }

  // Puts what is to be stored of `plain` into `out`; false: `plain` itself is.
  base::Result<bool> Seal(std::string_view collection, std::string_view key, std::string_view plain,
                          std::string& out) const;

  struct Opened {
    bool is_plain = false;  // stored as it is: `out` was not touched
    bool is_stale = false;  // Seal() would store it in another way
  };
  base::Result<Opened> Open(std::string_view collection, std::string_view key, std::string_view stored,
                            std::string& out) const;

 private:
  struct Transformer {
    EncryptionProvider::Kind kind;
    std::string prefix;  // "k8s:enc:aesgcm:v1:NAME:"; "" of identity
    std::string secret;
  };
  struct Chain {
    std::string resource, group;
    std::vector<Transformer> transformers;
  };
  const Chain* ChainOf(std::string_view collection) const;

  std::vector<Chain> chains_;  // of one resource, then of one group's, then of all
  const Resolve resolve_;
};

}  // namespace engine
