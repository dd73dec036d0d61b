#include "auth/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "auth/authenticator.h"
#include "base/text.h"

namespace auth {
namespace {

template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* thing) const { Free(thing); }
};
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, Freer<X509_STORE_CTX, X509_STORE_CTX_free>>;

// Certificates that are no longer borrowed by anybody else.
struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
using Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;

Certificate ParseDer(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return Certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
}

std::vector<std::string> SubjectEntries(const X509& certificate, int nid) {
  std::vector<std::string> entries;
  const X509_NAME* subject = X509_get_subject_name(&certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, nid, at)) >= 0;) {
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0) continue;
    entries.emplace_back(reinterpret_cast<char*>(utf8), static_cast<size_t>(size));
    OPENSSL_free(utf8);
  }
  return entries;
}

// SHA-256 of several byte strings, none of which can be taken for a part of another.
std::string Digest(const std::vector<std::string>& texts) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (const std::string& text : texts) {
    const uint64_t size = text.size();
    SHA256_Update(&context, &size, sizeof size);
    SHA256_Update(&context, text.data(), text.size());
  }
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return digest;
}

std::string Fingerprint(std::string_view der) {
  constexpr std::string_view kHex = "0123456789abcdef";
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(der.data()), der.size(), digest);
  std::string text = "X509SHA256=";
  for (unsigned char byte : digest) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

std::chrono::system_clock::time_point EndOfValidity(const X509& certificate) {
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) return {};
  return std::chrono::system_clock::from_time_t(timegm(&end));
}

// Go's crypto/x509 takes no signature over a digest for which somebody can make a second certificate.
bool HasWeakSignature(X509& certificate) {
  int digest = NID_undef;
  X509_get_signature_info(&certificate, &digest, nullptr, nullptr, nullptr);
  static constexpr int kWeak[] = {NID_md2, NID_md4, NID_md5, NID_mdc2, NID_sha1, NID_ripemd160};
  return std::ranges::find(kWeak, digest) != std::end(kWeak);
}

}  // namespace

ClientCertificates::ClientCertificates(Store authorities, std::string path, const base::Clock& clock)
    : path_(std::move(path)), clock_(clock), authorities_(std::move(authorities)), looked_(clock.Monotonic()) {}

ClientCertificates::~ClientCertificates() = default;

