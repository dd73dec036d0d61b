#include "server/server.h"

#include <algorithm>
#include <fstream>
#include <future>
#include <iterator>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "admission/policies/type_checker.h"
#include "auth/abac.h"
#include "auth/bearer.h"
#include "auth/bootstrap_tokens.h"
#include "auth/certificate.h"
#include "auth/node_authorizer.h"
#include "auth/rbac.h"
#include "auth/request_header.h"
#include "auth/service_account_tokens.h"
#include "auth/token_file.h"
#include "base/files.h"
#include "base/metrics.h"
#include "base/process_metrics.h"
#include "base/text.h"
#include "controllers/api_service_conditions.h"
#include "controllers/api_service_registration.h"
#include "controllers/definition_finalizer.h"
#include "controllers/disruption_controller.h"
#include "controllers/flow_schema_conditions.h"
#include "controllers/garbage_collector.h"
#include "controllers/namespace_deleter.h"
#include "controllers/policy_status.h"
#include "controllers/quota_controller.h"
#include "controllers/role_aggregator.h"
#include "customresources/served_definitions.h"
#include "engine/logged_engine.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocksdb/rocksdb_engine.h"
#include "handlers/discovery/aggregation.h"
#include "handlers/discovery/discovery.h"
#include "handlers/discovery/openapi.h"
#include "handlers/endpoints/endpoints.h"
#include "handlers/endpoints/health.h"
#include "handlers/endpoints/index.h"
#include "handlers/endpoints/openid.h"
#include "handlers/endpoints/served_metrics.h"
#include "handlers/endpoints/version.h"
#include "handlers/replaced_resources.h"
#include "handlers/respond.h"
#include "handlers/router.h"
#include "handlers/subresources/reviews.h"
#include "handlers/subresources/subresources.h"
#include "handlers/subresources/token_request.h"
#include "http/certificates.h"
#include "http/client.h"
#include "http/io_threads.h"
#include "http/server.h"
#include "pipeline/authorization.h"
#include "pipeline/chain.h"
#include "pipeline/request_metrics.h"
#include "registry/bootstrap.h"
#include "registry/expiry.h"
#include "registry/label_index.h"
#include "registry/registry.h"
#include "registry/stored_form.h"
#include "resources/bootstrap.h"
#include "resources/builtin.h"
#include "resources/core/service/service_allocator.h"
#include "server/admission_chain.h"
#include "server/bootstrap_roles.h"
#include "server/machine.h"
#include "server/stored_policies.h"
#include "server/unenforced_controls.h"
#include "server/webhook_transport.h"
#include "store/store.h"
#include "value/json_reader.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

constexpr std::string_view kUnsafeDeletion = "AllowUnsafeMalformedObjectDeletion";

base::Result<std::unique_ptr<engine::Engine>> OpenEngine(const StoreOptions& options) {
  if (options.kind == StoreKind::kMemory) return engine::MakeMemoryEngine();
  return engine::OpenRocksDbEngine({.path = options.directory, .sync = options.sync});
}

base::Result<std::unique_ptr<store::Store>> OpenStore(const StoreOptions& options, base::Logger& logger) {
  base::Result<std::unique_ptr<engine::Engine>> engine = OpenEngine(options);
  if (!engine) return std::unexpected(engine.error());
  store::Options store_options;
  store_options.readable = registry::IsReadable;
  store_options.terms = registry::CollectTerms;
  store_options.retention = std::chrono::duration_cast<std::chrono::milliseconds>(options.history);
  return store::Store::Open(engine::MakeLoggedEngine(*std::move(engine), logger, base::SystemClock()), store_options);
}

base::Result<resources::ApiResourceConfig> Enabled(const Options& options) {
  base::Result<resources::ApiResourceConfig> enabled = resources::ApiResourceConfig::Make(options.runtime_config);
  if (!enabled) return enabled;
  api::Features features = options.gates.Features();
  features.AllowPrivilegedContainers(options.privileged_containers);
  enabled->SetFeatures(features);
  enabled->ShowStorageVersions(options.gates.Enabled("StorageVersionHash"));
  return enabled;
}

base::Result<http::CertificateFiles> Certificate(const Options& options) {
  if (!options.certificate_file.empty()) return http::CertificateFiles{options.certificate_file, options.key_file};
  return http::FindOrMakeCertificate(
      options.certificate_directory,
      http::ServerNames(options.bind_address, FirstServiceAddress(options.service_range)));
}

base::Result<std::vector<std::string>> ReadFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> contents;
  for (const std::string& path : paths) {
    base::Result<std::string> content = base::ReadFile(path);
    if (!content) return std::unexpected(content.error());
    contents.push_back(*std::move(content));
  }
  return contents;
}

