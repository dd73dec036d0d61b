#include "server/encryption_configuration.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <set>

#include "api/error.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/builtin.h"
#include "schema/text_forms.h"
#include "value/yaml_reader.h"

namespace server {
namespace {

using api::FieldError;
using base::Cat;
using engine::EncryptionProvider;
using engine::EncryptionRule;
using value::Value;

constexpr size_t kMostBytes = 4 << 20;
constexpr std::chrono::seconds kReloadInterval(1);

struct ProviderName {
  std::string_view member;
  EncryptionProvider::Kind kind;
};
constexpr std::array<ProviderName, 4> kProviders = {{{"aesgcm", EncryptionProvider::Kind::kAesGcm},
                                                     {"aescbc", EncryptionProvider::Kind::kAesCbc},
                                                     {"secretbox", EncryptionProvider::Kind::kSecretbox},
                                                     {"identity", EncryptionProvider::Kind::kIdentity}}};

struct GroupResource {
  std::string resource, group;
  auto operator<=>(const GroupResource&) const = default;
  bool is_all() const { return resource == "*" && group == "*"; }
};

GroupResource ParseGroupResource(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == text.npos) return {std::string(text), ""};
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

std::string TextOf(const GroupResource& one) {
  if (one.group.empty()) return one.resource == "*" ? "*." : one.resource;
  return Cat(one.resource, ".", one.group);
}

base::Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) {
    return base::Fail(base::Code::kIo, Cat("error while loading file: error reading encryption provider configuration "
                                           "file ",
                                           api::Quote(path), ": open ", path, ": no such file or directory"));
  }
  if (text.empty()) {
    return base::Fail(base::Code::kInvalid, Cat("error while loading file: encryption provider configuration file ",
                                                api::Quote(path), " is empty"));
  }
  if (text.size() > kMostBytes) return base::Fail(base::Code::kInvalid, Cat(path, " is too large"));
  return text;
}

// Reads the document: types first, then what validation minds, then which rules mask others.
class Reader {
 public:
  base::Result<std::vector<EncryptionRule>> Read(const Value& document) {
    if (document.GetString("kind") != "EncryptionConfiguration" ||
        (document.GetString("apiVersion") != "apiserver.config.k8s.io/v1" &&
         document.GetString("apiVersion") != "v1")) {
      return Fail(Cat("no kind ", api::Quote(document.GetString("kind")), " is registered for version ",
                      api::Quote(document.GetString("apiVersion"))));
    }
    CheckMembers(document, {"kind", "apiVersion", "resources", "metadata"}, "");
    const Value list = document.Get("resources");
    if (!list.is_null() && !list.is_array()) Mistyped("resources");
    if (list.empty()) Complain(FieldError::Type::kRequired, "resources", "", "at least one resources is required");
    size_t index = 0;
    for (const Value& one : list.items()) ReadRule(one, Cat("resources[", index++, "]"));
    if (!mistyped_.empty()) return Fail(mistyped_);
    if (!errors_.empty()) return Fail(api::JoinTexts(errors_));
    if (!masked_.empty()) return Fail(masked_);
    return std::move(rules_);
  }

 private:
  static std::unexpected<base::Error> Fail(std::string message) {
    return base::Fail(base::Code::kInvalid, std::move(message));
  }

  void ReadRule(const Value& from, const std::string& at) {
    if (!from.is_object()) return Mistyped(at);
    CheckMembers(from, {"resources", "providers"}, at);
    std::vector<std::string> names;
    const Value resources = from.Get("resources"), providers = from.Get("providers");
    if (!resources.is_null() && !resources.is_array()) Mistyped(Cat(at, ".resources"));
    if (!providers.is_null() && !providers.is_array()) Mistyped(Cat(at, ".providers"));
    for (const Value& name : resources.items()) {
      if (!name.is_string()) return Mistyped(Cat(at, ".resources"));
      names.emplace_back(name.AsString());
    }
    CheckResources(names, Cat(at, ".resources"));
    std::vector<EncryptionProvider> made;
    if (providers.empty()) Require(Cat(at, ".providers"));
    size_t index = 0;
    for (const Value& provider : providers.items()) {
      ReadProvider(provider, Cat(at, ".providers[", index++, "]"), made);
    }
    for (const std::string& name : names) Add(ParseGroupResource(name), made);
  }

  void Add(GroupResource of, const std::vector<EncryptionProvider>& providers) {
    for (const GroupResource& before : {GroupResource{"*", of.group}, GroupResource{"*", "*"}}) {
      if (known_.contains(before) && masked_.empty()) {
        masked_ = Cat("resource ", api::Quote(TextOf(of)), " is masked by earlier rule ", api::Quote(TextOf(before)));
      }
    }
    known_.insert(of);
    rules_.push_back({.resource = of.resource, .group = of.group, .providers = providers});
  }

