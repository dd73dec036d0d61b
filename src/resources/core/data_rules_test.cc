// Config maps and secrets: each rule with an object that breaks it, and one that keeps all.
#include "resources/core/data_rules.h"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "resources/core/key_pair.h"
#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

struct NewCase {
  const char *name, *members, *errors;
};
struct ChangeCase {
  const char *name, *old, *members, *errors;
};

constexpr std::string_view kKey =
    R"(a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+'))";
constexpr std::string_view kKept = "Forbidden: field is immutable when `immutable` is set";

TEST(ConfigMaps, New) {
  KindFixture maps("", "v1", "configmaps", "ConfigMap", true);
  EXPECT_EQ(maps.Create(R"("data":{"a":"b"},"binaryData":{"c":"ZA=="})"), "");
  EXPECT_EQ(maps.Create(R"("data":{"a":"b","b c":""},"binaryData":{"a":"ZA==","/":""})"),
            base::Cat("data[a]: Invalid value: \"a\": duplicate of key present in binaryData\n",
                      "data[b c]: Invalid value: \"b c\": ", kKey, "\nbinaryData[/]: Invalid value: \"/\": ", kKey));
  const auto sized = [](size_t bytes) {
    return base::Cat(R"("binaryData":{"b":"YWI="},"data":{"a":")", std::string(bytes, 'x'), "\"}");
  };
  EXPECT_EQ(maps.Create(sized(1048574)), "");
  EXPECT_EQ(maps.Create(sized(1048575)), "[]: Too long: may not be more than 1048576 bytes");
}

TEST(ConfigMaps, Changes) {
  KindFixture maps("", "v1", "configmaps", "ConfigMap", true);
  const std::string all = base::Cat("immutable: ", kKept, "\ndata: ", kKept, "\nbinaryData: ", kKept);
  const std::string only_binary = base::Cat("binaryData: ", kKept);
  const ChangeCase kCases[] = {
      {"what may change", R"("data":{"a":"b"})", R"("immutable":true,"data":{"a":"c"})", ""},
      {"the same", R"("immutable":true,"data":{"a":"b"})", R"("immutable":true,"data":{"a":"b"})", ""},
      {"everything", R"("immutable":true,"data":{"a":"b"})", R"("binaryData":{"a":"ZA=="})", all.c_str()},
      {"an empty map where none was", R"("immutable":true)", R"("immutable":true,"data":{},"binaryData":{})",
       only_binary.c_str()},
  };
  for (const ChangeCase& c : kCases) EXPECT_EQ(maps.Update(c.old, c.members), c.errors) << c.name;
}

TEST(Secrets, New) {
  KindFixture secrets("", "v1", "secrets", "Secret", true);
  const std::string bad_key = base::Cat("data[a b]: Invalid value: \"a b\": ", kKey);
  const NewCase kCases[] = {
      {"nothing", "", ""},
      {"key", R"("stringData":{"a b":"c"})", bad_key.c_str()},
      {"token", R"("type":"kubernetes.io/service-account-token")",
       "metadata.annotations[kubernetes.io/service-account.name]: Required value"},
      {"docker", R"("type":"kubernetes.io/dockercfg")", "data[.dockercfg]: Required value"},
      {"docker list", R"("type":"kubernetes.io/dockercfg","stringData":{".dockercfg":"[]"})",
       "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": json: cannot unmarshal array into Go value of "
       "type map[string]interface {}"},
      {"docker json", R"("type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"x"})",
       "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": invalid character 'x' looking for "
       "beginning of value"},
      {"docker number", R"("type":"kubernetes.io/dockercfg","stringData":{".dockercfg":"{\"a\":[1e999]}"})",
       "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": json: cannot unmarshal number 1e999 into Go "
       "value of type float64"},
      {"docker json null", R"("type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"null"})", ""},
      {"basic", R"("type":"kubernetes.io/basic-auth")",
       "data[username]: Required value\ndata[password]: Required value"},
      {"basic with one", R"("type":"kubernetes.io/basic-auth","data":{"password":""})", ""},
      {"ssh", R"("type":"kubernetes.io/ssh-auth","data":{"ssh-privatekey":""})",
       "data[ssh-privatekey]: Required value"},
      {"tls", R"("type":"kubernetes.io/tls","data":{"tls.crt":""})", "data[tls.key]: Required value"},
  };
  for (const NewCase& c : kCases) EXPECT_EQ(secrets.Create(c.members), c.errors) << c.name;
}

