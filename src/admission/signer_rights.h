// CertificateApproval, CertificateSigning and ClusterTrustBundleAttest: who approves, signs or vouches for certificates
// needs the right to do that for the signer, or for all of the signer's domain. Any thread.
#pragma once

#include <functional>
#include <string_view>

#include "api/request.h"
#include "registry/registry.h"

namespace admission {

// Whether a user may do `verb` (approve, sign, attest) to the signer of that name.
using SignerRight = std::function<bool(const api::User& user, std::string_view verb, std::string_view signer)>;

class SignerRights {
 public:
  struct Options {
    bool approval = true, signing = true, attest = true;
  };
  SignerRights(Options options, SignerRight right) : options_(options), right_(std::move(right)) {}

  // 403. `object` and `old` as they would be stored, and are; null where there is none.
  api::Result<> Validate(const registry::Call& call, const registry::Resource& resource, std::string_view operation,
                         const value::Value* object, const value::Value* old, value::Arena& arena) const;

 private:
  // Says `deed` ("approve requests with").
  api::Result<> Check(const registry::Call& call, const registry::Resource& resource, const value::Value& object,
                      std::string_view verb, std::string_view deed, std::string_view signer) const;

  const Options options_;
  const SignerRight right_;
};

}  // namespace admission
