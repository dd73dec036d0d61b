// CertificateSubjectRestriction: nobody asks for a client certificate of the group that may do everything. Pure; any
// thread.
#pragma once

#include "api/error.h"
#include "value/value.h"

namespace admission {

// 403 for a new signing request to the signer of the server's clients whose subject is in system:masters.
api::Result<> CheckCertificateSubject(const value::Value& request);

}  // namespace admission
