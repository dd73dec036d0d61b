#include "http/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace http {
namespace {

// What Go's crypto/tls offers for TLS 1.2, in its order of preference where the machine has AES instructions. The
// suites of TLS 1.3 are ordered so that the cheapest comes first.
constexpr char kCiphers12[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-"
    "SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:"
    "ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA";
constexpr char kCiphers13[] = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr char kGroups[] = "X25519:P-256:P-384:P-521";
constexpr unsigned char kSessionContext[] = "fairlead";

std::string TakeError(std::string what) {
  char text[256];
  if (unsigned long code = ERR_get_error(); code != 0) {
    ERR_error_string_n(code, text, sizeof text);
    what += ": ";
    what += text;
  }
  ERR_clear_error();
  return what;
}

using BioPtr = std::unique_ptr<BIO, decltype([](BIO* bio) { BIO_free(bio); })>;
using X509Ptr = std::unique_ptr<X509, decltype([](X509* certificate) { X509_free(certificate); })>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype([](EVP_PKEY* key) { EVP_PKEY_free(key); })>;

BioPtr Source(std::string_view bytes) { return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))); }

bool UseChain(SSL_CTX* context, std::string_view pem) {
  BioPtr source = Source(pem);
  X509Ptr leaf(PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr));
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) return false;
  while (X509* issuer = PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, issuer) != 1) {
      X509_free(issuer);
      return false;
    }
  }
  ERR_clear_error();  // the end of the file
  return true;
}

bool UseKey(SSL_CTX* context, std::string_view pem) {
  BioPtr source = Source(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(source.get(), nullptr, nullptr, nullptr));
  return key && SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
}

// The other name that Go knows a suite by.
std::string_view FullName(std::string_view name) {
  if (name == "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305") return "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256";
  if (name == "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305") return "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256";
  return name;
}

// Sets the suites and versions that are asked for. False when a name is unknown.
bool UseSuites(SSL_CTX* context, const TlsParameters& parameters) {
  std::string older;
  for (const std::string& name : parameters.cipher_suites) {
    if (name.find("_WITH_") == std::string::npos) {  // of TLS 1.3
      if (std::string_view(kCiphers13).find(name) == std::string_view::npos) return false;
      continue;
    }
    const std::string_view known = OPENSSL_cipher_name(std::string(FullName(name)).c_str());
    if (known == "(NONE)") return false;
    if (!older.empty()) older += ':';
    older += known;
  }
  int least = parameters.min_version;
  if (parameters.cipher_suites.empty()) {
    older = kCiphers12;
  } else if (older.empty()) {  // nothing is left to the older versions
    older = kCiphers12;
    least = TLS1_3_VERSION;
  }
  // Versions before 1.2 sign with SHA-1, which is off unless somebody asks for them.
  if (least < TLS1_2_VERSION) older += ":@SECLEVEL=0";
  return SSL_CTX_set_cipher_list(context, older.c_str()) == 1 && SSL_CTX_set_ciphersuites(context, kCiphers13) == 1 &&
         SSL_CTX_set_min_proto_version(context, least) == 1;
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size,
                   void* offered) {
  const auto& ours = *static_cast<const std::string*>(offered);
  unsigned char* chosen = nullptr;
  int found = SSL_select_next_proto(&chosen, out_size, reinterpret_cast<const unsigned char*>(ours.data()),
                                    static_cast<unsigned>(ours.size()), in, in_size);
  if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// Certificates are asked for, not judged: who the client is is the pipeline's business.
int AcceptAnyCertificate(X509_STORE_CTX*, void*) { return 1; }

// A ticket holds the client's leaf but not its chain, so a session with a certificate is never resumed: the full
// handshake brings the chain again.
SSL_TICKET_RETURN DecideResumption(SSL*, SSL_SESSION* session, const unsigned char*, size_t, SSL_TICKET_STATUS status,
                                   void*) {
  if (status != SSL_TICKET_SUCCESS && status != SSL_TICKET_SUCCESS_RENEW) return SSL_TICKET_RETURN_IGNORE_RENEW;
  if (SSL_SESSION_get0_peer(session) != nullptr) return SSL_TICKET_RETURN_IGNORE;
  return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW;
}

int MakeTicketData(SSL*, void*) { return 1; }

}  // namespace

