#include "handlers/endpoints/openid.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "auth/signing_keys.h"
#include "base/text.h"
#include "handlers/endpoints/fixed_document.h"
#include "value/base64_url.h"
#include "value/json_writer.h"

namespace handlers {
namespace {

using Number = std::unique_ptr<BIGNUM, decltype([](BIGNUM* number) { BN_free(number); })>;

std::string NumberText(const EVP_PKEY& key, const char* name, int size = 0) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(&key, name, &raw) != 1) return "";
  const Number number(raw);
  std::string bytes(static_cast<size_t>(std::max(BN_num_bytes(raw), size)), '\0');
  BN_bn2binpad(raw, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  return value::EncodeBase64Url(bytes);
}

struct Curve {
  std::string_view openssl_name, name, algorithm;
  int bytes;
};
constexpr Curve kCurves[] = {
    {"prime256v1", "P-256", "ES256", 32}, {"secp384r1", "P-384", "ES384", 48}, {"secp521r1", "P-521", "ES512", 66}};

using Members = std::vector<std::pair<std::string_view, std::string>>;

std::string ObjectJson(const Members& members) {
  std::string json = "{";
  for (const auto& [name, text] : members) {
    if (json.size() > 1) json += ',';
    value::AppendJsonString(json, name);
    json += ':';
    value::AppendJsonString(json, text);
  }
  return json + "}";
}

// "" for a key of a kind that signs no tokens.
std::string KeyJson(EVP_PKEY& key, std::string& algorithm) {
  if (EVP_PKEY_is_a(&key, "RSA") == 1) {
    algorithm = "RS256";
    return ObjectJson({{"use", "sig"},
                       {"kty", "RSA"},
                       {"kid", auth::KeyId(key)},
                       {"alg", algorithm},
                       {"n", NumberText(key, OSSL_PKEY_PARAM_RSA_N)},
                       {"e", NumberText(key, OSSL_PKEY_PARAM_RSA_E)}});
  }
  char group[32] = "";
  if (EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof(group), nullptr) != 1) return "";
  for (const Curve& curve : kCurves) {
    if (curve.openssl_name != group) continue;
    algorithm = curve.algorithm;
    return ObjectJson({{"use", "sig"},
                       {"kty", "EC"},
                       {"kid", auth::KeyId(key)},
                       {"crv", std::string(curve.name)},
                       {"alg", algorithm},
                       {"x", NumberText(key, OSSL_PKEY_PARAM_EC_PUB_X, curve.bytes)},
                       {"y", NumberText(key, OSSL_PKEY_PARAM_EC_PUB_Y, curve.bytes)}});
  }
  return "";
}

struct KeySet {
  std::string json;
  std::vector<std::string> algorithms;  // sorted, each once
};

KeySet MakeKeySet(const std::vector<std::string>& key_files_pem) {
  std::vector<std::string> keys;
  KeySet set;
  for (const std::string& pem : key_files_pem) {
    for (const auth::SigningKey& key : auth::ReadKeys(pem)) {
      std::string algorithm;
      std::string json = KeyJson(*key, algorithm);
      if (json.empty() || std::find(keys.begin(), keys.end(), json) != keys.end()) continue;
      keys.push_back(std::move(json));
      set.algorithms.push_back(std::move(algorithm));
    }
  }
  std::sort(set.algorithms.begin(), set.algorithms.end());
  set.algorithms.erase(std::unique(set.algorithms.begin(), set.algorithms.end()), set.algorithms.end());
  set.json = base::Cat("{\"keys\":[", base::Join(keys, ","), "]}");
  return set;
}

std::string ConfigurationJson(const OpenIdFacts& facts, const std::vector<std::string>& algorithms) {
  std::string json = "{\"issuer\":";
  value::AppendJsonString(json, facts.issuer);
  json += ",\"jwks_uri\":";
  value::AppendJsonString(json, facts.jwks_uri);
  base::Append(json, ",\"response_types_supported\":[\"id_token\"],\"subject_types_supported\":[\"public\"]",
               ",\"id_token_signing_alg_values_supported\":[");
  for (const std::string& algorithm : algorithms) {
    if (&algorithm != algorithms.data()) json += ',';
    value::AppendJsonString(json, algorithm);
  }
  return json + "]}";
}

// Both documents, made when one of them is first asked for: reading keys takes its time. Any thread.
class Documents {
 public:
  explicit Documents(OpenIdFacts facts) : facts_(std::move(facts)) {}

  const std::string& Configuration() { return Made().configuration_; }
  const std::string& Keys() { return Made().keys_; }

 private:
  Documents& Made() {
    std::call_once(once_, [this] {
      KeySet set = MakeKeySet(facts_.key_files_pem);
      configuration_ = ConfigurationJson(facts_, set.algorithms);
      keys_ = std::move(set.json);
    });
    return *this;
  }

  const OpenIdFacts facts_;
  std::once_flag once_;
  std::string configuration_, keys_;
};

}  // namespace

void InstallOpenId(OpenIdFacts facts, Endpoints& endpoints) {
  const auto documents = std::make_shared<Documents>(std::move(facts));
  const auto install = [&endpoints](std::string path, std::string media_type, std::function<std::string()> make) {
    endpoints.Prefix(
        path, std::make_shared<FixedDocument>(FixedDocument::Facts{path, std::move(media_type), "public, max-age=3600"},
                                              std::move(make)));
  };
  install("/.well-known/openid-configuration", "application/json", [documents] { return documents->Configuration(); });
  install("/openid/v1/jwks", "application/jwk-set+json", [documents] { return documents->Keys(); });
}

}  // namespace handlers
