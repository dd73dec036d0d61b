#include "server/admission_chain.h"

#include <utility>
#include <vector>

#include "admission/parameter_rights.h"
#include "admission/plugins.h"
#include "admission/role_escalation.h"
#include "base/text.h"
#include "pipeline/authorization.h"
#include "server/webhook_transport.h"

namespace server {
namespace {

// The pipeline asked for the right to update or patch: an object that this creates needs the right to create, too.
class CreateOnUpdateRight final : public admission::Plugin {
 public:
  explicit CreateOnUpdateRight(const auth::Authorizer& authorizer)
      : Plugin("CreateOnUpdateRight"), authorizer_(authorizer) {}

  api::Result<> Validate(registry::AdmissionRequest& request) const override {
    const api::RequestInfo& info = request.call.request.info;
    if (request.operation != registry::Operation::kCreate || (info.verb != "update" && info.verb != "patch")) return {};
    const registry::Resource& resource = request.resource;
    const auth::Attributes attributes{.user = request.call.request.user,
                                      .verb = "create",
                                      .namespace_name = request.key.namespace_name,
                                      .group = resource.group,
                                      .version = resource.version,
                                      .resource = resource.plural,
                                      .name = request.key.name};
    const auth::Decision decision = authorizer_.Authorize(attributes, /*explain=*/false);
    if (decision.allowed()) return {};
    return api::Fail(auth::Refusal(attributes, decision.reason));
  }

 private:
  const auth::Authorizer& authorizer_;
};

// What expressions are told; selectors narrow a question, and nobody here grants by them.
cel::AuthorizerDecision RequestDecision(const auth::Authorizer& authorizer, const api::User& user,
                                        const cel::AuthorizerCheck& check) {
  auth::Attributes attributes{.user = user, .verb = check.verb, .is_resource_request = check.is_resource};
  if (check.is_resource) {
    attributes.namespace_name = check.namespace_name;
    attributes.group = check.group;
    attributes.version = "*";
    attributes.resource = check.resource;
    attributes.subresource = check.subresource;
    attributes.name = check.name;
  } else {
    attributes.path = check.path;
  }
  auth::Decision decision = authorizer.Authorize(attributes, /*explain=*/true);
  return {.allowed = decision.allowed(), .errored = false, .reason = std::move(decision.reason), .error = {}};
}

base::Result<std::shared_ptr<exchange::WebhookClient>> MakeWebhookClient(const AdmissionParts& parts,
                                                                         const std::string& kubeconfig) {
  WebhookCredentials credentials;
  if (!kubeconfig.empty()) {
    auto loaded = WebhookCredentials::Load(kubeconfig);
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    credentials = *std::move(loaded);
  }
  return std::make_shared<WebhookTransport>(WebhookTransport::Parts{.client = parts.client,
                                                                    .store = parts.store,
                                                                    .resources = parts.resources,
                                                                    .random = parts.random,
                                                                    .credentials = std::move(credentials),
                                                                    .routes_to_endpoints = parts.routes_to_endpoints});
}

}  // namespace

base::Result<std::unique_ptr<const admission::Chain>> MakeAdmissionChain(const AdmissionParts& parts) {
  const admission::PluginParts plugin_parts{
      .store = parts.store,
      .resources = parts.resources,
      .signer_right =
          [&authorizer = parts.authorizer](const api::User& user, std::string_view verb, std::string_view signer) {
            return authorizer
                .Authorize({.user = user,
                            .verb = verb,
                            .group = "certificates.k8s.io",
                            .version = "*",
                            .resource = "signers",
                            .name = signer},
                           /*explain=*/false)
                .allowed();
          },
      .toleration_seconds = parts.toleration_seconds,
      .request_right = [&authorizer = parts.authorizer](
                           const api::User& user,
                           const cel::AuthorizerCheck& check) { return RequestDecision(authorizer, user, check); },
      .node_restriction = parts.node_restriction,
      .configuration = [&parts](std::string_view name) { return parts.configuration.Of(name); },
      .relax_pod_security = parts.relax_pod_security,
      .mutating_policies = parts.mutating_policies,
      .webhook_client = [&parts](const std::string& kubeconfig) { return MakeWebhookClient(parts, kubeconfig); },
      .metrics = &parts.metrics};
  std::vector<std::unique_ptr<const admission::Plugin>> plugins;
  plugins.push_back(std::make_unique<admission::ParameterRights>(parts.store, parts.authorizer));
  for (const std::string& name : parts.plugins) {
    auto plugin = admission::MakePlugin(name, plugin_parts);
    if (!plugin) {
      return base::Fail(plugin.error().code,
                        base::Cat("couldn't init admission plugin \"", name, "\": ", plugin.error().message));
    }
    if (*plugin != nullptr) plugins.push_back(*std::move(plugin));
  }
  plugins.push_back(std::make_unique<admission::RoleEscalation>(parts.store, parts.resources, parts.authorizer));
  plugins.push_back(std::make_unique<CreateOnUpdateRight>(parts.authorizer));
  return std::make_unique<const admission::Chain>(std::move(plugins));
}

}  // namespace server
