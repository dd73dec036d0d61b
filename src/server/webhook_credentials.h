// WebhookCredentials: who the server is to the webhooks it calls, by their host: the users of a kubeconfig file, as the
// configuration of the admission webhook plugins names it. Read at the start, then immutable, any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace server {

struct WebhookIdentity {
  std::string token, username, password;
  std::string certificate_pem, key_pem;
};

class WebhookCredentials {
 public:
  WebhookCredentials() = default;
  // Reads the file and what it refers to, beside it where paths are relative. Users of an exec or auth-provider plugin
  // are refused: they are not run.
  static base::Result<WebhookCredentials> Load(const std::string& path);

  // For "host:port": the user of that name, of "*.rest" of it, of the host alone where the port is 443, "*", or of the
  // current context. Null: nobody in particular.
  const WebhookIdentity* Find(std::string_view host_and_port) const;

 private:
  const WebhookIdentity* FindNamed(std::string_view name) const;

  std::map<std::string, WebhookIdentity, std::less<>> users_;
  std::string current_user_;
};

}  // namespace server
