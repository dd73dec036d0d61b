#include "admission/certificate_subject.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "admission/refusal.h"
#include "base/text.h"
#include "schema/text_forms.h"

namespace admission {
namespace {

using Request = std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)>;

constexpr std::string_view kSigner = "kubernetes.io/kube-apiserver-client";
constexpr std::string_view kMasters = "system:masters";

// Calls `visit` for each value of an attribute of the subject, until it returns true. False: it never did, or `pem` is
// no request.
bool AnyOfSubject(std::string_view pem, int attribute, absl::FunctionRef<bool(std::string_view)> visit, bool* parsed) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                         BIO_free);
  const Request request(PEM_read_bio_X509_REQ(source.get(), nullptr, nullptr, nullptr), X509_REQ_free);
  ERR_clear_error();
  if (parsed != nullptr) *parsed = request != nullptr;
  if (!request) return false;
  const X509_NAME* subject = X509_REQ_get_subject_name(request.get());
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, attribute, at)) >= 0;) {
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0) continue;
    const bool done = visit({reinterpret_cast<const char*>(text), static_cast<size_t>(size)});
    OPENSSL_free(text);
    if (done) return true;
  }
  return false;
}

}  // namespace

api::Result<> CheckCertificateSubject(const value::Value& request) {
  const value::Value spec = request.Get("spec");
  std::string pem;
  if (spec.GetString("signerName") != kSigner || !schema::DecodeBase64(spec.GetString("request"), pem)) return {};
  const auto is_masters = [](std::string_view organization) { return organization == kMasters; };
  // What is no request was refused before.
  if (!AnyOfSubject(pem, NID_organizationName, is_masters, nullptr)) return {};
  return Refuse({"certificates.k8s.io", "certificatesigningrequests"}, request,
                base::Cat("use of ", kSigner, " signer with ", kMasters, " group is not allowed"));
}

std::optional<std::string> CommonNameOf(std::string_view request) {
  std::string pem, name;
  bool parsed = false;
  if (!schema::DecodeBase64(request, pem)) return std::nullopt;
  AnyOfSubject(
      pem, NID_commonName,
      [&name](std::string_view text) {
        name = text;  // the last one is the name
        return false;
      },
      &parsed);
  return parsed ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace admission
