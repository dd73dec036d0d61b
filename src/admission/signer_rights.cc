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

// Whether the change is none that a signer makes.
bool SignsNothing(const registry::Resource& resource, const Value& object, const Value& old) {
  return registry::SameAt(*resource.type, "status.certificate", object, old) &&
         registry::SameAt(*resource.type, "status.conditions", object, old);
}

}  // namespace

api::Result<> SignerRights::Validate(const registry::Call& call, const registry::Resource& resource,
                                     std::string_view operation, const Value* object, const Value* old,
                                     value::Arena& arena) const {
  if (resource.group != kGroup || object == nullptr) return {};
  if (resource.plural == "clustertrustbundles") {
    const std::string_view signer = object->Get("spec").GetString("signerName");
    const bool same = old != nullptr && registry::SameButForCollector(*resource.type, *object, *old, arena);
    if (!options_.attest || signer.empty() || same) return {};
    return Check(call, resource, *object, "attest", "attest for", signer);
  }
  if (resource.plural != "certificatesigningrequests" || operation != "UPDATE" || old == nullptr) return {};
  // The old one's: a writer may send another.
  const std::string_view signer = old->Get("spec").GetString("signerName");
  const std::string_view subresource = call.request.info.subresource;
  if (options_.approval && subresource == "approval") {
    return Check(call, resource, *object, "approve", "approve requests with", signer);
  }
  if (options_.signing && subresource == "status" && !SignsNothing(resource, *object, *old)) {
    return Check(call, resource, *object, "sign", "sign requests with", signer);
  }
  return {};
}

api::Result<> SignerRights::Check(const registry::Call& call, const registry::Resource& resource, const Value& object,
                                  std::string_view verb, std::string_view deed, std::string_view signer) const {
  const std::string domain = base::Cat(signer.substr(0, signer.find('/')), "/*");
  if (right_(call.request.user, verb, signer) || right_(call.request.user, verb, domain)) return {};
  return Refuse(resource.group_resource(), object,
                base::Cat("user not permitted to ", deed, " signerName ", api::Quote(signer)));
}

}  // namespace admission
