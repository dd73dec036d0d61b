// Any text is a token or none, and no token that nobody signed is taken.
#include <cstdint>
#include <cstdlib>

#include "auth/json_web_token.h"

namespace {

// Public keys whose private parts nobody has kept: an RSA one and a curve's.
constexpr const char* kKeys = R"(-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwESccl30aa9HFj0q2gr/
kq1R2sWdxNvwzAbkC5tHzTYS0r4orZGw969+fnENWcBig2W1qFb9KH8y4tzWufhP
axeFUOkP2EokJCb9Zifj9a+AYfBVHY2FrjVD3pKe+lJuJmFqtj13yvqaZ7g8LbS0
x+rmleEj9sXgNBujFLMHdjE1YpmYCATs7pxOcNrhWKB1YPVanFCoyvwodMpEMTHY
6H3MflbV/+5IJCmYSBGDz1CxWLGFbPJWrWeaXhOPbAGPGJsJv1QwSr/i9PI/MlVe
kK48cBg6jfhQ67W0/xpYbcb3E4NdWZ9cfp7YOip/tBW0wP3EV5Udyyl7p8giQh0E
9wIDAQAB
-----END PUBLIC KEY-----
-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzyVyvmp7/pv9dOnA+Kdrx6hNWGbg
RZcX1htPskwS2owOoovcSVV0RUVDHVsttIeCyUg2cqQ58hCPg6y5cYpumg==
-----END PUBLIC KEY-----
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto keys = auth::TokenKeys::Parse({kKeys}).value();
  value::Arena arena;
  const auto token = auth::ParseWebToken({reinterpret_cast<const char*>(data), size}, arena);
  if (token && keys->Check(*token)) std::abort();
  return 0;
}
