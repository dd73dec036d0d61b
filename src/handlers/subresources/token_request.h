// Tokens of service accounts, asked for by their `token` endpoint: signed here, kept nowhere.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "auth/json_web_token.h"
#include "handlers/subresources/subresources.h"

namespace handlers {

struct TokenIssuer {
  std::string issuer;
  std::vector<std::string> audiences;  // of this API: what a token is for unless it says so
  std::shared_ptr<const auth::TokenSigner> signer;
  std::chrono::seconds longest{0};  // that a token may hold; 0: no bound
  // A pod's token of the usual hour holds a year, and says when it should have been renewed.
  bool extends_hour = true;
};
void AddTokenRequests(TokenIssuer issuer, Subresources& subresources);

}  // namespace handlers