using auth::TokenAuthenticators;

// Those that know tokens of a file.
base::Result<TokenAuthenticators> FileTokens(const AccessOptions& options) {
  TokenAuthenticators tokens;
  if (!options.admin_token.empty()) {
    auto own = auth::TokenFile::Parse(Cat(options.admin_token, ",admin,fairlead-admin,system:masters\n"), "");
    if (!own) return std::unexpected(own.error());
    tokens.push_back(*std::move(own));
  }
  if (!options.token_file.empty()) {
    auto file = auth::TokenFile::Load(options.token_file);
    if (!file) return std::unexpected(file.error());
    tokens.push_back(*std::move(file));
  }
  return tokens;
}

base::Result<std::vector<std::unique_ptr<auth::Authenticator>>> Authenticators(const AccessOptions& options,
                                                                               TokenAuthenticators tokens,
                                                                               const base::Clock& clock) {
  std::vector<std::unique_ptr<auth::Authenticator>> authenticators;
  if (!options.proxy_ca_file.empty()) {
    auto proxies = auth::ClientCertificates::Load(options.proxy_ca_file, clock);
    if (!proxies) return std::unexpected(proxies.error());
    authenticators.push_back(std::make_unique<auth::RequestHeaders>(*std::move(proxies), options.proxy_headers));
  }
  if (!options.client_ca_file.empty()) {
    auto certificates = auth::ClientCertificates::Load(options.client_ca_file, clock);
    if (!certificates) return std::unexpected(certificates.error());
    authenticators.push_back(*std::move(certificates));
  }
  if (!tokens.empty()) authenticators.push_back(std::make_unique<auth::BearerTokens>(std::move(tokens)));
  return authenticators;
}

int ThreadsOf(const Options& options) {
  if (options.io_threads > 0) return options.io_threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::vector<controllers::PolicyWarning> CheckPolicyTypes(const value::Value& policy,
                                                         const registry::ResourceTable& resources) {
  std::vector<controllers::PolicyWarning> warnings;
  for (admission::ExpressionWarning& found : admission::CheckTypes(policy, resources)) {
    warnings.push_back({std::move(found.field), std::move(found.warning)});
  }
  return warnings;
}

}  // namespace

// Owns a controller; called once, it stops it and then calls what it is given.
using RunningController = absl::AnyInvocable<void(absl::AnyInvocable<void()>)>;

// Members in the order in which they are made: each uses only those above it.
class Server::Parts {
 public:
  Parts(const Options& options, base::Logger& logger) : options_(options), logger_(logger) {}

  base::Result<> Start() {
    for (auto step : {&Parts::OpenData, &Parts::MakeEndpoints, &Parts::MakePipeline, &Parts::Listen,
                      &Parts::PublishKubernetesService, &Parts::StartControllers}) {
      if (base::Result<> done = (this->*step)(); !done) return done;
    }
    return {};
  }

  uint16_t port() const { return http_->port(); }
  const std::string& certificate_file() const { return certificate_.certificate; }
  void BeginStop() { stopping_.store(true, std::memory_order_release); }
  void Stop() {
    BeginStop();
    if (chain_) chain_->drain().Begin();
    if (http_) StopServing();
    StopControllers();
    policies_.reset();
  }
  void Compact(engine::Revision revision) {
    store_->Compact(revision == engine::Revision() ? store_->revision() : revision);
  }

 private:
  base::Result<> OpenData();
  std::vector<registry::BootstrapObject> Recorded() const;
  base::Result<> MakeAuthorizer();
  auth::PolicyRules NodeRules() const;
  void MakeClient();
  base::Result<> MakeAdmission();
  registry::WriteHooks Hooks();
  registry::WriteHooks::Allocate AllocateHook();
  base::Result<> MakeEndpoints();
  handlers::RightCheck RightCheck();
  void AddSubresources();
  void AddFlowDumps();
  size_t CountObjects(const api::RequestInfo& info) const;
  base::Result<> MakeTokens();
  base::Task<handlers::TokenVerdict> ReviewToken(std::string_view token, const std::vector<std::string>& audiences);
  base::Result<> MakePipeline();
  std::function<void(std::string_view)> LogFailures();
  base::Result<> Listen();
  base::Result<> PublishKubernetesService();
  base::Result<> StartControllers();
  void StopControllers();
  void StopServing();