TEST(Secrets, TextBecomesData) {
  KindFixture secrets("", "v1", "secrets", "Secret", true);
  secrets.Create(R"("data":{"b":"YQ==","a":"eA=="},"stringData":{"b":"B","c":"C"})");
  EXPECT_EQ(secrets.object(), R"({"data":{"a":"eA==","b":"Qg==","c":"Qw=="},"type":"Opaque"})");
}

TEST(Secrets, Changes) {
  KindFixture secrets("", "v1", "secrets", "Secret", true);
  const std::string kept = base::Cat("immutable: ", kKept, "\ndata: ", kKept);
  const ChangeCase kCases[] = {
      {"type", R"("type":"a")", R"("type":"b")", "type: Invalid value: \"b\": field is immutable"},
      {"what is not to change", R"("immutable":true,"data":{"a":"YQ=="})", R"("data":{"a":"Yg=="})", kept.c_str()},
      {"its text", R"("immutable":true,"data":{"a":"YQ=="})", R"("immutable":true,"stringData":{"a":"a"})", ""},
  };
  for (const ChangeCase& c : kCases) EXPECT_EQ(secrets.Update(c.old, c.members), c.errors) << c.name;
}

TEST(Secrets, KeyPairsThatDoNotFitAreToldOf) {
  const auto pem = [](std::string_view type) {
    return base::Cat("-----BEGIN ", type, "-----\nKey: value\n\nYWJj\n-----END ", type, "-----\n");
  };
  struct {
    const char* name;
    std::string certificate, key, why;
  } cases[] = {
      {"nothing", "", "", "tls: failed to find any PEM data in certificate input"},
      {"switched", pem("RSA PRIVATE KEY"), "",
       "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have "
       "been switched"},
      {"others", pem("A") + pem("B"), "",
       "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following "
       "types: [A B]"},
      {"no key", pem("CERTIFICATE"), "x", "tls: failed to find any PEM data in key input"},
      {"a certificate as key", pem("CERTIFICATE"), pem("CERTIFICATE"),
       "tls: found a certificate rather than a key in the PEM for the private key"},
      {"another key", pem("CERTIFICATE"), pem("EC PARAMETERS"),
       "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of "
       "the following types: [EC PARAMETERS]"},
      {"no certificate in it", pem("CERTIFICATE"), pem("PRIVATE KEY"), "x509: malformed certificate"},
      {"cut off", pem("CERTIFICATE").substr(0, 40), pem("PRIVATE KEY"),
       "tls: failed to find any PEM data in certificate input"},
  };
  for (const auto& c : cases) EXPECT_EQ(WhyNoKeyPair(c.certificate, c.key), c.why) << c.name;
  EXPECT_EQ(ERR_peek_error(), 0U);  // the connections of the thread would take it for theirs
}

std::string Written(const std::unique_ptr<BIO, decltype(&BIO_free)>& bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<size_t>(size)};
}

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string KeyPem(const Key& key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return Written(bio);
}

std::string CertificatePem(const Key& key) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  X509_set_pubkey(certificate.get(), key.get());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 60);
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(bio.get(), certificate.get());
  return Written(bio);
}

TEST(Secrets, KeysFitTheirCertificates) {
  const Key one(EVP_EC_gen("P-256"), EVP_PKEY_free), other(EVP_EC_gen("P-256"), EVP_PKEY_free),
      rsa(EVP_RSA_gen(1024), EVP_PKEY_free);
  EXPECT_EQ(WhyNoKeyPair(CertificatePem(one), KeyPem(one)), "");
  EXPECT_EQ(WhyNoKeyPair(CertificatePem(rsa), KeyPem(rsa)), "");
  EXPECT_EQ(WhyNoKeyPair(CertificatePem(one), KeyPem(other)), "tls: private key does not match public key");
  EXPECT_EQ(WhyNoKeyPair(CertificatePem(one), KeyPem(rsa)), "tls: private key type does not match public key type");
}

}  // namespace
}  // namespace resources::core
