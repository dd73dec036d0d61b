#include "auth/json_web_token.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "value/base64_url.h"
#include "value/json_reader.h"

namespace auth {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

using Digest = std::unique_ptr<EVP_MD_CTX, decltype([](EVP_MD_CTX* digest) { EVP_MD_CTX_free(digest); })>;
using CurveSignature = std::unique_ptr<ECDSA_SIG, decltype([](ECDSA_SIG* signature) { ECDSA_SIG_free(signature); })>;

constexpr std::string_view kBadSignature = "square/go-jose: error in cryptographic primitive";

struct Algorithm {
  std::string_view name;
  const EVP_MD* (*digest)();
  bool is_curve = false, pads_by_chance = false;  // PSS
  int number_bytes = 0;                           // of each of a curve signature's two numbers
};
const Algorithm kAlgorithms[] = {
    {"RS256", EVP_sha256},
    {"RS384", EVP_sha384},
    {"RS512", EVP_sha512},
    {.name = "PS256", .digest = EVP_sha256, .pads_by_chance = true},
    {.name = "PS384", .digest = EVP_sha384, .pads_by_chance = true},
    {.name = "PS512", .digest = EVP_sha512, .pads_by_chance = true},
    {.name = "ES256", .digest = EVP_sha256, .is_curve = true, .number_bytes = 32},
    {.name = "ES384", .digest = EVP_sha384, .is_curve = true, .number_bytes = 48},
    {.name = "ES512", .digest = EVP_sha512, .is_curve = true, .number_bytes = 66},
};

const Algorithm* FindAlgorithm(std::string_view name) {
  const auto* found = std::ranges::find(kAlgorithms, name, &Algorithm::name);
  return found == std::end(kAlgorithms) ? nullptr : found;
}

bool IsCurve(const EVP_PKEY& key) { return EVP_PKEY_is_a(&key, "EC") == 1; }

// What the key signs with; "" for a key of a kind that signs no tokens.
std::string_view OwnAlgorithm(const EVP_PKEY& key) {
  if (EVP_PKEY_is_a(&key, "RSA") == 1) return "RS256";
  char group[32] = "";
  if (EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof(group), nullptr) != 1) return "";
  const std::string_view curve = group;
  if (curve == "prime256v1") return "ES256";
  return curve == "secp384r1" ? "ES384" : curve == "secp521r1" ? "ES512" : "";
}

bool IsPrivate(const EVP_PKEY& key) {
  BIGNUM* secret = nullptr;
  const bool has =
      EVP_PKEY_get_bn_param(&key, IsCurve(key) ? OSSL_PKEY_PARAM_PRIV_KEY : OSSL_PKEY_PARAM_RSA_D, &secret) == 1;
  BN_clear_free(secret);
  ERR_clear_error();
  return has;
}

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

// A curve's signature is two numbers of fixed size in a token, and a structure of them to OpenSSL.
std::string FixedSize(std::string_view der, int number_bytes) {
  const unsigned char* at = Bytes(der);
  const CurveSignature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!signature) return "";
  std::string out(static_cast<size_t>(number_bytes) * 2, '\0');
  unsigned char* to = reinterpret_cast<unsigned char*>(out.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), to, number_bytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), to + number_bytes, number_bytes);
  return out;
}

std::string Structure(std::string_view fixed, int number_bytes) {
  if (fixed.size() != static_cast<size_t>(number_bytes) * 2) return "";
  const CurveSignature signature(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(Bytes(fixed), number_bytes, nullptr);
  BIGNUM* s = BN_bin2bn(Bytes(fixed) + number_bytes, number_bytes, nullptr);
  if (ECDSA_SIG_set0(signature.get(), r, s) != 1) return "";
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  if (size <= 0) return "";
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

bool IsSignedBy(EVP_PKEY& key, const Algorithm& algorithm, const WebToken& token) {
  if (algorithm.is_curve != IsCurve(key)) return false;
  const std::string signature =
      algorithm.is_curve ? Structure(token.signature, algorithm.number_bytes) : token.signature;
  const Digest digest(EVP_MD_CTX_new());
  EVP_PKEY_CTX* how = nullptr;
  bool holds = EVP_DigestVerifyInit(digest.get(), &how, algorithm.digest(), nullptr, &key) == 1;
  if (holds && algorithm.pads_by_chance) {
    holds = EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING) == 1 &&
            EVP_PKEY_CTX_set_rsa_pss_saltlen(how, RSA_PSS_SALTLEN_AUTO) == 1;
  }
  holds = holds && EVP_DigestVerify(digest.get(), Bytes(signature), signature.size(), Bytes(token.signed_part),
                                    token.signed_part.size()) == 1;
  ERR_clear_error();
  return holds;
}

// An encoded JSON object; null Value where it is none.
Value DecodePart(std::string_view part, Arena& arena) {
  const std::optional<std::string> json = value::DecodeBase64Url(part);
  if (!json) return {};
  const base::Result<Value> read = value::ReadJson(arena.CopyString(*json), arena);
  return read && read->is_object() ? *read : Value();
}

}  // namespace