  void CheckResources(const std::vector<std::string>& names, const std::string& at) {
    if (names.empty()) Require(at);
    bool repeated = false, overlaps = false;
    for (size_t i = 0; i < names.size(); ++i) {
      for (size_t j = 0; j < names.size(); ++j) {
        if (i == j) continue;
        const GroupResource one = ParseGroupResource(names[i]), other = ParseGroupResource(names[j]);
        if (one == other && !repeated) {
          repeated = true;
        } else if (one.is_all() || (one.group == other.group && (one.resource == "*" || other.resource == "*"))) {
          overlaps = true;
        }
      }
    }
    std::vector<std::string> quoted;
    for (const std::string& name : names) quoted.push_back(api::Quote(name));
    const std::string list = Cat("[", base::Join(quoted, ","), "]");
    if (repeated) {
      Complain(FieldError::Type::kInvalid, at, list, "the same resource cannot be specified multiple times");
    }
    if (overlaps) {
      Complain(FieldError::Type::kInvalid, at, list,
               "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as "
               "they will be masked");
    }
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string why = NameError(names[i]);
      if (!why.empty()) Complain(FieldError::Type::kInvalid, Cat(at, "[", i, "]"), api::Quote(names[i]), why);
    }
  }

  static std::string NameError(const std::string& name) {
    if (std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; })) {
      return "resource name should not contain capital letters";
    }
    if (name == "*") {
      return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
    }
    if (name == "apiserveripinfo" || name == "serviceipallocations" || name == "servicenodeportallocations") {
      return "resources which do not have REST API/s cannot be encrypted";
    }
    const GroupResource of = ParseGroupResource(name);
    if (of.group == "events.k8s.io") {
      return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the "
             "config file";
    }
    if (of.group == "extensions") return "'extensions' group has been removed and cannot be used for encryption";
    if (of.group == "*" && of.resource != "*") return "encrypting the same resource across groups is not supported";
    return "";
  }

  void ReadProvider(const Value& from, const std::string& at, std::vector<EncryptionProvider>& into) {
    if (!from.is_object()) return Mistyped(at);
    CheckMembers(from, {"aesgcm", "aescbc", "secretbox", "identity", "kms"}, at);
    size_t found = 0;
    const bool kms = !from.Get("kms").is_null();
    found += kms ? 1 : 0;
    for (const ProviderName& name : kProviders) found += from.Get(name.member).is_null() ? 0 : 1;
    if (found != 1) {
      // The provider's own text would show its keys.
      return Complain(FieldError::Type::kInvalid, at, "REDACTED",
                      found == 0 ? "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, "
                                   "Secretbox, Identity"
                                 : "more than one provider specified in a single element, should split into different "
                                   "list elements");
    }
    if (kms) return Complain(FieldError::Type::kForbidden, Cat(at, ".kms"), "", "KMS providers are not built yet");
    for (const ProviderName& name : kProviders) {
      const Value settings = from.Get(name.member);
      if (settings.is_null()) continue;
      const std::string path = Cat(at, ".", name.member);
      if (!settings.is_object()) return Mistyped(path);
      EncryptionProvider provider{.kind = name.kind, .keys = {}};
      if (name.kind != EncryptionProvider::Kind::kIdentity) {
        CheckMembers(settings, {"keys"}, path);
        ReadKeys(settings.Get("keys"), Cat(path, ".keys"), provider);
      }
      into.push_back(std::move(provider));
    }
  }

  void ReadKeys(const Value& keys, const std::string& at, EncryptionProvider& provider) {
    if (!keys.is_null() && !keys.is_array()) return Mistyped(at);
    if (keys.empty()) return Complain(FieldError::Type::kRequired, at, "", "at least one keys is required");
    size_t index = 0;
    for (const Value& key : keys.items()) ReadKey(key, Cat(at, "[", index++, "]"), provider);
  }

  void ReadKey(const Value& from, const std::string& at, EncryptionProvider& provider) {
    if (!from.is_object()) return Mistyped(at);
    CheckMembers(from, {"name", "secret"}, at);
    for (std::string_view member : {"name", "secret"}) {
      const Value text = from.Get(member);
      if (!text.is_null() && !text.is_string()) return Mistyped(Cat(at, ".", member));
      if (from.GetString(member).empty()) {
        Complain(FieldError::Type::kRequired, Cat(at, ".", member), "", Cat(member, " is a mandatory field for a key"));
      }
    }
    if (from.GetString("secret").empty()) return;
    engine::EncryptionKey key{.name = std::string(from.GetString("name")), .secret = {}};
    const std::string path = Cat(at, ".secret");
    if (!schema::DecodeBase64(from.GetString("secret"), key.secret)) {
      return Complain(FieldError::Type::kInvalid, path, "\"REDACTED\"", "secrets must be base64 encoded");
    }
    const size_t size = key.secret.size();
    const bool box = provider.kind == EncryptionProvider::Kind::kSecretbox;
    if (size != 32 && (box || (size != 16 && size != 24))) {
      return Complain(
          FieldError::Type::kInvalid, path, "\"REDACTED\"",
          Cat("secret is not of the expected length, got ", size, ", expected one of ", box ? "[32]" : "[16 24 32]"));
    }
    provider.keys.push_back(std::move(key));
  }

  void Require(const std::string& at) {
    Complain(FieldError::Type::kRequired, at, "", Cat("at least one ", at, " is required"));
  }
  void Complain(FieldError::Type type, std::string at, std::string value, std::string why) {
    errors_.push_back({type, std::move(at), std::move(value), std::move(why)});
  }
  void Mistyped(std::string_view at) {
    if (mistyped_.empty()) mistyped_ = Cat("json: cannot unmarshal EncryptionConfiguration.", at);
  }
  void CheckMembers(const Value& object, std::initializer_list<std::string_view> known, std::string_view at) {
    for (const value::Member& member : object.members()) {
      if (std::ranges::find(known, member.key) != known.end() || !mistyped_.empty()) continue;
      mistyped_ = Cat("strict decoding error: unknown field ", api::Quote(Cat(at, at.empty() ? "" : ".", member.key)));
    }
  }

  std::string mistyped_, masked_;
  api::FieldErrors errors_;
  std::vector<EncryptionRule> rules_;
  std::set<GroupResource> known_;
};

