// Whether a certificate and a private key, as PEM texts, belong together: what the API says of a secret of type
// kubernetes.io/tls. Pure; any thread. Cost: parses both.
#pragma once

#include <string>
#include <string_view>

namespace resources::core {

// What is wrong with the pair, in the words of Go's crypto/tls; "" of a pair that can be used.
std::string WhyNoKeyPair(std::string_view certificate_pem, std::string_view key_pem);

}  // namespace resources::core