// The BIO through which OpenSSL takes from `input_` and appends to `output_`.
class BioMethod {
 public:
  static const BIO_METHOD* Get() {
    static const BioMethod method;
    return method.method_;
  }

 private:
  BioMethod() : method_(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fairlead connection")) {
    BIO_meth_set_read_ex(method_, [](BIO* bio, char* data, size_t size, size_t* taken) {
      BIO_clear_retry_flags(bio);
      auto* stream = static_cast<TlsStream*>(BIO_get_data(bio));
      if (stream->input_.empty()) {
        BIO_set_retry_read(bio);
        return 0;
      }
      *taken = std::min(size, stream->input_.size());
      memcpy(data, stream->input_.data(), *taken);
      stream->input_.remove_prefix(*taken);
      return 1;
    });
    BIO_meth_set_write_ex(method_, [](BIO* bio, const char* data, size_t size, size_t* written) {
      BIO_clear_retry_flags(bio);
      static_cast<TlsStream*>(BIO_get_data(bio))->output_->append(data, size);
      *written = size;
      return 1;
    });
    BIO_meth_set_ctrl(method_,
                      [](BIO*, int command, long, void*) -> long { return command == BIO_CTRL_FLUSH ? 1 : 0; });
    BIO_meth_set_create(method_, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
  }

  BIO_METHOD* method_;
};

base::Result<std::shared_ptr<const TlsContext>> TlsContext::Make(std::string_view chain_pem, std::string_view key_pem,
                                                                 const TlsParameters& parameters, ByName by_name) {
  std::shared_ptr<TlsContext> made(new TlsContext);
  made->by_name_ = std::move(by_name);
  made->alpn_ = parameters.http2 ? "\x02h2\x08http/1.1" : "\x08http/1.1";
  made->context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = made->context_.get();
  if (context == nullptr || !made->Configure()) {
    return base::Fail(base::Code::kInternal, TakeError("cannot set TLS up"));
  }
  if (!UseSuites(context, parameters)) {
    return base::Fail(base::Code::kInvalid, TakeError("unknown TLS cipher suite"));
  }
  if (!UseChain(context, chain_pem)) {
    return base::Fail(base::Code::kInvalid, TakeError("the TLS certificate cannot be used"));
  }
  if (!UseKey(context, key_pem)) {
    return base::Fail(base::Code::kInvalid, TakeError("the TLS private key cannot be used"));
  }
  return made;
}

bool TlsContext::Configure() {
  SSL_CTX* context = context_.get();
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // tickets only: the server remembers nothing
  SSL_CTX_set_num_tickets(context, 1);
  SSL_CTX_set_session_id_context(context, kSessionContext, sizeof kSessionContext - 1);
  SSL_CTX_set_session_ticket_cb(context, &MakeTicketData, &DecideResumption, nullptr);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context, &AcceptAnyCertificate, nullptr);
  SSL_CTX_set_alpn_select_cb(context, &ChooseProtocol, &alpn_);
  if (!by_name_.empty()) {
    SSL_CTX_set_tlsext_servername_callback(context, &ChooseCertificate);
    SSL_CTX_set_tlsext_servername_arg(context, this);
  }
  return SSL_CTX_set1_groups_list(context, kGroups) == 1;
}

// By the whole name, then by a wildcard for its first label, as Go does.
int TlsContext::ChooseCertificate(SSL* ssl, int*, void* context) {
  const char* asked = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (asked == nullptr) return SSL_TLSEXT_ERR_OK;
  const auto& self = *static_cast<const TlsContext*>(context);
  std::string name(asked);
  while (name.ends_with('.')) name.pop_back();
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  auto found = self.by_name_.find(name);
  if (found == self.by_name_.end()) {
    if (const size_t dot = name.find('.'); dot != std::string::npos) name.replace(0, dot, "*");
    found = self.by_name_.find(name);
  }
  if (found != self.by_name_.end()) SSL_set_SSL_CTX(ssl, found->second->get());
  return SSL_TLSEXT_ERR_OK;
}

