// ClientTlsContext: whom a client of other servers trusts and who it is, shared by its connections, immutable. The
// server's certificate is judged as Go's crypto/tls does, in its order and with its words: its time, its names, its
// issuers. http/tls.h moves the bytes.
//
// Threads: any. Errors: say what of the settings cannot be used.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "exchange/client.h"

namespace http {

class ClientTlsContext {
 public:
  static base::Result<std::shared_ptr<const ClientTlsContext>> Make(const exchange::TlsSettings& settings);
  SSL_CTX* get() const { return context_.get(); }

 private:
  friend class ClientHandshake;
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  ClientTlsContext() = default;

  std::unique_ptr<SSL_CTX, Free> context_;
};

// The handshake of one connection: for whom the server's certificate has to be, and what was wrong with it. Outlives
// the SSL it was given to.
class ClientHandshake {
 public:
  // `server_name`: a name or an address.
  explicit ClientHandshake(std::string server_name) : server_name_(std::move(server_name)) {}
  // Prepares `ssl`, a new one of a ClientTlsContext.
  void Begin(SSL* ssl);
  // Why the handshake failed, after it did. `code` is the first of OpenSSL's errors.
  std::string Failure(unsigned long code) const;

 private:
  friend class ClientTlsContext;
  static int Verify(X509_STORE_CTX* store, void*);
  std::string Judge(X509_STORE_CTX* store) const;  // "" good

  const std::string server_name_;
  std::string verdict_;
};

}  // namespace http
