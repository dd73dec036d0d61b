#include "resources/core/key_pair.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/text.h"
#include "resources/rules/pem.h"

namespace resources::core {
namespace {

std::vector<PemBlock> ReadPem(std::string_view text) {
  std::vector<PemBlock> blocks;
  PemReader reader(text);
  while (auto block = reader.Next()) blocks.push_back(*std::move(block));
  return blocks;
}

// "[A B]"
std::string List(const std::vector<PemBlock>& blocks) {
  std::string out = "[";
  for (const PemBlock& block : blocks) base::Append(out, out.size() > 1 ? " " : "", block.type);
  return out + "]";
}

bool IsCertificate(const PemBlock& block) { return block.type == "CERTIFICATE"; }
bool IsKey(const PemBlock& block) { return block.type == "PRIVATE KEY" || block.type.ends_with(" PRIVATE KEY"); }

std::string WhyNoCertificate(const std::vector<PemBlock>& skipped) {
  if (skipped.empty()) return "tls: failed to find any PEM data in certificate input";
  if (skipped.size() == 1 && skipped[0].type.ends_with("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may "
           "have been switched";
  }
  return base::Cat(
      "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following "
      "types: ",
      List(skipped));
}

std::string WhyNoKey(const std::vector<PemBlock>& skipped) {
  if (skipped.empty()) return "tls: failed to find any PEM data in key input";
  if (skipped.size() == 1 && IsCertificate(skipped[0])) {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return base::Cat(
      "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the "
      "following types: ",
      List(skipped));
}

const unsigned char* Bytes(const std::string& der) { return reinterpret_cast<const unsigned char*>(der.data()); }

// What OpenSSL complains of meanwhile is forgotten: the thread's connections read the same list of errors.
class ErrorsForgotten {
 public:
  ErrorsForgotten() { ERR_set_mark(); }
  ~ErrorsForgotten() { ERR_pop_to_mark(); }
  ErrorsForgotten(const ErrorsForgotten&) = delete;
  ErrorsForgotten& operator=(const ErrorsForgotten&) = delete;
};

std::string Compare(const PemBlock& certificate, const PemBlock& key) {
  const ErrorsForgotten forgotten;
  const unsigned char* at = Bytes(certificate.bytes);
  const std::unique_ptr<X509, decltype(&X509_free)> x509(
      d2i_X509(nullptr, &at, static_cast<long>(certificate.bytes.size())), X509_free);
  if (!x509) return "x509: malformed certificate";
  at = Bytes(key.bytes);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> held(
      d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(key.bytes.size())), EVP_PKEY_free);
  if (!held) return "tls: failed to parse private key";
  EVP_PKEY* certified = X509_get0_pubkey(x509.get());
  const int type = certified == nullptr ? EVP_PKEY_NONE : EVP_PKEY_get_base_id(certified);
  if (type != EVP_PKEY_RSA && type != EVP_PKEY_EC && type != EVP_PKEY_ED25519) {
    return "tls: unknown public key algorithm";
  }
  if (EVP_PKEY_get_base_id(held.get()) != type) return "tls: private key type does not match public key type";
  return EVP_PKEY_eq(certified, held.get()) == 1 ? "" : "tls: private key does not match public key";
}

}  // namespace

std::string WhyNoKeyPair(std::string_view certificate_pem, std::string_view key_pem) {
  const std::vector<PemBlock> certificates = ReadPem(certificate_pem);
  const auto certificate = std::ranges::find_if(certificates, IsCertificate);
  if (certificate == certificates.end()) return WhyNoCertificate(certificates);
  const std::vector<PemBlock> keys = ReadPem(key_pem);
  const auto key = std::ranges::find_if(keys, IsKey);
  if (key == keys.end()) return WhyNoKey(keys);
  return Compare(*certificate, *key);
}

}  // namespace resources::core
