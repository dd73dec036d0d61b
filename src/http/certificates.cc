#include "http/certificates.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "base/files.h"

namespace http {
namespace {

constexpr long kValidSeconds = 365L * 24 * 3600;
constexpr long kEarlierSeconds = 3600;  // for clients whose clock is behind

using BioPtr = std::unique_ptr<BIO, decltype([](BIO* bio) { BIO_free(bio); })>;
using X509Ptr = std::unique_ptr<X509, decltype([](X509* certificate) { X509_free(certificate); })>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype([](EVP_PKEY* key) { EVP_PKEY_free(key); })>;

bool IsAddress(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 || inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool AddExtension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool Describe(X509* certificate, const std::vector<std::string>& hosts) {
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof serial) != 1) return false;
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
  X509_set_version(certificate, X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kEarlierSeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kValidSeconds);
  std::string names;
  for (const std::string& host : hosts)
    names += (names.empty() ? "" : ",") + (IsAddress(host) ? "IP:" + host : "DNS:" + host);
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* name = reinterpret_cast<const unsigned char*>(hosts.empty() ? "localhost" : hosts[0].c_str());
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         AddExtension(certificate, NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign") &&
         AddExtension(certificate, NID_ext_key_usage, "serverAuth") &&
         AddExtension(certificate, NID_subject_key_identifier, "hash") &&
         (names.empty() || AddExtension(certificate, NID_subject_alt_name, names));
}

template <class Write>
std::string Pem(Write write) {
  BioPtr out(BIO_new(BIO_s_mem()));
  if (write(out.get()) != 1) return {};
  char* bytes = nullptr;
  long size = BIO_get_mem_data(out.get(), &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

}  // namespace

base::Result<CertificateFiles> FindOrMakeCertificate(const std::string& directory,
                                                     const std::vector<std::string>& hosts) {
  CertificateFiles files{directory + "/apiserver.crt", directory + "/apiserver.key"};
  std::error_code error;
  if (std::filesystem::exists(files.certificate, error) && std::filesystem::exists(files.key, error)) return files;
  if (auto made = base::MakeDirectories(directory); !made) return std::unexpected(made.error());
  KeyPtr key(EVP_EC_gen("P-256"));
  X509Ptr certificate(X509_new());
  bool made = key && certificate && X509_set_pubkey(certificate.get(), key.get()) == 1 &&
              Describe(certificate.get(), hosts) && X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0;
  std::string certificate_pem, key_pem;
  if (made) {
    certificate_pem = Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); });
    key_pem =
        Pem([&](BIO* out) { return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
  ERR_clear_error();
  if (certificate_pem.empty() || key_pem.empty()) {
    return base::Fail(base::Code::kInternal, "cannot make a certificate for the server");
  }
  if (auto written = base::ReplaceFile(files.key, key_pem); !written) return std::unexpected(written.error());
  if (auto written = base::ReplaceFile(files.certificate, certificate_pem, 0644); !written) {
    return std::unexpected(written.error());
  }
  return files;
}

std::vector<std::string> ServerNames(const std::string& bind_address, const std::string& service_address) {
  std::vector<std::string> names = {
      "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
      "127.0.0.1", "::1"};
  auto add = [&names](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  char host[256] = {};
  constexpr std::string_view kNameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
  if (gethostname(host, sizeof host - 1) == 0 &&
      std::string_view(host).find_first_not_of(kNameBytes) == std::string::npos) {
    add(host);
  }
  if (IsAddress(bind_address) && bind_address != "0.0.0.0" && bind_address != "::") add(bind_address);
  if (IsAddress(service_address)) add(service_address);
  return names;
}

}  // namespace http