  // What clients are told that this server is called.
  std::string ExternalAddress() const {
    if (options_.external_hostname.empty()) return Cat(AdvertiseAddress(), ":", options_.port);
    const bool has_port = options_.external_hostname.find(':') != std::string::npos;
    return has_port ? options_.external_hostname : Cat(options_.external_hostname, ":", options_.port);
  }
  std::string AdvertiseAddress() const {
    return options_.advertise_address.empty() ? ReachableAddress(options_.bind_address) : options_.advertise_address;
  }
  bool IsServed(const api::RequestInfo& info) const {
    const registry::ResourceTableRef table = tables_->Snapshot();
    const registry::Resource* resource = table->Find(info.group, info.version, info.resource);
    return resource != nullptr && (info.subresource.empty() || resource->FindSubresource(info.subresource) != nullptr);
  }
  // Of every answered request, on its thread.
  void Observe(exchange::Exchange& exchange, exchange::Response& response, std::chrono::nanoseconds took,
               std::string_view failure) {
    request_metrics_.Observe(exchange, response, took);
    if (failure.empty()) return;
    logger_.Error("request failed",
                  {{"method", exchange.request().method}, {"path", exchange.request().path}, {"err", failure}});
  }

  const Options options_;
  base::Logger& logger_;
  const base::Clock& clock_ = base::SystemClock();
  base::Random& random_ = base::SystemRandom();
  std::atomic<bool> stopping_{false};
  // What was done at the start, for the health checks.
  enum Stage : uint8_t { kAdmission = 1, kObjects = 2, kPlace = 4, kServing = 8 };
  std::atomic<uint8_t> done_{0};

  std::unique_ptr<http::IoThreads> io_;
  std::unique_ptr<http::IoThreads> background_;  // of the controllers: one thread, in nobody's way
  std::unique_ptr<http::Client> client_;         // calls other servers
  std::unique_ptr<store::Store> store_;
  registry::ResourceTableRef builtin_;  // those that are always there
  std::unique_ptr<exchange::WebhookClient> webhooks_;
  std::unique_ptr<registry::ResourceTables> tables_;
  std::unique_ptr<customresources::ServedDefinitions> definitions_;
  std::unique_ptr<registry::Expiry> event_expiry_;
  auth::Rbac* rbac_ = nullptr;  // in authorizer_
  std::unique_ptr<auth::AuthorizerChain> authorizer_;
  std::unique_ptr<const AdmissionConfiguration> admission_configuration_;
  std::unique_ptr<const admission::Chain> admission_;
  std::optional<resources::core::ServiceAllocator> service_allocator_;
  std::unique_ptr<registry::Registry> registry_;
  base::Metrics metrics_;
  pipeline::RequestMetrics request_metrics_{metrics_, [this](const api::RequestInfo& info) { return IsServed(info); }};
  std::unique_ptr<handlers::Health> health_;
  std::unique_ptr<handlers::OpenApi> open_api_;
  handlers::Endpoints endpoints_;
  handlers::Subresources subresources_;
  std::unique_ptr<handlers::ReplacedResources> replaced_;
  std::unique_ptr<handlers::Dependencies> services_;
  std::unique_ptr<handlers::Discovery> discovery_;
  std::unique_ptr<handlers::Router> router_;
  std::unique_ptr<handlers::Aggregation> aggregation_;
  std::vector<std::string> api_audiences_;
  TokenAuthenticators file_tokens_;  // and bootstrap tokens: they are for whoever takes this API's
  std::shared_ptr<const auth::ServiceAccountTokens> account_tokens_;  // null: no issuer is known
  std::unique_ptr<pipeline::Chain> chain_;
  std::unique_ptr<StoredPolicies> policies_;
  std::vector<RunningController> controllers_;
  http::CertificateFiles certificate_;
  std::unique_ptr<http::Server> http_;
};

