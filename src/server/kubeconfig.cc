#include "server/kubeconfig.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/files.h"
#include "base/text.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

std::string Base64(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                             reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(size);
  return text;
}

}  // namespace

base::Result<std::string> FindOrMakeToken(const std::string& path, base::Random& random, bool sync) {
  std::ifstream in(path);
  std::string token;
  if (in && std::getline(in, token) && !token.empty()) return token;
  uint8_t bytes[24];
  random.Fill(bytes, sizeof(bytes));
  static constexpr char kHex[] = "0123456789abcdef";
  for (uint8_t byte : bytes) token += {kHex[byte >> 4], kHex[byte & 15]};
  const base::Result<> written = base::ReplaceFile(path, token + "\n", base::kOwnerOnly, sync);
  if (!written) return std::unexpected(written.error());
  return token;
}

base::Result<> WriteKubeconfig(const std::string& path, const KubeconfigFacts& facts) {
  std::ifstream in(facts.certificate_file, std::ios::binary);
  if (!in) return base::Fail(Code::kIo, Cat("open ", facts.certificate_file, ": ", std::strerror(errno)));
  std::string certificate(std::istreambuf_iterator<char>(in), {});
  return base::ReplaceFile(path,
                           Cat("apiVersion: v1\nkind: Config\ncurrent-context: fairlead\n"
                               "clusters:\n- name: fairlead\n  cluster:\n    server: ",
                               facts.server, "\n    certificate-authority-data: ", Base64(certificate),
                               "\ncontexts:\n- name: fairlead\n  context:\n    cluster: fairlead\n    user: admin\n"
                               "users:\n- name: admin\n  user:\n    token: ",
                               facts.token, "\n"),
                           base::kOwnerOnly, /*sync=*/false);
}

}  // namespace server
