// CertificateSubjectRestriction: nobody asks for a client certificate of the group that may do everything. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/error.h"
#include "value/value.h"

namespace admission {

// 403 for a new signing request to the signer of the server's clients whose subject is in system:masters.
api::Result<> CheckCertificateSubject(const value::Value& request);

// The common name in the subject of a certificate request (base64 of PEM), "" where it has none; nullopt for what is no
// request.
std::optional<std::string> CommonNameOf(std::string_view request);

}  // namespace admission