base::Result<> Server::Parts::OpenData() {
  if (const std::string missing = MissingDefaults(options_.admission_plugins); !missing.empty()) {
    logger_.Warning(missing);
  }
  base::Result<resources::ApiResourceConfig> enabled = Enabled(options_);
  if (!enabled) return std::unexpected(enabled.error());
  base::Result<std::unique_ptr<http::IoThreads>> io = http::IoThreads::Start(ThreadsOf(options_), LogFailures());
  if (!io) return std::unexpected(io.error());
  io_ = *std::move(io);
  base::Result<std::unique_ptr<store::Store>> store = OpenStore(options_.store, logger_);
  if (!store) return std::unexpected(store.error());
  store_ = *std::move(store);
  base::Result<registry::ResourceTableRef> builtin = resources::MakeBuiltinTable(*enabled, store_.get());
  if (!builtin) return std::unexpected(builtin.error());
  builtin_ = *std::move(builtin);
  MakeClient();
  tables_ = std::make_unique<registry::ResourceTables>(builtin_);
  definitions_ = std::make_unique<customresources::ServedDefinitions>(
      *store_, *tables_,
      customresources::ServedDefinitions::Options{.features = enabled->features(),
                                                  .storage_version_hashes = enabled->shows_storage_versions(),
                                                  .webhooks = webhooks_.get()});
  if (base::Result<> served = definitions_->Start(); !served) return served;
  if (base::Result<> made = MakeAuthorizer(); !made) return made;
  if (base::Result<> made = MakeAdmission(); !made) return made;
  registry_ = std::make_unique<registry::Registry>(
      *store_, *tables_, clock_, random_, Hooks(),
      registry::RegistryOptions{.garbage_collection = options_.garbage_collection,
                                .unsafe_deletion = options_.gates.Enabled(kUnsafeDeletion)});
  const registry::Resource* events = builtin_->Find("", "v1", "events");
  if (events != nullptr && options_.event_ttl.count() > 0) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(options_.event_ttl);
    event_expiry_ = std::make_unique<registry::Expiry>(*store_, events->storage->id, age, clock_);
    event_expiry_->Start();
  }
  const std::vector<registry::BootstrapObject> recorded = Recorded();
  // First, so that a new store is not held against what was put there a moment before.
  if (base::Result<> mended = ReconcileBootstrapRoles(*store_, *builtin_, recorded, clock_); !mended) return mended;
  base::Result<> put = registry::PutMissing(*store_, *builtin_, recorded, clock_, random_);
  if (put) done_.fetch_or(kObjects | kAdmission, std::memory_order_release);
  return put;
}

void Server::Parts::MakeClient() {
  std::vector<http::EventLoop*> loops;
  for (int i = 0; i < io_->size(); ++i) loops.push_back(&io_->loop(i));
  client_ = std::make_unique<http::Client>(std::move(loops));
  webhooks_ =
      std::make_unique<WebhookTransport>(WebhookTransport::Parts{.client = *client_,
                                                                 .store = *store_,
                                                                 .resources = *builtin_,
                                                                 .random = random_,
                                                                 .credentials = {},
                                                                 .routes_to_endpoints = options_.routes_to_endpoints});
}

std::vector<registry::BootstrapObject> Server::Parts::Recorded() const {
  return resources::ObjectsFor(*builtin_, [&](std::string_view gate) { return options_.gates.Enabled(gate); });
}

// What every node may do: the rules of the role that they had before there was an authorizer for them.
auth::PolicyRules Server::Parts::NodeRules() const {
  for (const registry::BootstrapObject& object : Recorded()) {
    if (object.kind != "ClusterRole") continue;
    value::Arena arena;
    const base::Result<value::Value> role = value::ReadJson(object.json, arena);
    if (role && role->Get("metadata").GetString("name") == "system:node") {
      return auth::ParsePolicyRules(role->Get("rules"));
    }
  }
  return {};
}

// The authorizers of --authorization-mode in order, after the one that lets system:masters do everything.
base::Result<> Server::Parts::MakeAuthorizer() {
  std::vector<std::unique_ptr<auth::Authorizer>> authorizers;
  authorizers.push_back(std::make_unique<auth::PrivilegedGroup>("system:masters"));
  for (const std::string& mode : options_.access.authorization_modes) {
    if (mode == "AlwaysAllow") authorizers.push_back(std::make_unique<auth::AlwaysAllow>());
    if (mode == "AlwaysDeny") authorizers.push_back(std::make_unique<auth::AlwaysDeny>());
    if (mode == "Node") {
      auth::NodeAuthorizer::Options options{.rules = NodeRules(),
                                            .selectors = options_.gates.Enabled("AuthorizeNodeWithSelectors")};
      authorizers.push_back(std::make_unique<auth::NodeAuthorizer>(*store_, *builtin_, std::move(options)));
    }
    if (mode == "ABAC") {
      auto abac = auth::Abac::Load(options_.access.policy_file);
      if (!abac) return std::unexpected(abac.error());
      authorizers.push_back(*std::move(abac));
    }
    if (mode == "RBAC") {
      auto made = std::make_unique<auth::Rbac>(auth::RbacPolicy::Builder().Build());
      rbac_ = made.get();
      authorizers.push_back(std::move(made));
    }
  }
  authorizer_ = std::make_unique<auth::AuthorizerChain>(std::move(authorizers));
  return {};
}

