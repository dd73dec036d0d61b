#include "http/served_certificate.h"
#include "http/system_failure.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace http {
namespace {

constexpr std::chrono::seconds kLookAgain(1);

base::Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return SystemFailure(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

base::Result<std::unique_ptr<ServedCertificate>> ServedCertificate::Load(CertificateFiles files,
                                                                         TlsParameters parameters) {
  std::unique_ptr<ServedCertificate> served(new ServedCertificate(std::move(files), std::move(parameters)));
  served->stamps_ = served->Look();
  if (auto read = served->Read(); !read) return std::unexpected(std::move(read.error()));
  return served;
}

std::shared_ptr<const TlsContext> ServedCertificate::Current(std::chrono::steady_clock::time_point now) {
  if (now - looked_ >= kLookAgain) {
    looked_ = now;
    // Of the two files one may be new and the other not yet: then reading fails, and is tried again at the next look.
    if (Stamps stamps = Look(); stamps != stamps_ && Read()) stamps_ = stamps;
  }
  return context_;
}

ServedCertificate::Stamps ServedCertificate::Look() const {
  Stamps stamps;
  const std::string* paths[] = {&files_.certificate, &files_.key};
  for (size_t i = 0; i < stamps.size(); ++i) {
    struct stat facts{};
    if (stat(paths[i]->c_str(), &facts) != 0) continue;
    stamps[i] = {static_cast<int64_t>(facts.st_ino), facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
  }
  return stamps;
}

base::Result<> ServedCertificate::Read() {
  auto certificate = ReadFile(files_.certificate);
  if (!certificate) return std::unexpected(std::move(certificate.error()));
  auto key = ReadFile(files_.key);
  if (!key) return std::unexpected(std::move(key.error()));
  auto context = TlsContext::Make(*certificate, *key, parameters_);
  if (!context) {
    context.error().message += " (" + files_.certificate + ", " + files_.key + ")";
    return std::unexpected(std::move(context.error()));
  }
  context_ = std::move(*context);
  return {};
}

}  // namespace http
