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

base::Result<std::shared_ptr<const TlsContext>> ReadContext(const CertificateFiles& files,
                                                            const TlsParameters& parameters,
                                                            TlsContext::ByName by_name) {
  auto certificate = ReadFile(files.certificate);
  if (!certificate) return std::unexpected(std::move(certificate.error()));
  auto key = ReadFile(files.key);
  if (!key) return std::unexpected(std::move(key.error()));
  auto context = TlsContext::Make(*certificate, *key, parameters, std::move(by_name));
  if (!context) context.error().message += " (" + files.certificate + ", " + files.key + ")";
  return context;
}

}  // namespace

base::Result<std::unique_ptr<ServedCertificate>> ServedCertificate::Load(CertificateFiles files,
                                                                         std::vector<NamedCertificate> named,
                                                                         TlsParameters parameters) {
  std::unique_ptr<ServedCertificate> served(
      new ServedCertificate(std::move(files), std::move(named), std::move(parameters)));
  served->stamps_ = served->Look();
  if (auto read = served->Read(); !read) return std::unexpected(std::move(read.error()));
  return served;
}

std::shared_ptr<const TlsContext> ServedCertificate::Current(std::chrono::steady_clock::time_point now) {
  if (now - looked_ >= kLookAgain) {
    looked_ = now;
    // Of two files one may be new and the other not yet: then reading fails, and is tried again at the next look.
    if (Stamps stamps = Look(); stamps != stamps_ && Read()) stamps_ = stamps;
  }
  return context_;
}

ServedCertificate::Stamps ServedCertificate::Look() const {
  Stamps stamps;
  const auto look = [&stamps](const std::string& path) {
    struct stat facts{};
    Stamp& stamp = stamps.emplace_back();
    if (stat(path.c_str(), &facts) != 0) return;
    stamp = {static_cast<int64_t>(facts.st_ino), facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
  };
  const auto look_at = [&look](const CertificateFiles& files) {
    look(files.certificate);
    look(files.key);
  };
  look_at(files_);
  for (const NamedCertificate& named : named_) look_at(named.files);
  return stamps;
}

base::Result<> ServedCertificate::Read() {
  TlsContext::ByName by_name;
  for (const bool given : {true, false}) {
    for (const NamedCertificate& named : named_) {
      if (named.names.empty() == given) continue;
      auto context = ReadContext(named.files, parameters_, {});
      if (!context) return std::unexpected(std::move(context.error()));
      for (const std::string& name : given ? named.names : (*context)->CertificateNames()) {
        by_name.try_emplace(name, *context);
      }
    }
  }
  auto context = ReadContext(files_, parameters_, std::move(by_name));
  if (!context) return std::unexpected(std::move(context.error()));
  context_ = std::move(*context);
  return {};
}

}  // namespace http
