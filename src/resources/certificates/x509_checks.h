// What requests and certificates in PEM must be, with the real server's words for what they are not. Called by this
// group's rules. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "resources/rules/errors.h"

namespace resources::certificates {

// Why `pem` is no certificate request that its own key has signed; "" where it is one.
std::string RequestComplaint(std::string_view pem);

// Why `pem` is not one or more certificates; "" where it is, and for nothing at all.
std::string CertificatesComplaint(std::string_view pem);

// Why `pem` cannot be trusted as authorities' certificates; "" where it can, and for nothing at all.
std::string AuthoritiesComplaint(std::string_view pem);

// `pem` is a set of authorities' certificates, each once.
void CheckTrustBundle(Errors& errors, const FieldPath& path, std::string_view pem);

}  // namespace resources::certificates
