#include "engine/encryption/value_cipher.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium.h>

#include <algorithm>
#include <memory>

namespace engine {
namespace {

using Kind = EncryptionProvider::Kind;

constexpr size_t kBlock = 16, kGcmNonce = 12, kGcmTag = 16;

uint8_t* Bytes(char* text) { return reinterpret_cast<uint8_t*>(text); }
const uint8_t* Bytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

std::unexpected<base::Error> Unreadable(std::string why) { return base::Fail(base::Code::kCorrupt, std::move(why)); }
std::unexpected<base::Error> Broken(std::string_view what) {
  return base::Fail(base::Code::kIo, "cannot encrypt what is to be stored: " + std::string(what));
}

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const EVP_CIPHER* CipherOf(Kind kind, size_t key_size) {
  const bool cbc = kind == Kind::kAesCbc;
  if (key_size == 16) return cbc ? EVP_aes_128_cbc() : EVP_aes_128_gcm();
  if (key_size == 24) return cbc ? EVP_aes_192_cbc() : EVP_aes_192_gcm();
  return cbc ? EVP_aes_256_cbc() : EVP_aes_256_gcm();
}

// Runs one AES cipher over `in` into `out`, which has room for a block more. The bytes written, or -1.
int RunAes(EVP_CIPHER_CTX* context, std::string_view in, uint8_t* out) {
  int size = 0, more = 0;
  if (in.size() > size_t{INT32_MAX} - kBlock) return -1;
  if (EVP_CipherUpdate(context, out, &size, Bytes(in), static_cast<int>(in.size())) != 1) return -1;
  if (EVP_CipherFinal_ex(context, out + size, &more) != 1) return -1;
  return size + more;
}

Context StartAes(Kind kind, std::string_view secret, std::string_view nonce, std::string_view place, bool encrypts) {
  Context context(EVP_CIPHER_CTX_new());
  int ignored = 0;
  if (!context || EVP_CipherInit_ex(context.get(), CipherOf(kind, secret.size()), nullptr, Bytes(secret), Bytes(nonce),
                                    encrypts ? 1 : 0) != 1) {
    return nullptr;
  }
  if (kind == Kind::kAesGcm &&
      EVP_CipherUpdate(context.get(), nullptr, &ignored, Bytes(place), static_cast<int>(place.size())) != 1) {
    return nullptr;
  }
  return context;
}

// Appends nonce and ciphertext to `out`.
base::Result<> SealAes(Kind kind, std::string_view secret, std::string_view place, std::string_view plain,
                       std::string& out) {
  const bool gcm = kind == Kind::kAesGcm;
  const size_t begin = out.size(), nonce_size = gcm ? kGcmNonce : kBlock;
  out.resize(begin + nonce_size + plain.size() + kBlock + kGcmTag);
  uint8_t* const at = Bytes(out.data()) + begin;
  if (RAND_bytes(at, static_cast<int>(nonce_size)) != 1) return Broken("no random bytes");
  const Context context =
      StartAes(kind, secret, std::string_view(out).substr(begin, nonce_size), place, /*encrypts=*/true);
  const int size = context ? RunAes(context.get(), plain, at + nonce_size) : -1;
  if (size < 0) return Broken("AES");
  size_t end = nonce_size + static_cast<size_t>(size);
  if (gcm) {
    if (EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kGcmTag, at + end) != 1) return Broken("AES-GCM");
    end += kGcmTag;
  }
  out.resize(begin + end);
  return {};
}

base::Result<> OpenAes(Kind kind, std::string_view secret, std::string_view place, std::string_view sealed,
                       std::string& out) {
  const bool gcm = kind == Kind::kAesGcm;
  const size_t nonce_size = gcm ? kGcmNonce : kBlock;
  if (sealed.size() < nonce_size) return Unreadable("the stored data was shorter than the required size");
  const std::string_view nonce = sealed.substr(0, nonce_size);
  sealed.remove_prefix(nonce_size);
  std::string tag;
  if (gcm) {
    if (sealed.size() < kGcmTag) return Unreadable("cipher: message authentication failed");
    tag = sealed.substr(sealed.size() - kGcmTag);
    sealed.remove_suffix(kGcmTag);
  } else if (sealed.size() % kBlock != 0) {
    return Unreadable("the stored data is not a multiple of the block size");
  } else if (sealed.empty()) {
    return Unreadable("invalid PKCS7 data (empty or not padded)");
  }
  const Context context = StartAes(kind, secret, nonce, place, /*encrypts=*/false);
  if (!context) return Broken("AES");
  if (gcm && EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kGcmTag, tag.data()) != 1) return Broken("AES");
  out.resize(sealed.size() + kBlock);
  const int size = RunAes(context.get(), sealed, Bytes(out.data()));
  if (size < 0) {
    return Unreadable(gcm ? "cipher: message authentication failed" : "invalid padding on input");
  }
  out.resize(static_cast<size_t>(size));
  return {};
}

base::Result<> SealSecretbox(std::string_view secret, std::string_view plain, std::string& out) {
  const size_t begin = out.size();
  out.resize(begin + crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + plain.size());
  uint8_t* const nonce = Bytes(out.data()) + begin;
  if (RAND_bytes(nonce, crypto_secretbox_NONCEBYTES) != 1) return Broken("no random bytes");
  crypto_secretbox_easy(nonce + crypto_secretbox_NONCEBYTES, Bytes(plain), plain.size(), nonce, Bytes(secret));
  return {};
}

