// CertificateApproval, CertificateSigning and ClusterTrustBundleAttest: who approves, signs or vouches for certificates
// needs the right to do that for the signer, or for all of the signer's domain. Any thread.
#pragma once

#include "admission/plugins.h"

namespace admission {

// 403 where who writes an approval, a signature or a trust bundle lacks the right; other requests pass.
api::Result<> CheckApproval(const SignerRight& right, const AdmissionRequest& request);
api::Result<> CheckSigning(const SignerRight& right, const AdmissionRequest& request);
api::Result<> CheckAttest(const SignerRight& right, const AdmissionRequest& request);

}  // namespace admission