// What a collection of the store holds: of built-in resources as their table says, of others "group/plural".
engine::GroupResource ResourceOf(std::string_view collection) {
  const auto builtin = resources::StoredResource(collection);
  if (builtin) return {builtin->first, builtin->second};
  const size_t slash = collection.find('/');
  if (slash == collection.npos) return {"", collection};
  return {collection.substr(0, slash), collection.substr(slash + 1)};
}

base::Result<engine::PublishedCipher::Cipher> CipherOf(const std::string& path, std::string_view text) {
  base::Result<std::vector<EncryptionRule>> rules = ParseEncryptionConfiguration(text);
  if (!rules)
    return base::Fail(rules.error().code,
                      Cat("encryption provider configuration file ", api::Quote(path), ": ", rules.error().message));
  return std::make_shared<const engine::ValueCipher>(*std::move(rules), ResourceOf);
}

}  // namespace

base::Result<std::vector<EncryptionRule>> ParseEncryptionConfiguration(std::string_view text) {
  value::Arena arena(text.size() * 4 + 1024);
  std::string duplicates;
  const auto document = value::ReadYaml(text, arena, &duplicates);
  if (!document) return base::Fail(base::Code::kInvalid, document.error().message);
  if (!duplicates.empty()) return base::Fail(base::Code::kInvalid, duplicates);
  return Reader().Read(*document);
}

base::Result<engine::PublishedCipher::Cipher> LoadEncryptionConfiguration(const std::string& path) {
  base::Result<std::string> text = ReadFile(path);
  if (!text) return std::unexpected(text.error());
  auto cipher = CipherOf(path, *text);
  OPENSSL_cleanse(text->data(), text->size());
  return cipher;
}

EncryptionReload::EncryptionReload(std::string path, engine::PublishedCipher& cipher, base::Logger& logger)
    : path_(std::move(path)), cipher_(cipher), logger_(logger) {
  if (base::Result<std::string> text = ReadFile(path_)) seen_ = *std::move(text);
  thread_ = std::thread([this] { Follow(); });
}

EncryptionReload::~EncryptionReload() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_asked_.notify_all();
  thread_.join();
  OPENSSL_cleanse(seen_.data(), seen_.size());
}

void EncryptionReload::Follow() {
  std::unique_lock lock(mutex_);
  while (!stop_asked_.wait_for(lock, kReloadInterval, [this] { return stopping_; })) {
    base::Result<std::string> text = ReadFile(path_);
    if (text && *text == seen_) continue;
    auto cipher = text ? CipherOf(path_, *text) : std::unexpected(text.error());
    if (cipher) {
      cipher_.Set(*std::move(cipher));
      logger_.Info("Encryption configuration reloaded", {{"path", path_}});
    } else if (text || !seen_.empty()) {
      logger_.Error("Encryption configuration not reloaded", {{"err", cipher.error().message}});
    }
    seen_ = text ? *std::move(text) : "";
  }
}

}  // namespace server
