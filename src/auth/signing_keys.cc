#include "auth/signing_keys.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <string_view>
#include <utility>

#include "value/base64_url.h"

namespace auth {
namespace {

using Source = std::unique_ptr<BIO, decltype([](BIO* source) { BIO_free_all(source); })>;
using Certificate = std::unique_ptr<X509, decltype([](X509* certificate) { X509_free(certificate); })>;

SigningKey ReadKey(BIO& source, std::string_view kind) {
  if (kind.contains("CERTIFICATE")) {
    const Certificate certificate(PEM_read_bio_X509(&source, nullptr, nullptr, nullptr));
    return SigningKey(certificate ? X509_get_pubkey(certificate.get()) : nullptr);
  }
  if (kind.contains("PRIVATE KEY")) return SigningKey(PEM_read_bio_PrivateKey(&source, nullptr, nullptr, nullptr));
  if (kind.contains("PUBLIC KEY")) return SigningKey(PEM_read_bio_PUBKEY(&source, nullptr, nullptr, nullptr));
  return nullptr;
}

}  // namespace

std::vector<SigningKey> ReadKeys(const std::string& pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  std::vector<SigningKey> keys;
  for (size_t at = pem.find(kBegin); at != std::string::npos; at = pem.find(kBegin, at + 1)) {
    const Source source(BIO_new_mem_buf(pem.data() + at, static_cast<int>(pem.size() - at)));
    SigningKey key = ReadKey(*source, std::string_view(pem).substr(at, pem.find('\n', at) - at));
    if (key) keys.push_back(std::move(key));
  }
  ERR_clear_error();
  return keys;
}

std::string KeyId(EVP_PKEY& key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(&key, &der);
  if (size <= 0) return "";
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(der, static_cast<size_t>(size), digest);
  OPENSSL_free(der);
  return value::EncodeBase64Url({reinterpret_cast<char*>(digest), sizeof(digest)});
}

}  // namespace auth
