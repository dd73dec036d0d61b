// TLS: TlsContext (a server's certificate and parameters, shared by connections, immutable) and TlsStream (the cipher
// state of one connection, of a server or of a client, between two byte strings). No sockets here: the connection moves
// the bytes, so many small writes become one system call, and a connection at rest owns no buffer.
//
// Threads: a TlsContext any thread; a TlsStream its connection's. Errors: values; OpenSSL's error queue is left empty.
#pragma once

#include <openssl/ssl.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/client_tls.h"

namespace http {

struct TlsParameters {
  int min_version = TLS1_2_VERSION;
  // Of TLS 1.2 and before, as IANA names them (TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256); empty: what Go's crypto/tls
  // offers. Those of TLS 1.3 are always offered, as there.
  std::vector<std::string> cipher_suites;
  bool http2 = true;
};

class TlsContext {
 public:
  using ByName = std::map<std::string, std::shared_ptr<const TlsContext>, std::less<>>;

  // `chain_pem`: the server's certificate first, then intermediates; `key_pem`: its private key. `by_name`: whose
  // certificates are used in its place for clients that ask for these names.
  static base::Result<std::shared_ptr<const TlsContext>> Make(std::string_view chain_pem, std::string_view key_pem,
                                                              const TlsParameters& parameters, ByName by_name = {});
  // The names of DNS in the certificate.
  std::vector<std::string> CertificateNames() const;
  SSL_CTX* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  TlsContext() = default;
  bool Configure();
  static int ChooseCertificate(SSL* ssl, int* alert, void* context);

  std::unique_ptr<SSL_CTX, Free> context_;
  std::string alpn_;  // in the form of the wire, best first
  ByName by_name_;
};

class TlsStream {
 public:
  enum class Read {
    kData,       // plaintext was given
    kWantInput,  // all input is taken; more is needed
    kClosed,     // the peer said that it will send no more
    kFailed,     // broken: what was put out (an alert) may be sent, then the connection is to be closed
  };

  explicit TlsStream(std::shared_ptr<const TlsContext> context);
  // A client's: the handshake begins with the first Decrypt, which has no input yet.
  TlsStream(std::shared_ptr<const ClientTlsContext> context, std::string server_name);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Where ciphertext goes from now on; whoever calls the methods below sets it before. Not owned.
  void SetOutput(std::string* output) { output_ = output; }
  // What Decrypt takes its ciphertext from; the bytes stay the caller's.
  void SetInput(std::string_view input) { input_ = input; }
  std::string_view input() const { return input_; }  // what was not taken yet

  // Goes on with the handshake, then decrypts up to buffer.size() bytes; `size` is set for kData.
  Read Decrypt(std::span<char> buffer, size_t& size);
  // Makes records of `plain` (at most 16 KiB each). False when broken.
  bool Encrypt(std::string_view plain);
  // Says that nothing more will be sent.
  void CloseOutput();

  bool established() const;
  // Of a client's, after Read::kFailed: why, as Go's crypto/tls says it.
  std::string failure() const { return handshake_ ? handshake_->Failure(failure_) : std::string(); }
  bool http2() const;                                 // what ALPN chose
  std::vector<std::string> PeerCertificates() const;  // DER, leaf first; empty: none was sent

 private:
  friend class BioMethod;

  void Join();

  std::shared_ptr<const void> context_;  // keeps what ssl_ was made of
  SSL* ssl_ = nullptr;
  std::unique_ptr<ClientHandshake> handshake_;  // of a client
  unsigned long failure_ = 0;                   // OpenSSL's error
  std::string_view input_;
  std::string* output_ = nullptr;
};

// The first bytes of a connection that speaks HTTP where TLS was expected.
bool LooksLikePlainHttp(std::string_view first_bytes);

}  // namespace http
