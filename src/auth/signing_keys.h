// Keys that sign tokens of service accounts, and that check them: read from PEM, named by what is public of them. Read
// once at start, then constant; any thread.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <vector>

namespace auth {

struct KeyFreer {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using SigningKey = std::unique_ptr<EVP_PKEY, KeyFreer>;

// Every public or private key and every certificate of a PEM file, in order.
std::vector<SigningKey> ReadKeys(const std::string& pem);

// The key's id: a hash of its public part. "" for what has none.
std::string KeyId(EVP_PKEY& key);

}  // namespace auth
