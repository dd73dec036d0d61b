#include <algorithm>

#include "base/text.h"
#include "resources/networking/references.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::networking {
namespace {

using base::Cat;

constexpr std::string_view kClassAnnotation = "kubernetes.io/ingress.class";
constexpr std::string_view kPathTypes[] = {"Exact", "ImplementationSpecific", "Prefix"};
constexpr std::string_view kBadSequences[] = {"//", "/./", "/../", "%2f", "%2F"};
constexpr std::string_view kBadEnds[] = {"/..", "/."};

// What an object that was stored with it may keep.
struct Allowed {
  bool bad_secret_names = false;
  bool bad_wildcard_rules = false;
};

void CheckServicePort(Scope& backend) {
  const FieldPath service = backend.At("service");
  const FieldPath port = service.Child("port");
  const std::string_view name = backend.object.Get({"service", "port"}).GetString("name");
  const Value number = backend.object.Get({"service", "port", "number"});
  const bool numbered = number.is_int() && number.AsInt() != 0;
  if (!name.empty() && numbered) {
    backend.errors.Invalid(backend.path, "", "cannot set both port name & port number");
  } else if (!name.empty()) {
    kPortName(backend.errors, port.Child("name"), name);
  } else if (numbered) {
    CheckPortNumber(backend.errors, port.Child("number"), number.AsInt());
  } else {
    backend.errors.Required(backend.path, "port name or number is required");
  }
}

void CheckBackend(Scope& backend) {
  const bool has_resource = backend.Has("resource"), has_service = backend.Has("service");
  if (has_resource && has_service) {
    return backend.errors.Invalid(backend.path, "", "cannot set both resource and service backends");
  }
  if (has_resource) {
    const FieldPath path = backend.At("resource");
    Scope reference{backend.context, path, *backend.object.Find("resource"), nullptr, backend.errors, &backend};
    return CheckTypedReference(reference);
  }
  if (!has_service) return backend.errors.Invalid(backend.path, "", "resource or service backend is required");
  const FieldPath service = backend.At("service");
  const std::string_view name = backend.Get("service").GetString("name");
  if (name.empty()) {
    backend.errors.Required(service.Child("name"));
  } else {
    PutComplaints(backend.errors, service.Child("name"), name, api::CheckNameIsDns1035Label(name, false));
  }
  CheckServicePort(backend);
}

constexpr Rule kBackendRules[] = {Call(CheckBackend)};

void CheckExactPath(Scope& path) {
  const FieldPath at = path.At("path");
  const std::string_view text = path.String("path");
  if (!text.starts_with('/')) path.errors.Invalid(at, text, "must be an absolute path");
  for (const std::string_view bad : kBadSequences) {
    if (text.contains(bad)) path.errors.Invalid(at, text, Cat("must not contain '", bad, "'"));
  }
  for (const std::string_view bad : kBadEnds) {
    if (text.ends_with(bad)) path.errors.Invalid(at, text, Cat("cannot end with '", bad, "'"));
  }
}

void CheckPath(Scope& path) {
  if (!path.Has("pathType")) return path.errors.Required(path.At("pathType"), "pathType must be specified");
  const std::string_view type = path.String("pathType"), text = path.String("path");
  if (type == "Exact" || type == "Prefix") {
    CheckExactPath(path);
  } else if (type != "ImplementationSpecific") {
    path.errors.NotSupported(path.At("pathType"), type, kPathTypes);
  } else if (!text.empty() && !text.starts_with('/')) {
    path.errors.Invalid(path.At("path"), text, "must be an absolute path");
  }
  Check(path, kBackendRules, path.At("backend"), path.Get("backend"), nullptr);
}

constexpr Rule kPathRules[] = {Call(CheckPath)};
constexpr Rule kHttpRules[] = {Required("paths"), Each("paths", kPathRules)};

bool IsWildcard(std::string_view host) { return host.contains('*'); }

void CheckHost(Errors& errors, const FieldPath& path, std::string_view host) {
  PutComplaints(errors, path, host,
                IsWildcard(host) ? api::CheckWildcardDns1123Subdomain(host) : api::CheckDns1123Subdomain(host));
}

void CheckRules(Scope& ingress, const Allowed& allowed) {
  const FieldPath spec("spec");
  const FieldPath list = spec.Child("rules");
  const Value rules = ingress.Get({"spec", "rules"});
  for (uint32_t i = 0; i < rules.size(); ++i) {
    const FieldPath path = list.Index(i);
    const std::string_view host = rules[i].GetString("host");
    if (!host.empty()) {
      CheckNotIp(ingress.errors, path.Child("host"), host);
      CheckHost(ingress.errors, path.Child("host"), host);
    }
    if (IsWildcard(host) && allowed.bad_wildcard_rules) continue;
    if (const Value* http = rules[i].Find("http")) Check(ingress, kHttpRules, path.Child("http"), *http, nullptr);
  }
}

api::Complaints SecretNameComplaints(std::string_view name) {
  return name.empty() ? api::Complaints() : api::CheckNameIsDnsSubdomain(name, false);
}

void CheckTls(Scope& ingress, const Allowed& allowed) {
  const FieldPath spec("spec");
  const FieldPath list = spec.Child("tls");
  const Value parts = ingress.Get({"spec", "tls"});
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const FieldPath path = list.Index(i);
    const FieldPath hosts = path.Child("hosts");
    int64_t index = 0;
    for (const Value& host : parts[i].Get("hosts").items()) {
      CheckHost(ingress.errors, hosts.Index(index++), host.AsString());
    }
    if (allowed.bad_secret_names) continue;
    const std::string_view secret = parts[i].GetString("secretName");
    PutComplaints(ingress.errors, path.Child("secretName"), secret, SecretNameComplaints(secret));
  }
}

