#include "resources/core/key_pair.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/text.h"
#include "schema/text_forms.h"

namespace resources::core {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";

struct Block {
  std::string type, der;
};

std::string_view WithoutTrailingSpace(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

// The bytes between a block's first and last line, without its headers ("Key: value").
std::optional<std::string> ReadBody(std::string_view body) {
  while (!body.empty()) {
    const size_t end = std::min(body.find('\n'), body.size());
    if (!body.substr(0, end).contains(':')) break;
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  std::string text(body), der;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  if (!schema::DecodeBase64(text, der)) return std::nullopt;
  return der;
}

// The well-formed blocks of a PEM text; what stands between them is passed over.
std::vector<Block> ReadPem(std::string_view text) {
  std::vector<Block> blocks;
  std::optional<std::string_view> open;  // type of the block that the last BEGIN line opened
  size_t body = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = WithoutTrailingSpace(text.substr(at, end - at));
    const size_t next = end + 1;
    if (line.starts_with(kBegin)) {
      open.reset();
      if (line.ends_with(kDashes) && line.size() >= kBegin.size() + kDashes.size()) {
        open = line.substr(kBegin.size(), line.size() - kBegin.size() - kDashes.size());
      }
      body = next;
    } else if (line.starts_with(kEnd)) {
      if (open && line == base::Cat(kEnd, *open, kDashes)) {
        if (auto der = ReadBody(text.substr(body, at - body))) blocks.push_back({std::string(*open), *std::move(der)});
      }
      open.reset();
    }
    at = next;
  }
  return blocks;
}

// "[A B]"
std::string List(const std::vector<Block>& blocks) {
  std::string out = "[";
  for (const Block& block : blocks) base::Append(out, out.size() > 1 ? " " : "", block.type);
  return out + "]";
}

bool IsCertificate(const Block& block) { return block.type == "CERTIFICATE"; }
bool IsKey(const Block& block) { return block.type == "PRIVATE KEY" || block.type.ends_with(" PRIVATE KEY"); }

std::string WhyNoCertificate(const std::vector<Block>& skipped) {
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

std::string WhyNoKey(const std::vector<Block>& skipped) {
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

std::string Compare(const Block& certificate, const Block& key) {
  const ErrorsForgotten forgotten;
  const unsigned char* at = Bytes(certificate.der);
  const std::unique_ptr<X509, decltype(&X509_free)> x509(
      d2i_X509(nullptr, &at, static_cast<long>(certificate.der.size())), X509_free);
  if (!x509) return "x509: malformed certificate";
  at = Bytes(key.der);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> held(
      d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(key.der.size())), EVP_PKEY_free);
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
  const std::vector<Block> certificates = ReadPem(certificate_pem);
  const auto certificate = std::ranges::find_if(certificates, IsCertificate);
  if (certificate == certificates.end()) return WhyNoCertificate(certificates);
  const std::vector<Block> keys = ReadPem(key_pem);
  const auto key = std::ranges::find_if(keys, IsKey);
  if (key == keys.end()) return WhyNoKey(keys);
  return Compare(*certificate, *key);
}

}  // namespace resources::core
