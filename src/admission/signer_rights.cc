#include "admission/signer_rights.h"

#include <string>

#include "admission/refusal.h"
#include "api/quote.h"
#include "base/text.h"
#include "registry/semantic_equality.h"

namespace admission {
namespace {

using value::Value;

constexpr std::string_view kGroup = "certificates.k8s.io";

// `deed` as the refusal says it ("approve requests with").
api::Result<> Check(const SignerRight& right, const AdmissionRequest& request, std::string_view verb,
                    std::string_view deed, std::string_view signer) {
  const std::string domain = base::Cat(signer.substr(0, signer.find('/')), "/*");
  const api::User& user = request.call.request.user;
  if (right(user, verb, signer) || right(user, verb, domain)) return {};
  return Refuse(request.resource.group_resource(), request.object,
                base::Cat("user not permitted to ", deed, " signerName ", api::Quote(signer)));
}

bool UpdatesRequest(const AdmissionRequest& request, std::string_view subresource) {
  return request.IsFor(kGroup, "certificatesigningrequests") && request.operation == Operation::kUpdate &&
         request.old != nullptr && request.subresource == subresource;
}

// The old one's: a writer may send another.
std::string_view SignerOf(const AdmissionRequest& request) { return request.old->Get("spec").GetString("signerName"); }

}  // namespace

api::Result<> CheckApproval(const SignerRight& right, const AdmissionRequest& request) {
  if (!UpdatesRequest(request, "approval")) return {};
  return Check(right, request, "approve", "approve requests with", SignerOf(request));
}

api::Result<> CheckSigning(const SignerRight& right, const AdmissionRequest& request) {
  if (!UpdatesRequest(request, "status")) return {};
  const schema::Type& type = *request.resource.type;
  const bool signs_nothing = registry::SameAt(type, "status.certificate", request.object, *request.old) &&
                             registry::SameAt(type, "status.conditions", request.object, *request.old);
  if (signs_nothing) return {};
  return Check(right, request, "sign", "sign requests with", SignerOf(request));
}

api::Result<> CheckAttest(const SignerRight& right, const AdmissionRequest& request) {
  if (!request.IsFor(kGroup, "clustertrustbundles") || request.operation == Operation::kDelete) return {};
  const std::string_view signer = request.object.Get("spec").GetString("signerName");
  const bool same = request.old != nullptr &&
                    registry::SameButForCollector(*request.resource.type, request.object, *request.old, request.arena);
  if (signer.empty() || same) return {};
  return Check(right, request, "attest", "attest for", signer);
}

}  // namespace admission
