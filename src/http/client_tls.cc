#include "http/client_tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <vector>

#include "base/text.h"

namespace http {
namespace {

using base::Cat;
using base::Code;

// What Go's crypto/tls offers. The lower level lets RSA keys of 1024 bits pass, as there.
constexpr char kCiphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-"
    "SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:"
    "ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:@SECLEVEL=1";
constexpr char kSystemBundle[] = "/etc/ssl/certs/ca-certificates.crt";
constexpr unsigned char kProtocols[] = "\x08http/1.1";

using BioPtr = std::unique_ptr<BIO, decltype([](BIO* bio) { BIO_free(bio); })>;
using X509Ptr = std::unique_ptr<X509, decltype([](X509* certificate) { X509_free(certificate); })>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype([](EVP_PKEY* key) { EVP_PKEY_free(key); })>;

BioPtr Source(std::string_view bytes) { return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))); }

// False where there is no certificate in `pem`.
bool TrustAll(X509_STORE* store, std::string_view pem) {
  const BioPtr source = Source(pem);
  bool any = false;
  while (X509Ptr authority{PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr)}) {
    any = X509_STORE_add_cert(store, authority.get()) == 1 || any;
  }
  ERR_clear_error();
  return any;
}

bool UseIdentity(SSL_CTX* context, const exchange::TlsSettings& settings) {
  const BioPtr certificates = Source(settings.certificate_pem), keys = Source(settings.key_pem);
  const X509Ptr leaf(PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr));
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) return false;
  while (X509* issuer = PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, issuer) == 1) continue;
    X509_free(issuer);
    return false;
  }
  const KeyPtr key(PEM_read_bio_PrivateKey(keys.get(), nullptr, nullptr, nullptr));
  return key && SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
}

bool IsAddress(const std::string& name) {
  ASN1_OCTET_STRING* parsed = a2i_IPADDRESS(name.c_str());
  const bool is_address = parsed != nullptr;
  ASN1_OCTET_STRING_free(parsed);
  ERR_clear_error();
  return is_address;
}

std::string TimeText(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "";
  char text[32];
  const size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

std::string Now() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

// "" within its time.
std::string JudgeTime(const X509* certificate) {
  constexpr std::string_view kWhat = "x509: certificate has expired or is not yet valid: current time ";
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0) {
    return Cat(kWhat, Now(), " is before ", TimeText(X509_get0_notBefore(certificate)));
  }
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) {
    return Cat(kWhat, Now(), " is after ", TimeText(X509_get0_notAfter(certificate)));
  }
  return "";
}

struct AlternativeNames {
  std::vector<std::string> names, addresses;
  bool present = false;
};

std::string AddressText(const ASN1_OCTET_STRING* bytes) {
  const unsigned char* data = ASN1_STRING_get0_data(bytes);
  const int size = ASN1_STRING_length(bytes);
  char text[64];
  if (size == 4) {
    snprintf(text, sizeof text, "%d.%d.%d.%d", data[0], data[1], data[2], data[3]);
    return text;
  }
  std::string address;
  for (int i = 0; i + 1 < size; i += 2) {
    snprintf(text, sizeof text, "%s%x", i == 0 ? "" : ":", data[i] << 8 | data[i + 1]);
    address += text;
  }
  return address;
}

AlternativeNames NamesOf(X509* certificate) {
  AlternativeNames found;
  auto* all = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  found.present = all != nullptr;
  for (int i = 0; i < sk_GENERAL_NAME_num(all); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all, i);
    if (name->type == GEN_DNS) {
      found.names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                               static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      found.addresses.push_back(AddressText(name->d.iPAddress));
    }
  }
  GENERAL_NAMES_free(all);
  return found;
}

// "" where it is for `name`.
std::string JudgeName(X509* certificate, const std::string& name) {
  constexpr unsigned kFlags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  const bool is_address = IsAddress(name);
  const int matches = is_address ? X509_check_ip_asc(certificate, name.c_str(), kFlags)
                                 : X509_check_host(certificate, name.data(), name.size(), kFlags, nullptr);
  ERR_clear_error();
  if (matches == 1) return "";
  const AlternativeNames found = NamesOf(certificate);
  const std::vector<std::string>& candidates = is_address ? found.addresses : found.names;
  if (is_address && candidates.empty()) {
    return Cat("x509: cannot validate certificate for ", name, " because it doesn't contain any IP SANs");
  }
  if (!found.present) return "x509: certificate relies on legacy Common Name field, use SANs instead";
  if (candidates.empty()) return Cat("x509: certificate is not valid for any names, but wanted to match ", name);
  return Cat("x509: certificate is valid for ", base::Join(candidates, ", "), ", not ", name);
}

