#include "server/kubeconfig.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

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

bool WriteAll(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t wrote = write(fd, text.data() + at, text.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += static_cast<size_t>(wrote);
  }
  return true;
}

}  // namespace

base::Result<> WriteFile(const std::string& path, const std::string& text, int mode) {
  std::string fresh = path + ".new";
  int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return base::Fail(Code::kIo, Cat("open ", fresh, ": ", std::strerror(errno)));
  bool written = WriteAll(fd, text);
  close(fd);
  if (!written || std::rename(fresh.c_str(), path.c_str()) != 0) {
    return base::Fail(Code::kIo, Cat("write ", path, ": ", std::strerror(errno)));
  }
  return {};
}

base::Result<std::string> FindOrMakeToken(const std::string& path, base::Random& random) {
  std::ifstream in(path);
  std::string token;
  if (in && std::getline(in, token) && !token.empty()) return token;
  uint8_t bytes[24];
  random.Fill(bytes, sizeof(bytes));
  static constexpr char kHex[] = "0123456789abcdef";
  for (uint8_t byte : bytes) token += {kHex[byte >> 4], kHex[byte & 15]};
  if (base::Result<> written = WriteFile(path, token + "\n", 0600); !written) return std::unexpected(written.error());
  return token;
}

base::Result<> WriteKubeconfig(const std::string& path, const KubeconfigFacts& facts) {
  std::ifstream in(facts.certificate_file, std::ios::binary);
  if (!in) return base::Fail(Code::kIo, Cat("open ", facts.certificate_file, ": ", std::strerror(errno)));
  std::string certificate(std::istreambuf_iterator<char>(in), {});
  return WriteFile(path,
                   Cat("apiVersion: v1\nkind: Config\ncurrent-context: fairlead\n"
                       "clusters:\n- name: fairlead\n  cluster:\n    server: ",
                       facts.server, "\n    certificate-authority-data: ", Base64(certificate),
                       "\ncontexts:\n- name: fairlead\n  context:\n    cluster: fairlead\n    user: admin\n"
                       "users:\n- name: admin\n  user:\n    token: ",
                       facts.token, "\n"),
                   0600);
}

}  // namespace server