base::Result<> Server::Parts::MakeAdmission() {
  auto configuration = AdmissionConfiguration::Read(options_.admission_configuration_file);
  if (!configuration) return std::unexpected(std::move(configuration.error()));
  admission_configuration_ = *std::move(configuration);
  auto chain = MakeAdmissionChain(
      {.store = *store_,
       .resources = *builtin_,
       .authorizer = *authorizer_,
       .plugins = options_.admission_plugins,
       .toleration_seconds = {options_.not_ready_toleration_seconds, options_.unreachable_toleration_seconds},
       .node_restriction = {.any_certificate_requests =
                                options_.gates.Enabled("AllowInsecureKubeletCertificateSigningRequests"),
                            .audiences = options_.gates.Enabled("ServiceAccountNodeAudienceRestriction")},
       .configuration = *admission_configuration_,
       .relax_pod_security = options_.gates.Enabled("UserNamespacesPodSecurityStandards"),
       .mutating_policies = options_.gates.Enabled("MutatingAdmissionPolicy"),
       .client = *client_,
       .random = random_,
       .metrics = metrics_,
       .routes_to_endpoints = options_.routes_to_endpoints});
  if (!chain) return std::unexpected(std::move(chain.error()));
  admission_ = *std::move(chain);
  return {};
}

registry::WriteHooks Server::Parts::Hooks() {
  return {.admission = admission_.get(),
          .allocate = AllocateHook(),
          .complete = [this](registry::WriteContext& context, const value::Value& object,
                             const value::Value* old) { return definitions_->Complete(context, object, old); },
          .committed = [this](const registry::Resource& resource,
                              std::string_view key) { definitions_->Committed(resource, key); }};
}

// Services take their addresses and ports from here.
registry::WriteHooks::Allocate Server::Parts::AllocateHook() {
  const registry::Resource* services = builtin_->Find("", "v1", "services");
  if (services == nullptr) return {};
  service_allocator_.emplace(
      *store_, services->storage->id,
      resources::core::ServiceAllocator::Options{.address_ranges = ServiceRanges(options_.service_range),
                                                 .first_port = options_.node_ports.first,
                                                 .port_count = options_.node_ports.count},
      random_);
  return [this, services](registry::WriteContext& context, const value::Value& object, const value::Value* old,
                          bool dry_run) -> api::Result<registry::Reservation> {
    if (&context.resource != services) return registry::Reservation();
    return service_allocator_->Allocate(context, object, old, dry_run);
  };
}

base::Result<> Server::Parts::MakeEndpoints() {
  const auto done = [this](Stage stage) {
    return [this, stage] { return (done_.load(std::memory_order_acquire) & stage) != 0 ? "" : "not finished"; };
  };
  const auto served_since = clock_.Monotonic();
  health_ = std::make_unique<handlers::Health>(handlers::Health::Standard({
      .store =
          [this] {
            base::Result<> health = store_->Health();
            return health ? std::string() : health.error().message;
          },
      .admission = done(kAdmission),
      .objects = done(kObjects),
      .place = done(kPlace),
      .policies =
          [this] {
            if (!policies_) return "not finished";
            return policies_->following() ? "" : "changes of stored policies are not heard of";
          },
      .serving = done(kServing),
      .running = [this] { return stopping_.load(std::memory_order_acquire) ? "process is shutting down" : ""; },
      .in_grace = [this, served_since] { return clock_.Monotonic() - served_since < options_.livez_grace; },
      .fairness = options_.fairness,
      .identity = options_.gates.Enabled("APIServerIdentity"),
      .api_service_status = options_.controllers.api_services,
  }));
  health_->Install(endpoints_);
  handlers::InstallVersion(handlers::ServedVersion(), endpoints_);
  handlers::AddServedMetrics(*store_, *tables_, handlers::ServedVersion(), metrics_);
  base::AddProcessMetrics(metrics_);
  handlers::InstallMetrics(metrics_, *health_, clock_.Now(), endpoints_);
  open_api_ = std::make_unique<handlers::OpenApi>(
      *tables_, "1.32", clock_,
      handlers::OpenApi::Options{
          .cbor = options_.gates.Enabled("CBORServingAndStorage"),
          .enums = options_.gates.Enabled("OpenAPIEnums"),
          .custom_schema = [this](const registry::Resource& resource, handlers::OpenApiVersion version, bool list) {
            return definitions_->OpenApiSchema(resource,
                                               version == handlers::OpenApiVersion::kV2
                                                   ? customresources::OpenApiForm::kV2
                                                   : customresources::OpenApiForm::kV3,
                                               list);
          }});
  open_api_->Install(endpoints_);
  handlers::InstallIndex([this] { return discovery_->Paths(); }, endpoints_);
  if (!options_.service_accounts.issuers.empty()) {
    const std::string own_keys = Cat("https://", ExternalAddress(), "/openid/v1/jwks");
    const std::string& keys = options_.service_accounts.jwks_uri;
    handlers::OpenIdFacts facts{.issuer = options_.service_accounts.issuers[0],
                                .jwks_uri = keys.empty() ? own_keys : keys,
                                .key_files_pem = {}};
    base::Result<std::vector<std::string>> files = ReadFiles(options_.service_accounts.key_files);
    if (!files) return std::unexpected(files.error());
    facts.key_files_pem = *std::move(files);
    handlers::InstallOpenId(std::move(facts), endpoints_);
  }
  if (base::Result<> made = MakeTokens(); !made) return made;
  AddSubresources();
  if (options_.fairness) AddFlowDumps();
  handlers::Settings settings;
  settings.cbor = options_.gates.Enabled("CBORServingAndStorage");
  settings.unsafe_deletion = options_.gates.Enabled(kUnsafeDeletion);
  settings.watch_lists = options_.gates.Enabled("WatchList");
  settings.min_request_timeout = std::chrono::duration_cast<std::chrono::seconds>(options_.min_request_timeout);
  replaced_ = std::make_unique<handlers::ReplacedResources>(*tables_);
  services_ = std::make_unique<handlers::Dependencies>(*registry_, clock_, random_, subresources_, settings,
                                                       replaced_.get(), RightCheck());
  discovery_ = std::make_unique<handlers::Discovery>(
      *tables_, handlers::Discovery::Options{.server_address = ExternalAddress(), .cbor = settings.cbor});
  router_ = std::make_unique<handlers::Router>(*services_, endpoints_, *discovery_);
  aggregation_ = std::make_unique<handlers::Aggregation>(*router_, *discovery_);
  return {};
}