std::vector<std::string> TlsContext::CertificateNames() const {
  std::vector<std::string> names;
  X509* certificate = SSL_CTX_get0_certificate(context_.get());
  const auto add = [&names](const ASN1_STRING* text) {
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, text);
    if (size < 0) return;
    std::string name(reinterpret_cast<char*>(utf8), static_cast<size_t>(size));
    OPENSSL_free(utf8);
    const bool address =
        name.find(':') != std::string::npos || name.find_first_not_of("0123456789.") == std::string::npos;
    if (!name.empty() && !address) names.push_back(std::move(name));
  };
  X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0) add(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  auto* others = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(others); ++i) {
    const GENERAL_NAME* each = sk_GENERAL_NAME_value(others, i);
    if (each->type == GEN_DNS) add(each->d.dNSName);
  }
  GENERAL_NAMES_free(others);
  return names;
}

TlsStream::TlsStream(std::shared_ptr<const TlsContext> context) : context_(context), ssl_(SSL_new(context->get())) {
  Join();
  SSL_set_accept_state(ssl_);
}

TlsStream::TlsStream(std::shared_ptr<const ClientTlsContext> context, std::string server_name)
    : context_(context),
      ssl_(SSL_new(context->get())),
      handshake_(std::make_unique<ClientHandshake>(std::move(server_name))) {
  Join();
  handshake_->Begin(ssl_);
}

void TlsStream::Join() {
  BIO* bio = BIO_new(BioMethod::Get());
  if (ssl_ == nullptr || bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_, bio, bio);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

TlsStream::Read TlsStream::Decrypt(std::span<char> buffer, size_t& size) {
  ERR_clear_error();  // SSL_get_error() looks at what anybody on this thread has left there
  if (SSL_read_ex(ssl_, buffer.data(), buffer.size(), &size) == 1) return Read::kData;
  int error = SSL_get_error(ssl_, 0);
  if (error == SSL_ERROR_WANT_READ) return Read::kWantInput;
  failure_ = ERR_peek_error();
  ERR_clear_error();
  return error == SSL_ERROR_ZERO_RETURN ? Read::kClosed : Read::kFailed;
}

bool TlsStream::Encrypt(std::string_view plain) {
  while (!plain.empty()) {
    size_t taken = 0;
    if (SSL_write_ex(ssl_, plain.data(), plain.size(), &taken) != 1) {
      ERR_clear_error();
      return false;
    }
    plain.remove_prefix(taken);
  }
  return true;
}

void TlsStream::CloseOutput() {
  if (SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
  ERR_clear_error();
}

bool TlsStream::established() const { return SSL_is_init_finished(ssl_); }

bool TlsStream::http2() const {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &chosen, &size);
  return size == 2 && memcmp(chosen, "h2", 2) == 0;
}

std::vector<std::string> TlsStream::PeerCertificates() const {
  std::vector<std::string> chain;
  auto add = [&chain](X509* certificate) {
    unsigned char* der = nullptr;
    int size = i2d_X509(certificate, &der);
    if (size <= 0) return;
    chain.emplace_back(reinterpret_cast<char*>(der), static_cast<size_t>(size));
    OPENSSL_free(der);
  };
  X509* leaf = SSL_get0_peer_certificate(ssl_);
  if (leaf == nullptr) return chain;
  add(leaf);
  STACK_OF(X509)* rest = SSL_get_peer_cert_chain(ssl_);  // on the server's side without the leaf
  for (int i = 0; rest != nullptr && i < sk_X509_num(rest); ++i) add(sk_X509_value(rest, i));
  return chain;
}

bool LooksLikePlainHttp(std::string_view first_bytes) {
  constexpr std::string_view kStarts[] = {"GET /", "HEAD ", "POST ", "PUT /", "OPTIO"};
  return std::ranges::any_of(kStarts, [&](std::string_view start) { return first_bytes.starts_with(start); });
}

}  // namespace http