base::Result<ClientCertificates::Store> ClientCertificates::Parse(std::string_view authorities) {
  std::unique_ptr<BIO, Freer<BIO, BIO_free_all>> bio(
      BIO_new_mem_buf(authorities.data(), static_cast<int>(authorities.size())));
  const Store store(X509_STORE_new(), X509_STORE_free);
  int count = 0;
  while (Certificate authority{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    count += X509_STORE_add_cert(store.get(), authority.get());
  }
  ERR_clear_error();  // the end of the file is an error to OpenSSL
  if (count == 0) return base::Fail(base::Code::kInvalid, "data does not contain any valid RSA or ECDSA certificates");
  // An intermediate authority in the file is as good as a root.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  return store;
}

base::Result<std::unique_ptr<ClientCertificates>> ClientCertificates::Make(std::string_view authorities,
                                                                           const base::Clock& clock) {
  base::Result<Store> store = Parse(authorities);
  if (!store) return std::unexpected(store.error());
  return std::unique_ptr<ClientCertificates>(new ClientCertificates(*std::move(store), "", clock));
}

base::Result<std::unique_ptr<ClientCertificates>> ClientCertificates::Load(const std::string& path,
                                                                           const base::Clock& clock) {
  const Stamp stamp = Look(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return base::Fail(base::Code::kIo, base::Cat("open ", path, ": no such file or directory"));
  const std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  base::Result<Store> store = Parse(content);
  if (!store) return base::Fail(store.error().code, base::Cat("error reading ", path, ": ", store.error().message));
  std::unique_ptr<ClientCertificates> made(new ClientCertificates(*std::move(store), path, clock));
  made->stamp_ = stamp;
  return made;
}

ClientCertificates::Stamp ClientCertificates::Look(const std::string& path) {
  struct stat facts{};
  if (stat(path.c_str(), &facts) != 0) return {};
  return {static_cast<int64_t>(facts.st_ino), facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

const ClientCertificates::Store& ClientCertificates::Current() const {
  if (path_.empty() || clock_.Monotonic() - looked_ < std::chrono::seconds(1)) return authorities_;
  looked_ = clock_.Monotonic();
  const Stamp stamp = Look(path_);
  if (stamp == stamp_) return authorities_;
  std::ifstream stream(path_, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  // One that is being written may fail now and be whole at the next look.
  base::Result<Store> store = Parse(content);
  if (!store) return authorities_;
  stamp_ = stamp;
  authorities_ = *std::move(store);
  verdicts_.clear();
  return authorities_;
}

ClientCertificates::Verdict ClientCertificates::Verify(x509_store_st& authorities,
                                                       const std::vector<std::string>& chain) const {
  const auto refused = [this](std::string why) {
    return Verdict{Identity::Rejected(std::move(why)), clock_.Now() + kRefusalKept};
  };
  const Certificate leaf = ParseDer(chain[0]);
  if (!leaf) return refused("broken certificate");
  const Stack intermediates(sk_X509_new_null());
  for (size_t i = 1; i < chain.size(); ++i) {
    if (Certificate certificate = ParseDer(chain[i])) sk_X509_push(intermediates.get(), certificate.release());
  }
  const StoreContext context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), &authorities, leaf.get(), intermediates.get());
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  X509_STORE_CTX_set_time(context.get(), 0, std::chrono::system_clock::to_time_t(clock_.Now()));
  const bool verified = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  if (!verified) {
    const int error = X509_STORE_CTX_get_error(context.get());
    return refused(base::Cat("verifying certificate failed: ", X509_verify_cert_error_string(error)));
  }
  // From the leaf to the authority that is trusted, whose own signature nobody needs.
  STACK_OF(X509)* const path = X509_STORE_CTX_get0_chain(context.get());
  auto good_until = std::chrono::system_clock::time_point::max();
  for (int i = 0; i < sk_X509_num(path); ++i) {
    X509& certificate = *sk_X509_value(path, i);
    good_until = std::min(good_until, EndOfValidity(certificate));
    if (i + 1 < sk_X509_num(path) && HasWeakSignature(certificate)) {
      return refused("verifying certificate failed: insecure algorithm");
    }
  }
  std::vector<std::string> names = SubjectEntries(*leaf, NID_commonName);
  if (names.empty() || names.back().empty()) return {Identity::Absent(), good_until};
  api::User user{.name = std::move(names.back()), .groups = SubjectEntries(*leaf, NID_organizationName)};
  user.extra["authentication.kubernetes.io/credential-id"] = {Fingerprint(chain[0])};
  return {Identity::Of(WithAuthenticatedGroup(std::move(user))), good_until};
}

Identity ClientCertificates::Authenticate(exchange::Exchange& exchange) const {
  const auto& peer = exchange.request().peer;
  if (!peer || peer->certificates.empty()) return Identity::Absent();
  const std::string chain = Digest(peer->certificates);
  Store authorities;
  {
    const std::lock_guard lock(mutex_);
    authorities = Current();
    const auto found = verdicts_.find(chain);
    if (found != verdicts_.end() && clock_.Now() < found->second.good_until) return found->second.identity;
  }
  Verdict verdict = Verify(*authorities, peer->certificates);
  Identity identity = verdict.identity;
  const std::lock_guard lock(mutex_);
  if (authorities != authorities_) return identity;  // they were replaced meanwhile: it is not remembered
  if (verdicts_.size() >= kCacheEntries) verdicts_.clear();
  verdicts_.insert_or_assign(chain, std::move(verdict));
  return identity;
}

}  // namespace auth