// Those of files and of service accounts, and what gives the latter out.
base::Result<> Server::Parts::MakeTokens() {
  base::Result<TokenAuthenticators> files = FileTokens(options_.access);
  if (!files) return std::unexpected(files.error());
  file_tokens_ = *std::move(files);
  if (options_.access.bootstrap_tokens) {
    file_tokens_.push_back(std::make_shared<const auth::BootstrapTokens>(*store_, *builtin_, clock_));
  }
  const ServiceAccountOptions& accounts = options_.service_accounts;
  api_audiences_ = accounts.audiences.empty() ? accounts.issuers : accounts.audiences;
  if (accounts.issuers.empty()) return {};
  std::vector<std::string> key_files = accounts.key_files;
  if (key_files.empty() && !accounts.signing_key_file.empty()) key_files = {accounts.signing_key_file};
  base::Result<std::vector<std::string>> pem = ReadFiles(key_files);
  if (!pem) return std::unexpected(pem.error());
  auto keys = auth::TokenKeys::Parse(*pem);
  if (!keys) return std::unexpected(keys.error());
  account_tokens_ = std::make_shared<const auth::ServiceAccountTokens>(
      auth::ServiceAccountTokens::Options{.issuers = accounts.issuers, .audiences = api_audiences_, .keys = *keys},
      *store_, *builtin_, clock_);
  if (accounts.signing_key_file.empty()) return {};
  base::Result<std::string> signing = base::ReadFile(accounts.signing_key_file);
  if (!signing) return std::unexpected(signing.error());
  auto signer = auth::TokenSigner::Parse(*signing);
  if (!signer) return std::unexpected(signer.error());
  handlers::AddTokenRequests({.issuer = accounts.issuers[0],
                              .audiences = api_audiences_,
                              .signer = *signer,
                              .longest = accounts.longest_token,
                              .extends_hour = accounts.extend_tokens},
                             subresources_);
  return {};
}

// Whose a token is, for reviews. Tokens of files are for this API only.
base::Task<handlers::TokenVerdict> Server::Parts::ReviewToken(std::string_view token,
                                                              const std::vector<std::string>& audiences) {
  handlers::TokenVerdict verdict{.user = nullptr, .audiences = {}, .error = "invalid bearer token"};
  const auto is_wanted = [&](const std::string& one) { return std::ranges::find(audiences, one) != audiences.end(); };
  std::vector<std::string> own;
  std::ranges::copy_if(api_audiences_, std::back_inserter(own), is_wanted);
  if (!own.empty() || api_audiences_.empty()) {
    for (const auto& file : file_tokens_) {
      const auth::Identity identity = file->AuthenticateToken(token);
      if (identity.outcome == auth::Identity::Outcome::kUser)
        co_return handlers::TokenVerdict{identity.user, std::move(own), ""};
    }
  }
  if (!account_tokens_) co_return verdict;
  auth::ServiceAccountTokens::Verdict found = account_tokens_->Review(token, audiences);
  if (found.identity.user)
    co_return handlers::TokenVerdict{std::move(found.identity.user), std::move(found.audiences), ""};
  const bool rejected = found.identity.outcome == auth::Identity::Outcome::kRejected;
  if (rejected) verdict.error = Cat("[invalid bearer token, ", found.identity.reason, "]");
  co_return verdict;
}