// Whether the rule's paths break anything.
bool IsBadRule(Scope& ingress, const Value& rule) {
  const Value* http = rule.Find("http");
  if (http == nullptr) return false;
  Errors errors;
  Scope apart{ingress.context, ingress.path, ingress.object, nullptr, errors};
  Check(apart, kHttpRules, ingress.path, *http, nullptr);
  return !errors.empty();
}

Allowed AllowedBy(Scope& ingress) {
  Allowed allowed;
  if (ingress.old == nullptr) return allowed;
  allowed.bad_secret_names = std::ranges::any_of(ingress.old->Get({"spec", "tls"}).items(), [](const Value& part) {
    return !SecretNameComplaints(part.GetString("secretName")).empty();
  });
  allowed.bad_wildcard_rules = std::ranges::any_of(ingress.old->Get({"spec", "rules"}).items(), [&](const Value& rule) {
    return IsWildcard(rule.GetString("host")) && IsBadRule(ingress, rule);
  });
  return allowed;
}

void CheckSpec(Scope& ingress) {
  const Allowed allowed = AllowedBy(ingress);
  const FieldPath path("spec");
  const Value spec = ingress.Get("spec");
  const Value* backend = spec.Find("defaultBackend");
  if (backend == nullptr && spec.Get("rules").empty()) {
    ingress.errors.InvalidAs(path, PrintListOf("networking.IngressRule", spec.Get("rules")),
                             "either `defaultBackend` or `rules` must be specified");
  }
  if (backend != nullptr) Check(ingress, kBackendRules, path.Child("defaultBackend"), *backend, nullptr);
  CheckRules(ingress, allowed);
  CheckTls(ingress, allowed);
  if (const Value* name = spec.Find("ingressClassName")) {
    PutComplaints(ingress.errors, path.Child("ingressClassName"), name->AsString(),
                  api::CheckNameIsDnsSubdomain(name->AsString(), false));
  }
}

// The class by its old name and by its new one.
void CheckClassNames(Scope& ingress) {
  const Value* annotation = ingress.Get({"metadata", "annotations"}).Find(kClassAnnotation);
  const Value* name = ingress.Get("spec").Find("ingressClassName");
  if (annotation == nullptr || name == nullptr || annotation->AsString() == name->AsString()) return;
  const FieldPath annotations("annotations");
  ingress.errors.Invalid(annotations.Child(kClassAnnotation), annotation->AsString(),
                         "must match `ingressClassName` when both are specified");
}

void CheckStatus(Scope& ingress) {
  static constexpr Rule kPointRules[] = {
      Format("ip", CheckIp),
      Format("hostname", kDnsSubdomain),
      Format("hostname", CheckNotIp),
  };
  const FieldPath status("status");
  const FieldPath balancer = status.Child("loadBalancer");
  const FieldPath list = balancer.Child("ingress");
  const Value points = ingress.Get({"status", "loadBalancer", "ingress"});
  for (uint32_t i = 0; i < points.size(); ++i) Check(ingress, kPointRules, list.Index(i), points[i], nullptr);
}

void Warnings(registry::WriteContext& context, const Value& ingress, const Value* old) {
  if (old != nullptr || ingress.Get("spec").Find("ingressClassName") != nullptr) return;
  if (ingress.Get({"metadata", "annotations"}).Find(kClassAnnotation) == nullptr) return;
  context.warnings.push_back(
      Cat("annotation \"", kClassAnnotation, "\" is deprecated, please use 'spec.ingressClassName' instead"));
}

constexpr Rule kRules[] = {Call(CheckSpec), Call(CheckClassNames)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMetaUpdate), Call(CheckObjectMeta), Call(CheckSpec)};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Call(CheckStatus)};

}  // namespace

constinit const registry::StrategyTable kIngresses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = Warnings,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::networking
