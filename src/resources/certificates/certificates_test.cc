// Certificate signing requests and trust bundles: each rule with an object that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include "resources/certificates/x509_checks.h"
#include "resources/error_fields.h"
#include "resources/kind_fixture.h"
#include "resources/rules/pem.h"

namespace resources::certificates {
namespace {

constexpr std::string_view kRequest =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIGLMD8CAQAwDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAMZMb75EO7zdmp6eV1KY\n"
    "VQ2qbssVBs6oH4G6aoAetF2DoAAwBQYDK2VwA0EAA1V/hT0y2a3qjA2S70Qyoyrl\n"
    "hXddGfEznA1S3vPwDmK8LyxQjpSduLncifck36jvL6t9dNBFkJKFsfJ+7l2mCA==\n"
    "-----END CERTIFICATE REQUEST-----\n";
constexpr std::string_view kAuthority =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBLjCB4aADAgECAhRV3u0hlT8CIvu9wvWs3MY/Wtm1UTAFBgMrZXAwDDEKMAgG\n"
    "A1UEAwwBYTAgFw0yNjExMjEyMTIxMDhaGA8yMTI2MTAyODIxMjEwOFowDDEKMAgG\n"
    "A1UEAwwBYTAqMAUGAytlcAMhAMZMb75EO7zdmp6eV1KYVQ2qbssVBs6oH4G6aoAe\n"
    "tF2Do1MwUTAdBgNVHQ4EFgQUm4eI8MyEm06RO7u90zq9fBC4y2YwHwYDVR0jBBgw\n"
    "FoAUm4eI8MyEm06RO7u90zq9fBC4y2YwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD\n"
    "QQCkOtu2fLlyfghzC6QIY1O75HV7J8ORheprtSWybCOrg0ab9MZ/+QVR0xgbA7yU\n"
    "6RT7i951RWDvUiWxBePuLQMG\n"
    "-----END CERTIFICATE-----\n";

std::string Base64(std::string_view bytes) {
  std::string out;
  value::AppendBase64(out, bytes);
  return out;
}

std::string Spec(std::string_view more, std::string_view pem = kRequest) {
  return base::Cat(R"("spec":{"request":")", Base64(pem), "\"", more.empty() ? "" : ",", more, "}");
}

TEST(Pem, BlocksAreFoundAsGoFindsThem) {
  const auto types = [](std::string_view text) {
    std::string out;
    PemReader reader(text);
    for (auto block = reader.Next(); block; block = reader.Next()) {
      base::Append(out, block->type, block->has_headers ? "+" : "", "=", block->bytes, ";");
    }
    return out;
  };
  const struct {
    const char *text, *found;
  } cases[] = {
      {"-----BEGIN A-----\nYWI=\n-----END A-----\n", "A=ab;"},
      {"x\n-----BEGIN A-----\r\nYW\r\nI=\r\n-----END A-----", "A=ab;"},
      {"-----BEGIN A-----\nK: v\n\nYWI=\n-----END A-----\n-----BEGIN B-----\n-----END B-----\n", "A+=ab;B=;"},
      {"-----BEGIN A-----\nYWI=\n-----END B-----\n", ""},
      {"-----BEGIN A-----\n*\n-----END A-----\n-----BEGIN B-----\nYg==\n-----END B-----\n", "B=b;"},
      {"-----BEGIN A-----\nYWI=\n", ""},
      {"x-----BEGIN A-----\nYWI=\n-----END A-----\n", ""},
      {"", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(types(c.text), c.found) << c.text;
}

TEST(X509, SaysWhatIsWrong) {
  EXPECT_EQ(RequestComplaint(kRequest), "");
  EXPECT_EQ(RequestComplaint(kAuthority), "PEM block type must be CERTIFICATE REQUEST");
  EXPECT_EQ(
      RequestComplaint("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"),
      "asn1: structure error: tags don't match (16 vs {class:0 tag:0 length:0 isCompound:false}) {optional:false "
      "explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false "
      "omitEmpty:false} certificateRequest @2");
  EXPECT_EQ(CertificatesComplaint(kAuthority), "");
  EXPECT_EQ(CertificatesComplaint("x"), "must contain at least one CERTIFICATE PEM block");
  EXPECT_EQ(CertificatesComplaint(kRequest), "only CERTIFICATE PEM blocks are allowed, found \"CERTIFICATE REQUEST\"");
  EXPECT_EQ(AuthoritiesComplaint(kAuthority), "");
  EXPECT_EQ(AuthoritiesComplaint("x"), "unable to load root certificates: unable to parse bytes as PEM block");
}

TEST(SigningRequests, New) {
  KindFixture requests("certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", false);
  const struct {
    const char *name, *more, *errors;
  } cases[] = {
      {"whole", R"("signerName":"e.com/s","usages":["client auth"],"expirationSeconds":600)", ""},
      {"nothing", "", "spec.usages: Required value\nspec.signerName: Required value"},
      {"usages", R"("signerName":"e.com/s","usages":["any","any"])", "spec.usages[1]: Duplicate value: \"any\""},
      {"legacy signer", R"("signerName":"kubernetes.io/legacy-unknown","usages":["any"],"expirationSeconds":599)",
       "spec.signerName: Invalid value: \"kubernetes.io/legacy-unknown\": the legacy signerName is not allowed via "
       "this "
       "API version\nspec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 "
       "minutes)"},
      {"signer", R"("signerName":"e/s","usages":["any"])",
       "spec.signerName: Invalid value: \"e\": should be a domain with at least two segments separated by dots"},
  };
  for (const auto& c : cases) EXPECT_EQ(requests.Create(Spec(c.more)), c.errors) << c.name;
  EXPECT_EQ(requests.Create(R"("spec":{"request":"","signerName":"e.com/s","usages":["any"]})"),
            "spec.request: Invalid value: []byte{}: PEM block type must be CERTIFICATE REQUEST");
  EXPECT_EQ(requests.Create(R"("spec":{"signerName":"e.com/s","usages":["any"]})"),
            "spec.request: Invalid value: []byte(nil): PEM block type must be CERTIFICATE REQUEST");
  EXPECT_EQ(requests.Create(Spec(R"("signerName":"e.com/s","usages":["any"])", "A\n")),
            "spec.request: Invalid value: []byte{0x41, 0xa}: PEM block type must be CERTIFICATE REQUEST");
}

TEST(SigningRequests, VerdictsAreGivenThroughApproval) {
  KindFixture requests("certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", false);
  const std::string spec = Spec(R"("signerName":"e.com/s","usages":["any"])");
  const std::string approved = base::Cat(spec, R"(,"status":{"conditions":[{"type":"Approved","status":"True"}]})");
  EXPECT_EQ(requests.Update(spec, approved, "approval"), "");
  EXPECT_TRUE(requests.object().contains(R"("lastTransitionTime":"2027-01-15T08:00:00Z")")) << requests.object();
  EXPECT_EQ(requests.Update(spec, approved, "status"),
            "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"");
  EXPECT_EQ(requests.Update(approved, spec, "approval"),
            "status.conditions: Forbidden: updates may not remove a condition of type \"Approved\"");
  const auto issued = [&](std::string_view pem) {
    return base::Cat(spec, R"(,"status":{"certificate":")", Base64(pem), "\"}");
  };
  EXPECT_EQ(requests.Update(spec, issued(kAuthority), "status"), "");
  EXPECT_EQ(requests.Update(issued(kAuthority), spec, "status"),
            "status.certificate: Forbidden: updates may not modify existing certificate content");
  EXPECT_EQ(
      requests.Update(spec, issued("x"), "status"),
      "status.certificate: Invalid value: \"<certificate data>\": must contain at least one CERTIFICATE PEM block");
}

TEST(TrustBundles, HoldAuthorities) {
  const auto errors_of = [](std::string_view pem) {
    Errors errors;
    CheckTrustBundle(errors, FieldPath("b"), pem);
    std::string text;
    for (const api::FieldError& error : std::move(errors).Take()) base::Append(text, error.detail, ";");
    return text;
  };
  EXPECT_EQ(errors_of(kAuthority), "");
  EXPECT_EQ(errors_of(""), "at least one trust anchor must be provided;");
  EXPECT_EQ(errors_of(base::Cat(kAuthority, kAuthority)), "duplicate trust anchor (indices [0 1]);");
  EXPECT_EQ(errors_of(kRequest), "entry 0 has bad block type: CERTIFICATE REQUEST;");
}

// A change's metadata is looked at as a whole before the rest, and as a change after it.
TEST(SigningRequests, MetadataStandsAroundTheRest) {
  KindFixture requests("certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", false);
  const std::string spec = Spec(R"("signerName":"e.com/s","usages":["any"])");
  const std::string verdict = base::Cat(spec, R"(,"status":{"conditions":[{"type":"Approved","status":"False"}]})");
  EXPECT_EQ(FieldsOf(requests.Update(spec, verdict, "approval", "", R"("labels":{"a b":""},"finalizers":["x"])")),
            "metadata.labels metadata.labels metadata.labels metadata.finalizers[0] status.conditions[0].status "
            "metadata.labels metadata.finalizers[0]");
}

TEST(TrustBundles, AreNamedAfterTheirSigner) {
  KindFixture bundles("certificates.k8s.io", "v1alpha1", "clustertrustbundles", "ClusterTrustBundle", false);
  EXPECT_EQ(FieldsOf(bundles.Create(R"("spec":{"signerName":"e.com/s"})", R"("labels":{"a b":""})")),
            "metadata.name metadata.labels spec.trustBundle");
  EXPECT_EQ(bundles.Create(R"("spec":{"signerName":"e.com/s"})", R"("name":"a/b")"),
            "metadata.name: Invalid value: \"a/b\": ClusterTrustBundle for signerName e.com/s must be named with "
            "prefix e.com:s:\nspec.trustBundle: Invalid value: \"<value omitted>\": at least one trust anchor must be "
            "provided");
  EXPECT_EQ(FieldsOf(bundles.Update(R"("spec":{"signerName":"e.com/s","trustBundle":"x"})", "", "", "",
                                    R"("finalizers":["x"])")),
            "metadata.finalizers[0] spec.trustBundle metadata.finalizers[0] spec.signerName");
}

}  // namespace
}  // namespace resources::certificates
