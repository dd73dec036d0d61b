#include "server/signing_key_file.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <filesystem>
#include <memory>

#include "auth/signing_keys.h"
#include "base/files.h"
#include "base/text.h"

namespace server {

base::Result<> KeepSigningKey(const std::string& path, bool sync) {
  std::error_code unreadable;
  if (std::filesystem::exists(path, unreadable)) return {};
  const auth::SigningKey key(EVP_EC_gen("P-256"));
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> out(BIO_new(BIO_s_mem()), BIO_free_all);
  if (!key || PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return base::Fail(base::Code::kIo, base::Cat("cannot make the key ", path));
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return base::ReplaceFile(path, std::string_view(text, static_cast<size_t>(size)), base::kOwnerOnly, sync);
}

}  // namespace server