handlers::RightCheck Server::Parts::RightCheck() {
  return [this](const api::RequestContext& context, std::string_view verb) -> std::optional<std::string> {
    auth::Attributes attributes = auth::AttributesOf(context);
    attributes.verb = verb;
    auth::Decision decision = authorizer_->Authorize(attributes, /*explain=*/false);
    if (decision.allowed()) return std::nullopt;
    return std::move(decision.reason);
  };
}

// How many objects a list of that resource goes through, of all namespaces.
size_t Server::Parts::CountObjects(const api::RequestInfo& info) const {
  const registry::ResourceTableRef table = tables_->Snapshot();
  const registry::Resource* resource = table->Find(info.group, info.version, info.resource);
  if (resource == nullptr || resource->storage == nullptr) return 0;
  return store_->Latest(resource->storage->id).Count();
}

void Server::Parts::AddFlowDumps() {
  const auto add = [this](std::string_view name, std::string (*dump)(const pipeline::FlowControl&, const api::Query&)) {
    endpoints_.Unlisted(
        Cat("/debug/api_priority_and_fairness/", name), handlers::Sync([this, dump](exchange::Exchange& exchange) {
          exchange::Response response;
          response.headers.Add("content-type", "text/plain; charset=utf-8");
          response.body =
              std::vector<base::Slice>{base::Slice::Own(dump(chain_->flow_control(), exchange.context().query))};
          return response;
        }));
  };
  add("dump_priority_levels", [](const pipeline::FlowControl& flows, const api::Query&) { return flows.DumpLevels(); });
  add("dump_queues", [](const pipeline::FlowControl& flows, const api::Query&) { return flows.DumpQueues(); });
  add("dump_requests", [](const pipeline::FlowControl& flows, const api::Query& query) {
    return flows.DumpRequests(!query.Get("includeRequestDetails").empty());
  });
}

void Server::Parts::AddSubresources() {
  handlers::AddScales(subresources_, [](const registry::Resource& resource) -> std::optional<handlers::ScalePaths> {
    const customresources::CustomFacts* facts = customresources::FactsOf(resource);
    if (facts == nullptr || !facts->scale) return std::nullopt;
    return handlers::ScalePaths{facts->scale->spec_replicas, facts->scale->status_replicas,
                                facts->scale->label_selector};
  });
  handlers::AddBindings(subresources_);
  handlers::AddEvictions(subresources_);
  handlers::AddConnections(subresources_);
  handlers::AddComponentStatuses(subresources_);
  handlers::AddReviews(*authorizer_, subresources_);
  handlers::AddTokenReview([this](std::string_view token,
                                  const std::vector<std::string>& audiences) { return ReviewToken(token, audiences); },
                           api_audiences_, subresources_);
}

base::Result<> Server::Parts::MakePipeline() {
  TokenAuthenticators tokens = file_tokens_;
  if (account_tokens_) tokens.push_back(account_tokens_);
  auto authenticators = Authenticators(options_.access, std::move(tokens), clock_);
  if (!authenticators) return std::unexpected(authenticators.error());
  base::Result<pipeline::AllowedOrigins> origins = pipeline::AllowedOrigins::Parse(options_.allowed_origins);
  if (!origins) return std::unexpected(origins.error());
  pipeline::Parts parts{
      .clock = clock_,
      .random = random_,
      .write_error = [](exchange::Exchange& exchange,
                        const api::Error& error) { return handlers::RespondError(exchange, error); },
      .observer = [this](exchange::Exchange& exchange, exchange::Response& response, std::chrono::nanoseconds took,
                         std::string_view failure) { Observe(exchange, response, took, failure); },
      .authenticators = *std::move(authenticators),
      .anonymous = options_.access.anonymous,
      .authorizer = *authorizer_,
      .flow_control = {.limits = options_.in_flight,
                       .longest_wait = options_.request_timeout / 4,
                       .object_count = [this](const api::RequestInfo& info) { return CountObjects(info); }},
      .request_timeout = options_.request_timeout,
      .connection_headers = options_.connection_headers,
      .allowed_origins = *std::move(origins),
      .drain = options_.drain,
  };
  chain_ = std::make_unique<pipeline::Chain>(std::move(parts), *aggregation_);
  request_metrics_.Follow(chain_->flow_control());
  if (options_.fairness) chain_->flow_control().CountIn(metrics_);
  policies_ = std::make_unique<StoredPolicies>(
      *store_, *builtin_, io_->executor(0), logger_,
      StoredPolicies::Publish{
          .rbac =
              [this](auto policy) {
                if (rbac_) rbac_->Publish(std::move(policy));
              },
          .flow_schemas =
              [this](auto schemas) {
                if (options_.fairness) chain_->flow_control().Publish(std::move(schemas));
              },
          .api_services = [this](auto services) { discovery_->Publish(std::move(services)); },
      });
  policies_->Start();
  return {};
}