std::string JudgeChain(X509_STORE_CTX* store) {
  if (X509_verify_cert(store) == 1) return "";
  switch (X509_STORE_CTX_get_error(store)) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return JudgeTime(X509_STORE_CTX_get_current_cert(store));
    case X509_V_ERR_INVALID_PURPOSE:
      return "x509: certificate specifies an incompatible key usage";
    case X509_V_ERR_PATH_LENGTH_EXCEEDED:
      return "x509: too many intermediates for path length constraint";
    default:
      return "x509: certificate signed by unknown authority";
  }
}

// Go's names of alerts.
std::string_view AlertText(int alert) {
  switch (alert) {
    case 10:
      return "unexpected message";
    case 20:
      return "bad record MAC";
    case 40:
      return "handshake failure";
    case 42:
      return "bad certificate";
    case 43:
      return "unsupported certificate";
    case 44:
      return "revoked certificate";
    case 45:
      return "expired certificate";
    case 46:
      return "unknown certificate";
    case 47:
      return "illegal parameter";
    case 48:
      return "unknown certificate authority";
    case 49:
      return "access denied";
    case 50:
      return "error decoding message";
    case 51:
      return "error decrypting message";
    case 70:
      return "protocol version not supported";
    case 71:
      return "insufficient security level";
    case 80:
      return "internal error";
    case 90:
      return "user canceled";
    case 112:
      return "unrecognized name";
    case 116:
      return "certificate required";
    case 120:
      return "no application protocol";
    default:
      return "handshake failure";
  }
}

constexpr int kAlertReasons = 1000;  // SSL_AD_REASON_OFFSET

}  // namespace

base::Result<std::shared_ptr<const ClientTlsContext>> ClientTlsContext::Make(const exchange::TlsSettings& settings) {
  std::shared_ptr<ClientTlsContext> made(new ClientTlsContext);
  made->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = made->context_.get();
  if (context == nullptr || SSL_CTX_set_cipher_list(context, kCiphers) != 1 ||
      SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    ERR_clear_error();
    return base::Fail(Code::kInternal, "cannot set TLS up");
  }
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_protos(context, kProtocols, sizeof kProtocols - 1);
  SSL_CTX_set_verify(context, settings.verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (settings.verifies) SSL_CTX_set_cert_verify_callback(context, &ClientHandshake::Verify, nullptr);
  // What is in the bundle is trusted itself, whether it says that it is an authority or not.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
  if (settings.authorities_pem.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    if (access(kSystemBundle, R_OK) == 0) SSL_CTX_load_verify_file(context, kSystemBundle);
    ERR_clear_error();
  } else if (!TrustAll(SSL_CTX_get_cert_store(context), settings.authorities_pem)) {
    return base::Fail(Code::kInvalid, "unable to load root certificates: unable to parse bytes as PEM block");
  }
  if (!settings.certificate_pem.empty() && !UseIdentity(context, settings)) {
    ERR_clear_error();
    return base::Fail(Code::kInvalid, "tls: failed to find any PEM data in certificate input");
  }
  return made;
}

void ClientHandshake::Begin(SSL* ssl) {
  SSL_set_app_data(ssl, this);
  if (!IsAddress(server_name_)) SSL_set_tlsext_host_name(ssl, server_name_.c_str());
  SSL_set_connect_state(ssl);
}

int ClientHandshake::Verify(X509_STORE_CTX* store, void* /*context*/) {
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* self = static_cast<ClientHandshake*>(SSL_get_app_data(ssl));
  self->verdict_ = self->Judge(store);
  ERR_clear_error();
  if (self->verdict_.empty()) return 1;
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
  return 0;
}

std::string ClientHandshake::Judge(X509_STORE_CTX* store) const {
  X509* leaf = X509_STORE_CTX_get0_cert(store);
  std::string verdict = JudgeTime(leaf);
  if (verdict.empty()) verdict = JudgeName(leaf, server_name_);
  if (verdict.empty()) verdict = JudgeChain(store);
  return verdict;
}

std::string ClientHandshake::Failure(unsigned long code) const {
  if (!verdict_.empty()) return Cat("tls: failed to verify certificate: ", verdict_);
  const int reason = ERR_GET_REASON(code);
  if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason > kAlertReasons && reason < kAlertReasons + 256) {
    return Cat("remote error: tls: ", AlertText(reason - kAlertReasons));
  }
  switch (reason) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
      return "tls: first record does not look like a TLS handshake";
    case SSL_R_UNSUPPORTED_PROTOCOL:
      return "tls: server selected unsupported protocol version 301";
    default:
      return "tls: handshake or record is broken";
  }
}

}  // namespace http
