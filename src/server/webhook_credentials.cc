#include "server/webhook_credentials.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "schema/text_forms.h"
#include "value/arena.h"
#include "value/yaml_reader.h"

namespace server {
namespace {

using base::Cat;
using base::Code;
using value::Value;

base::Result<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return base::Fail(Code::kIo, Cat("open ", path, ": no such file or directory"));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// `inline_data` of the user in base64, else the file that `file` names.
base::Result<std::string> Content(const Value& user, std::string_view inline_data, std::string_view file,
                                  const std::filesystem::path& folder) {
  if (const std::string_view data = user.GetString(inline_data); !data.empty()) {
    std::string bytes;
    if (!schema::DecodeBase64(data, bytes)) return base::Fail(Code::kInvalid, Cat(inline_data, " is no base64"));
    return bytes;
  }
  const std::string_view name = user.GetString(file);
  if (name.empty()) return std::string();
  return ReadFile((folder / name).string());
}

base::Result<WebhookIdentity> IdentityOf(const Value& user, const std::filesystem::path& folder) {
  for (const std::string_view plugin : {"exec", "auth-provider"}) {
    if (user.Find(plugin) != nullptr) return base::Fail(Code::kInvalid, Cat(plugin, " is not supported"));
  }
  WebhookIdentity identity{.token = std::string(user.GetString("token")),
                           .username = std::string(user.GetString("username")),
                           .password = std::string(user.GetString("password")),
                           .certificate_pem = {},
                           .key_pem = {}};
  if (identity.token.empty()) {
    auto token = Content(user, "", "tokenFile", folder);
    if (!token) return std::unexpected(std::move(token.error()));
    identity.token = base::TrimSpace(*token);
  }
  auto certificate = Content(user, "client-certificate-data", "client-certificate", folder);
  if (!certificate) return std::unexpected(std::move(certificate.error()));
  auto key = Content(user, "client-key-data", "client-key", folder);
  if (!key) return std::unexpected(std::move(key.error()));
  identity.certificate_pem = *std::move(certificate);
  identity.key_pem = *std::move(key);
  return identity;
}

}  // namespace

base::Result<WebhookCredentials> WebhookCredentials::Load(const std::string& path) {
  const auto fail = [&](const base::Error& error) {
    return base::Fail(error.code, Cat("kubeconfig file ", path, ": ", error.message));
  };
  auto text = ReadFile(path);
  if (!text) return fail(text.error());
  value::Arena arena;
  const auto config = value::ReadYaml(*text, arena);
  if (!config) return fail(config.error());
  WebhookCredentials made;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const Value& user : config->Get("users").items()) {
    auto identity = IdentityOf(user.Get("user"), folder);
    if (!identity)
      return fail({identity.error().code, Cat("user ", user.GetString("name"), ": ", identity.error().message)});
    made.users_[std::string(user.GetString("name"))] = *std::move(identity);
  }
  for (const Value& context : config->Get("contexts").items()) {
    if (context.GetString("name") == config->GetString("current-context")) {
      made.current_user_ = context.Get("context").GetString("user");
    }
  }
  return made;
}

const WebhookIdentity* WebhookCredentials::FindNamed(std::string_view name) const {
  if (const auto found = users_.find(name); found != users_.end()) return &found->second;
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    if (const auto found = users_.find(Cat("*", name.substr(dot))); found != users_.end()) return &found->second;
  }
  return nullptr;
}

const WebhookIdentity* WebhookCredentials::Find(std::string_view host_and_port) const {
  constexpr std::string_view kDefaultPort = ":443";
  if (users_.empty()) return nullptr;
  if (const WebhookIdentity* found = FindNamed(host_and_port)) return found;
  if (host_and_port.ends_with(kDefaultPort)) {
    const auto host = host_and_port.substr(0, host_and_port.size() - kDefaultPort.size());
    if (const WebhookIdentity* found = FindNamed(host)) return found;
  }
  if (const auto any = users_.find("*"); any != users_.end()) return &any->second;
  const auto current = users_.find(current_user_);
  return current == users_.end() ? nullptr : &current->second;
}

}  // namespace server