std::function<void(std::string_view)> Server::Parts::LogFailures() {
  return [this](std::string_view failure) {
    logger_.Error("An exception broke off what it came up in", {{"err", failure}});
  };
}

base::Result<> Server::Parts::Listen() {
  base::Result<http::CertificateFiles> certificate = Certificate(options_);
  if (!certificate) return std::unexpected(certificate.error());
  certificate_ = *std::move(certificate);
  http::ServerOptions http_options{.bind_address = options_.bind_address,
                                   .port = options_.port,
                                   .reuse_port = options_.share_port,
                                   .certificate = certificate_,
                                   .named_certificates = options_.named_certificates,
                                   .tls_parameters = options_.tls,
                                   .limits = options_.limits,
                                   .on_failure = LogFailures()};
  base::Result<std::unique_ptr<http::Server>> http = http::Server::Start(http_options, *chain_, *io_);
  if (!http) return std::unexpected(http.error());
  http_ = *std::move(http);
  return {};
}

base::Result<> Server::Parts::PublishKubernetesService() {
  resources::ServerPlace place{.service_ip = FirstServiceAddress(options_.service_range),
                               .advertise_address = AdvertiseAddress(),
                               .port = http_->port(),
                               .hostname = MachineName(),
                               .has_identity = options_.gates.Enabled("APIServerIdentity")};
  resources::PlaceObjects objects(place, clock_, random_);
  base::Result<> put = registry::PutMissing(*store_, *builtin_, objects.objects(), clock_, random_);
  if (put) done_.fetch_or(kPlace, std::memory_order_release);
  return put;
}

base::Result<> Server::Parts::StartControllers() {
  base::Result<std::unique_ptr<http::IoThreads>> background = http::IoThreads::Start(1, LogFailures());
  if (!background) return std::unexpected(background.error());
  background_ = *std::move(background);
  const auto start = [this]<class Controller>(std::type_identity<Controller>, bool wanted, auto... more) {
    if (!wanted) return;
    auto controller = std::make_shared<Controller>(*registry_, clock_, background_->executor(0), std::move(more)...);
    controller->Start();
    controllers_.push_back([controller](absl::AnyInvocable<void()> stopped) { controller->Stop(std::move(stopped)); });
  };
  const ControllerOptions& wanted = options_.controllers;
  start(std::type_identity<controllers::NamespaceDeleter>(), wanted.namespaces);
  start(std::type_identity<controllers::GarbageCollector>(), wanted.garbage_collector);
  start(std::type_identity<controllers::DisruptionController>(), wanted.disruption);
  start(std::type_identity<controllers::QuotaController>(), wanted.quotas);
  start(std::type_identity<controllers::RoleAggregator>(), wanted.cluster_roles);
  start(std::type_identity<controllers::PolicyStatus>(), wanted.policies, CheckPolicyTypes);
  start(std::type_identity<controllers::FlowSchemaConditions>(), wanted.flow_schemas);
  start(std::type_identity<controllers::ApiServiceConditions>(), wanted.api_services);
  start(std::type_identity<controllers::DefinitionFinalizer>(), true);
  start(std::type_identity<controllers::ApiServiceRegistration>(), true);  // kube-apiserver itself does this
  done_.fetch_or(kServing, std::memory_order_release);
  return {};
}

void Server::Parts::StopServing() {
  using std::chrono::milliseconds;
  const auto grace = std::chrono::duration_cast<milliseconds>(options_.shutdown_grace);
  // Who is told to come again must still find somebody to tell it.
  if (options_.drain.send_retry_after) http_->WaitForRequests(grace);
  http_->Stop(grace, std::chrono::duration_cast<milliseconds>(options_.shutdown_watch_grace));
}

// Waits until the writes that they have begun are done; their thread ends before they go.
void Server::Parts::StopControllers() {
  for (RunningController& stop : controllers_) {
    std::promise<void> stopped;
    stop([&] { stopped.set_value(); });
    stopped.get_future().wait();
  }
  background_.reset();
  controllers_.clear();
}

base::Result<std::unique_ptr<Server>> Server::Start(const Options& options, base::Logger& logger) {
  auto parts = std::make_unique<Parts>(options, logger);
  if (base::Result<> started = parts->Start(); !started) return std::unexpected(started.error());
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() { Stop(); }
uint16_t Server::port() const { return parts_->port(); }
const std::string& Server::certificate_file() const { return parts_->certificate_file(); }
void Server::BeginStop() { parts_->BeginStop(); }
void Server::Stop() { parts_->Stop(); }
void Server::Compact(engine::Revision revision) { parts_->Compact(revision); }

}  // namespace server