base::Result<std::shared_ptr<const TokenSigner>> TokenSigner::Parse(const std::string& pem) {
  std::vector<SigningKey> keys = ReadKeys(pem);
  const std::string_view algorithm = keys.empty() ? std::string_view() : OwnAlgorithm(*keys.front());
  if (algorithm.empty() || !IsPrivate(*keys.front())) {
    return base::Fail(base::Code::kInvalid, "data does not contain a valid RSA or ECDSA private key");
  }
  auto signer = std::make_shared<TokenSigner>();
  signer->algorithm_ = algorithm;
  signer->header_ =
      value::EncodeBase64Url(Cat(R"({"alg":")", algorithm, R"(","kid":")", KeyId(*keys.front()), R"("})"));
  signer->key_ = std::move(keys.front());
  return signer;
}

std::string TokenSigner::Sign(std::string_view claims) const {
  std::string token = Cat(header_, ".", value::EncodeBase64Url(claims));
  const Algorithm& algorithm = *FindAlgorithm(algorithm_);
  const Digest digest(EVP_MD_CTX_new());
  size_t size = 0;
  EVP_DigestSignInit(digest.get(), nullptr, algorithm.digest(), nullptr, key_.get());
  EVP_DigestSign(digest.get(), nullptr, &size, Bytes(token), token.size());
  std::string signature(size, '\0');
  EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(token), token.size());
  signature.resize(size);
  if (algorithm.is_curve) signature = FixedSize(signature, algorithm.number_bytes);
  return Cat(token, ".", value::EncodeBase64Url(signature));
}

std::optional<WebToken> ParseWebToken(std::string_view text, Arena& arena) {
  if (std::ranges::count(text, '.') != 2) return std::nullopt;
  const size_t first = text.find('.'), last = text.rfind('.');
  std::optional<std::string> signature = value::DecodeBase64Url(text.substr(last + 1));
  WebToken token{.signed_part = text.substr(0, last),
                 .header = DecodePart(text.substr(0, first), arena),
                 .claims = DecodePart(text.substr(first + 1, last - first - 1), arena),
                 .signature = std::move(signature).value_or("")};
  if (!signature || !token.header.is_object() || !token.claims.is_object()) return std::nullopt;
  return token;
}

base::Result<std::shared_ptr<const TokenKeys>> TokenKeys::Parse(const std::vector<std::string>& pem_files) {
  auto keys = std::make_shared<TokenKeys>();
  for (const std::string& pem : pem_files) {
    std::vector<SigningKey> found = ReadKeys(pem);
    if (found.empty()) {
      return base::Fail(base::Code::kInvalid, "data does not contain any valid RSA or ECDSA public keys");
    }
    for (SigningKey& key : found) {
      std::string id = KeyId(*key);
      if (std::ranges::find(keys->keys_, id, &Named::id) == keys->keys_.end()) {
        keys->keys_.push_back({std::move(id), std::move(key)});
      }
    }
  }
  return keys;
}

std::expected<void, std::string> TokenKeys::Check(const WebToken& token) const {
  const std::string_view id = token.header.GetString("kid");
  const Algorithm* algorithm = FindAlgorithm(token.header.GetString("alg"));
  // Nothing is known that a token could call critical.
  const bool readable = algorithm != nullptr && token.header.Find("crit") == nullptr;
  bool any = false;
  for (const Named& named : keys_) {
    if (!id.empty() && named.id != id) continue;
    any = true;
    if (readable && IsSignedBy(*named.key, *algorithm, token)) return {};
  }
  return std::unexpected(std::string(any ? kBadSignature : "invalid signature, no keys found"));
}

}  // namespace auth