base::Result<> OpenSecretbox(std::string_view secret, std::string_view sealed, std::string& out) {
  constexpr size_t kNonce = crypto_secretbox_NONCEBYTES;
  if (sealed.size() < kNonce + crypto_secretbox_MACBYTES) {
    return Unreadable("the stored data was shorter than the required size");
  }
  out.resize(sealed.size() - kNonce - crypto_secretbox_MACBYTES);
  if (crypto_secretbox_open_easy(Bytes(out.data()), Bytes(sealed) + kNonce, sealed.size() - kNonce, Bytes(sealed),
                                 Bytes(secret)) != 0) {
    return Unreadable("output array was not large enough for encryption");  // kube-apiserver's words
  }
  return {};
}

std::string_view NameOf(Kind kind) {
  return kind == Kind::kAesCbc ? "aescbc" : kind == Kind::kAesGcm ? "aesgcm" : "secretbox";
}

// Where a value stands in a cluster's etcd.
std::string PlaceOf(std::string_view collection, std::string_view key) {
  std::string place("/registry/");
  place.append(collection).append("/").append(key);
  return place;
}

// How far a rule reaches: one resource before a group before everything.
int ReachOf(std::string_view resource, std::string_view group) { return group == "*" ? 2 : resource == "*" ? 1 : 0; }

}  // namespace

ValueCipher::ValueCipher(std::vector<EncryptionRule> rules, Resolve resolve) : resolve_(std::move(resolve)) {
  std::ignore = sodium_init();
  for (EncryptionRule& rule : rules) {
    auto chain = std::ranges::find_if(
        chains_, [&](const Chain& one) { return one.resource == rule.resource && one.group == rule.group; });
    if (chain == chains_.end()) {
      chains_.push_back({rule.resource, rule.group, {}});
      chain = chains_.end() - 1;
    }
    for (EncryptionProvider& provider : rule.providers) {
      if (provider.kind == Kind::kIdentity) chain->transformers.push_back({Kind::kIdentity, "", ""});
      for (EncryptionKey& key : provider.keys) {
        std::string prefix("k8s:enc:");
        prefix.append(NameOf(provider.kind)).append(":v1:").append(key.name).append(":");
        chain->transformers.push_back({provider.kind, std::move(prefix), key.secret});
        OPENSSL_cleanse(key.secret.data(), key.secret.size());
      }
    }
  }
  std::ranges::stable_sort(chains_, {}, [](const Chain& one) { return ReachOf(one.resource, one.group); });
}

ValueCipher::~ValueCipher() {
  for (Chain& chain : chains_) {
    for (Transformer& one : chain.transformers) OPENSSL_cleanse(one.secret.data(), one.secret.size());
  }
}

const ValueCipher::Chain* ValueCipher::ChainOf(std::string_view collection) const {
  const GroupResource of = resolve_(collection);
  for (const Chain& chain : chains_) {
    const bool same_group = chain.group == "*" || chain.group == of.group;
    if (same_group && (chain.resource == "*" || chain.resource == of.resource)) return &chain;
  }
  return nullptr;
}

base::Result<bool> ValueCipher::Seal(std::string_view collection, std::string_view key, std::string_view plain,
                                     std::string& out) const {
  const Chain* const chain = ChainOf(collection);
  if (chain == nullptr || chain->transformers.front().kind == Kind::kIdentity) return false;
  const Transformer& first = chain->transformers.front();
  out = first.prefix;
  const base::Result<> sealed = first.kind == Kind::kSecretbox
                                    ? SealSecretbox(first.secret, plain, out)
                                    : SealAes(first.kind, first.secret, PlaceOf(collection, key), plain, out);
  if (!sealed) return std::unexpected(sealed.error());
  return true;
}

base::Result<ValueCipher::Opened> ValueCipher::Open(std::string_view collection, std::string_view key,
                                                    std::string_view stored, std::string& out) const {
  const Chain* const chain = ChainOf(collection);
  const std::string place = PlaceOf(collection, key);
  const auto unreadable = [&](std::string_view why) { return Unreadable(place + ": " + std::string(why)); };
  const bool sealed = IsSealed(stored);
  if (chain == nullptr) {
    if (sealed) return unreadable("identity transformer tried to read encrypted data");
    return Opened{.is_plain = true};
  }
  std::string reasons;
  for (size_t i = 0; i < chain->transformers.size(); ++i) {
    const Transformer& one = chain->transformers[i];
    if (one.kind == Kind::kIdentity) {
      if (!sealed) return Opened{.is_plain = true, .is_stale = i != 0};
      reasons += reasons.empty() ? "" : ", ";
      reasons += "identity transformer tried to read encrypted data";
      continue;
    }
    if (!stored.starts_with(one.prefix)) continue;
    const std::string_view body = stored.substr(one.prefix.size());
    const base::Result<> opened = one.kind == Kind::kSecretbox ? OpenSecretbox(one.secret, body, out)
                                                               : OpenAes(one.kind, one.secret, place, body, out);
    if (opened) return Opened{.is_stale = i != 0};
    reasons += reasons.empty() ? "" : ", ";
    reasons += opened.error().message;
  }
  return unreadable(reasons.empty() ? "no matching prefix found" : reasons);
}

}  // namespace engine
