#include "server/flags.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "server/feature_gates.h"
#include "server/options.h"
#include "server/unenforced_controls.h"

namespace server {
namespace {

using Arguments = std::vector<std::string_view>;

base::Result<FlagValues> Parse(const Arguments& arguments) {
  FlagStyle style{.program = "kube-apiserver", .known = KubeApiserverFlags()};
  return FlagValues::Parse(style, arguments);
}

std::string ErrorOf(const Arguments& arguments) {
  base::Result<FlagValues> parsed = Parse(arguments);
  return parsed ? "" : parsed.error().message;
}

TEST(FlagTables, AreSortedAndKnowTheRealNames) {
  for (std::span<const Flag> flags : {KubeApiserverFlags(), EtcdFlags(), ServeFlags()}) {
    EXPECT_TRUE(std::ranges::is_sorted(flags, {}, &Flag::name));
  }
  EXPECT_GT(KubeApiserverFlags().size(), 150U);
  EXPECT_TRUE(std::ranges::is_sorted(AllFeatureGates(), {}, &FeatureGate::name));
}

TEST(Flags, RefusesInTheWordsOfTheRealServer) {
  struct Case {
    Arguments arguments;
    std::string_view error;
  };
  const Case cases[] = {
      {{"--bogus=1"}, "unknown flag: --bogus"},
      {{"--insecure-port=0"}, "unknown flag: --insecure-port"},
      {{"-x"}, "unknown shorthand flag: 'x' in -x"},
      {{"extra"}, "\"kube-apiserver\" does not take any arguments, got [\"extra\"]"},
      {{"--secure-port"}, "flag needs an argument: --secure-port"},
      {{"--secure-port=abc"},
       "invalid argument \"abc\" for \"--secure-port\" flag: strconv.ParseInt: parsing \"abc\": invalid syntax"},
      {{"--allow-privileged=zz"},
       "invalid argument \"zz\" for \"--allow-privileged\" flag: strconv.ParseBool: parsing \"zz\": invalid syntax"},
      {{"--bind-address=foo"}, "invalid argument \"foo\" for \"--bind-address\" flag: failed to parse IP: \"foo\""},
      {{"--shutdown-delay-duration=foo"},
       "invalid argument \"foo\" for \"--shutdown-delay-duration\" flag: time: invalid duration \"foo\""},
      {{"--v=foo"},
       "invalid argument \"foo\" for \"-v, --v\" flag: strconv.ParseUint: parsing \"foo\": invalid syntax"},
      {{"--vmodule=foo"},
       "invalid argument \"foo\" for \"--vmodule\" flag: \"foo\" does not have the pattern=N format"},
  };
  for (const Case& c : cases) EXPECT_EQ(ErrorOf(c.arguments), c.error);
}

TEST(Flags, ReadsEveryFormThatPflagReads) {
  base::Result<FlagValues> flags =
      Parse({"--secure-port", "1", "--secure-port=2", "--allow-privileged", "-v=4", "--etcd_servers=a,b",
             "--etcd-servers", "c", "--service-account-key-file=x,y", "--request-timeout=1m30s"});
  ASSERT_TRUE(flags) << flags.error().message;
  EXPECT_EQ(flags->Int("secure-port"), 2);
  EXPECT_TRUE(flags->Bool("allow-privileged"));
  EXPECT_EQ(flags->Int("v"), 4);
  EXPECT_EQ(flags->List("etcd-servers"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(flags->List("service-account-key-file"), (std::vector<std::string>{"x,y"}));
  EXPECT_EQ(flags->Duration("request-timeout"), std::chrono::seconds(90));
  EXPECT_EQ(flags->Int("max-requests-inflight"), 400) << "the default";
  EXPECT_FALSE(flags->IsSet("bind-address"));
}

TEST(Flags, EtcdTakesOneDash) {
  FlagStyle style{.program = "etcd", .known = EtcdFlags(), .single_dash = true};
  Arguments good{"-data-dir", "/d", "--unsafe-no-fsync"};
  base::Result<FlagValues> flags = FlagValues::Parse(style, good);
  ASSERT_TRUE(flags) << flags.error().message;
  EXPECT_EQ(flags->Text("data-dir"), "/d");
  EXPECT_TRUE(flags->Bool("unsafe-no-fsync"));
  Arguments bad{"--bogus"};
  EXPECT_EQ(FlagValues::Parse(style, bad).error().message, "flag provided but not defined: -bogus");
}

TEST(Flags, HelpBeginsALineWithEachFlag) {
  std::string help = FlagHelp(KubeApiserverFlags());
  EXPECT_NE(help.find("\n      --secure-port int"), std::string::npos);
  EXPECT_EQ(help.find("--insecure-port"), std::string::npos) << "by which envtest tells old servers";
  EXPECT_EQ(help.find("--apiserver-count"), std::string::npos) << "deprecated ones are hidden";
}

TEST(Flags, HelpSaysWhatEachFlagIsFor) {
  for (std::span<const Flag> flags : {KubeApiserverFlags(), ServeFlags()}) {
    for (const Flag& flag : flags) {
      EXPECT_FALSE(flag.description.empty()) << flag.name;
      EXPECT_TRUE(flag.effect == Flag::Effect::kHonoured || !flag.note.empty()) << flag.name << " does not say why";
    }
  }
  const std::string help = FlagHelp(ServeFlags(), /*first=*/true);
  const size_t first = help.find("Flags that most people use:"), other = help.find("Admission flags:");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(first, other);
  EXPECT_LT(help.find("\n      --data-dir string   "), other);
  EXPECT_GT(help.find("--tls-min-version"), other);
  EXPECT_EQ(help.find("--data-dir"), help.rfind("--data-dir")) << "each stands there once";
  EXPECT_NE(help.find("Port to serve on (default 6443)"), std::string::npos);
  EXPECT_EQ(FlagHelp(KubeApiserverFlags()).find("most people"), std::string::npos);
}

TEST(FeatureGates, ParsesAndRefuses) {
  struct Case {
    std::string value, error;
  };
  const Case cases[] = {
      {"Foo=true", "unrecognized feature gate: Foo"},
      {"kube:Foo=true", "unrecognized feature gate: Foo"},
      {"wardle:Foo=true", "component not registered: wardle"},
      {"Foo", "missing bool value for Foo"},
      {"CBORServingAndStorage=maybe",
       "invalid value of CBORServingAndStorage=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax"},
      {"WatchList=true,AppArmor=false", "cannot set feature gate AppArmor to false, feature is locked to true"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> warnings;
    base::Result<FeatureGates> gates = FeatureGates::Parse(std::span(&c.value, 1), warnings);
    ASSERT_FALSE(gates) << c.value;
    EXPECT_EQ(gates.error().message, c.error);
  }
}

TEST(FeatureGates, ANameStandsAboveItsStage) {
  std::vector<std::string> values{"AllAlpha=true", "kube:CBORServingAndStorage=false"}, warnings;
  base::Result<FeatureGates> gates = FeatureGates::Parse(values, warnings);
  ASSERT_TRUE(gates);
  EXPECT_FALSE(gates->Enabled("CBORServingAndStorage"));
  EXPECT_TRUE(gates->Enabled("AllowUnsafeMalformedObjectDeletion"));
  EXPECT_TRUE(FeatureGates().Enabled("APIServerIdentity"));
  EXPECT_FALSE(FeatureGates().Enabled("CBORServingAndStorage"));
  EXPECT_FALSE(FeatureGates().Enabled("NoSuchGate"));
  EXPECT_TRUE(gates->Features().Has(api::Feature::kImageVolume));
  EXPECT_FALSE(FeatureGates().Features().Has(api::Feature::kImageVolume));
}

TEST(FeatureGates, FeaturesAreGatesWithTheSameDefaults) {
  for (const api::FeatureRow& row : api::AllFeatures()) {
    auto gate = std::ranges::find(AllFeatureGates(), row.gate, &FeatureGate::name);
    ASSERT_NE(gate, AllFeatureGates().end()) << row.gate;
    EXPECT_EQ(gate->on_by_default, row.on_by_default) << row.gate;
    EXPECT_FALSE(gate->locked) << row.gate;
  }
}

TEST(Options, ComplainsAsTheRealServer) {
  struct Case {
    Arguments arguments;
    std::string_view error;
  };
  const Case cases[] = {
      {{"--secure-port=70000"},
       "--secure-port 70000 must be between 1 and 65535, inclusive. It cannot be turned off with 0"},
      {{"--authorization-mode=Foo"}, "authorization-mode \"Foo\" is not a valid mode"},
      {{"--authorization-mode=RBAC,RBAC"}, "authorization-mode [\"RBAC\" \"RBAC\"] has mode specified more than once"},
      {{"--enable-admission-plugins=Foo"}, "enable-admission-plugins plugin \"Foo\" is unknown"},
      {{"--disable-admission-plugins=Bar"}, "disable-admission-plugins plugin \"Bar\" is unknown"},
      {{"--admission-control=Bar"}, "admission-control plugin \"Bar\" is unknown"},
      {{"--admission-control=Priority", "--enable-admission-plugins=Priority"},
       "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive"},
      {{"--enable-admission-plugins=Priority,AlwaysAdmit", "--disable-admission-plugins=AlwaysAdmit,Priority"},
       "[AlwaysAdmit Priority] in enable-admission-plugins and disable-admission-plugins overlapped"},
      {{"--authorization-mode=ABAC"}, "authorization-mode ABAC's authorization policy file not passed"},
      {{"--authorization-mode=Webhook"}, "authorization-mode Webhook's authorization config file not passed"},
      {{"--authorization-policy-file=x"}, "cannot specify --authorization-policy-file without mode ABAC"},
      {{"--authorization-webhook-config-file=x"},
       "cannot specify --authorization-webhook-config-file without mode Webhook"},
      {{"--encryption-provider-config-automatic-reload"},
       "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config"},
      {{"--livez-grace-period=-1s"}, "--livez-grace-period can not be negative value"},
      {{"--max-requests-inflight=-1"}, "--max-requests-inflight can not be negative value"},
      {{"--service-cluster-ip-range=foo"}, "service-cluster-ip-range[0] is not a valid cidr"},
      {{"--service-cluster-ip-range=10.0.0.0/8"},
       "specified --service-cluster-ip-range is too large; for 32-bit addresses, the mask must be >= 12"},
      {{"--controllers=*,-foo"}, "\"foo\" is not in the list of known controllers"},
      {{"--service-cluster-ip-range=10.0.0.0/24,foo"}, "service-cluster-ip-range[1] is not an ip net"},
      {{"--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24"},
       "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family"},
      {{"--service-cluster-ip-range=10.0.0.0/24,fd00::/64"},
       "specified --service-cluster-ip-range[1] is too large; for 128-bit addresses, the mask must be >= 108"},
      {{"--service-cluster-ip-range=10.0.0.0/24,fd00::/112,10.2.0.0/24"},
       "--service-cluster-ip-range must not contain more than two entries"},
      {{"--runtime-config=apps/v9=true"}, "group version apps/v9 that has not been registered"},
      {{"--runtime-config=api/all=false"},
       "[--runtime-config=api/all=false conflicts with --enable-priority-and-fairness=true, invalid key with only "
       "api/all=false]"},
      {{"--feature-gates=AuthorizeWithSelectors=false"},
       "AuthorizeNodeWithSelectors feature requires AuthorizeWithSelectors feature to be enabled"},
      {{"--feature-gates=UnknownVersionInteroperabilityProxy=true"},
       "UnknownVersionInteroperabilityProxy feature requires StorageVersionAPI feature flag to be enabled"},
      {{"--emulated-version=1.30"}, "emulation version 1.30 is not between [1.31, 1.32.0]"},
      {{"--emulated-version=kube=1.33"}, "emulation version 1.33 is not between [1.31, 1.32.0]"},
      {{"--emulated-version=foo=1.31"}, "component not registered: foo"},
      {{"--emulated-version=x"}, "could not parse \"x\" as version"},
      {{"--emulated-version=1"}, "illegal version string \"1\""},
      {{"--emulated-version=01.32"}, "illegal zero-prefixed version component \"01\" in \"01.32\""},
      {{"--emulated-version=v1.32.1-a"}, "patch version not allowed, got: kube=1.32.1"},
      {{"--emulated-version=kube=1.31", "--emulated-version=1.32"}, "duplicate version flag, kube=1.31 and kube=1.32"},
      {{"--tls-min-version=foo"}, "unknown tls version \"foo\""},
      {{"--tls-cert-file=/x"}, "missing filename for serving cert"},
      {{"--storage-backend=etcd2", "--min-request-timeout=-1"},
       "[--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3', "
       "--min-request-timeout can not be negative value]"},
  };
  for (const Case& c : cases) {
    base::Result<FlagValues> flags = Parse(c.arguments);
    ASSERT_TRUE(flags) << flags.error().message;
    std::vector<std::string> warnings;
    base::Result<Options> options = OptionsOf(*flags, warnings);
    ASSERT_FALSE(options) << c.error;
    EXPECT_EQ(options.error().message, c.error);
  }
}

TEST(Options, FairnessHasItsController) {
  for (bool fairness : {true, false}) {
    base::Result<FlagValues> flags = Parse({fairness ? "--v=0" : "--enable-priority-and-fairness=false"});
    ASSERT_TRUE(flags);
    std::vector<std::string> warnings;
    base::Result<Options> options = OptionsOf(*flags, warnings);
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->fairness, fairness);
    EXPECT_EQ(options->controllers.flow_schemas, fairness);
    EXPECT_TRUE(options->controllers.namespaces);
  }
}

// What the arguments stand for, beside those that keep warnings away.
base::Result<Options> Chosen(Arguments arguments, std::vector<std::string>& warnings) {
  arguments.insert(arguments.begin(), {"--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=RBAC"});
  base::Result<FlagValues> flags = Parse(arguments);
  if (!flags) return std::unexpected(flags.error());
  return OptionsOf(*flags, warnings);
}

TEST(Options, WarnsOfFlagsThatDoNothing) {
  std::vector<std::string> warnings;
  base::Result<Options> options = Chosen({"--profiling=false", "--runtime-config=v1,batch/v1=false"}, warnings);
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("--profiling has no effect: ")) << warnings[0];
  EXPECT_EQ(options->runtime_config,
            (std::vector<std::pair<std::string, std::string>>{{"/v1", ""}, {"batch/v1", "false"}}));
}

TEST(Options, AFlagThatProtectsIsHonouredOrRefused) {
  struct Case {
    std::string_view argument, setting;
    Arguments with = {};
  };
  const Case cases[] = {
      {"--encryption-provider-config=/x", "--encryption-provider-config"},
      {"--audit-policy-file=/x", "--audit-policy-file"},
      {"--audit-log-path=-", "--audit-log-path"},
      {"--audit-webhook-config-file=/x", "--audit-webhook-config-file"},
      {"--authentication-config=/x", "--authentication-config"},
      {"--authorization-config=/x", "--authorization-config"},
      {"--authentication-token-webhook-config-file=/x", "--authentication-token-webhook-config-file"},
      {"--egress-selector-config-file=/x", "--egress-selector-config-file"},
      {"--oidc-issuer-url=https://x", "--oidc-issuer-url"},
      {"--oidc-required-claim=a=b", "--oidc-required-claim"},
      {"--service-account-signing-endpoint=/x", "--service-account-signing-endpoint"},
      {"--enable-admission-plugins=Priority,ImagePolicyWebhook", "--enable-admission-plugins=ImagePolicyWebhook"},
      {"--admission-control=ImagePolicyWebhook", "--admission-control=ImagePolicyWebhook"},
      {"--authorization-webhook-config-file=/x", "--authorization-mode=Webhook", {"--authorization-mode=Webhook"}},
  };
  for (const Case& c : cases) {
    Arguments arguments = c.with;
    arguments.push_back(c.argument);
    std::vector<std::string> warnings;
    base::Result<Options> options = Chosen(arguments, warnings);
    ASSERT_FALSE(options) << c.argument;
    EXPECT_NE(options.error().message.find(base::Cat(c.setting, ": ")), std::string::npos) << options.error().message;
    EXPECT_NE(options.error().message.find("--allow-unenforced-flags"), std::string::npos);
    arguments.push_back("--allow-unenforced-flags");
    warnings.clear();
    options = Chosen(arguments, warnings);
    ASSERT_TRUE(options) << options.error().message;
    const auto says_so = [&](const std::string& warning) {
      return warning.starts_with(base::Cat(c.setting, " is NOT ENFORCED: "));
    };
    EXPECT_TRUE(std::ranges::any_of(warnings, says_so)) << c.argument;
  }
}

TEST(Options, NoRefusedFlagIsLeftOut) {
  for (const Flag& flag : KubeApiserverFlags()) {
    if (flag.effect != Flag::Effect::kRefused) continue;
    const std::string argument =
        flag.type == "bool" ? base::Cat("--", flag.name) : base::Cat("--", flag.name, "=something");
    base::Result<FlagValues> flags = Parse({argument});
    ASSERT_TRUE(flags) << argument;
    const std::vector<UnenforcedControl> controls = UnenforcedControls(*flags);
    ASSERT_EQ(controls.size(), 1U) << argument;
    EXPECT_EQ(controls[0].setting, base::Cat("--", flag.name));
  }
}

TEST(Options, ValuesThatAskForNothingAreTaken) {
  std::vector<std::string> warnings;
  const base::Result<Options> options =
      Chosen({"--audit-log-path=", "--encryption-provider-config=", "--enable-bootstrap-token-auth=false",
              "--oidc-username-claim=sub", "--oidc-signing-algs=RS256",
              "--requestheader-allowed-names=", "--enable-admission-plugins=", "--admission-control="},
             warnings);
  EXPECT_TRUE(options) << options.error().message;
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST(Options, WhatATestEnvironmentGivesIsTaken) {
  std::vector<std::string> warnings;
  const base::Result<Options> options =
      Chosen({"--advertise-address=127.0.0.1", "--allow-privileged=true", "--disable-admission-plugins=ServiceAccount",
              "--bind-address=127.0.0.1", "--secure-port=1234", "--cert-dir=/x", "--client-ca-file=/x/ca.crt",
              "--etcd-servers=http://127.0.0.1:1", "--service-account-issuer=https://127.0.0.1:1/",
              "--service-account-key-file=/x/sa.key", "--service-account-signing-key-file=/x/sa.key"},
             warnings);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  EXPECT_TRUE(options->privileged_containers);
}

TEST(Options, ProxiesThatSayWhoAsks) {
  std::vector<std::string> warnings;
  const auto options = Chosen({"--requestheader-client-ca-file=/x", "--requestheader-allowed-names=a,b",
                               "--requestheader-username-headers=X-Remote-User"},
                              warnings);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->access.proxy_ca_file, "/x");
  EXPECT_EQ(options->access.proxy_headers.allowed_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->access.proxy_headers.user_headers, std::vector<std::string>{"X-Remote-User"});
  EXPECT_EQ(Chosen({"--requestheader-uid-headers=X-Remote-Uid"}, warnings).error().message,
            "--requestheader-uid-headers requires the \"RemoteRequestHeaderUID\" feature to be enabled");
  EXPECT_EQ(Chosen({"--requestheader-group-headers= "}, warnings).error().message,
            "empty value in \"requestheader-group-headers\"");
}

TEST(Options, PluginsThatRun) {
  const auto runs = [](const Arguments& arguments, std::string_view plugin) {
    std::vector<std::string> warnings;
    const base::Result<Options> options = Chosen(arguments, warnings);
    EXPECT_TRUE(options) << options.error().message;
    return std::ranges::find(options->admission_plugins, plugin) != options->admission_plugins.end();
  };
  EXPECT_TRUE(runs({}, "NamespaceLifecycle"));
  EXPECT_FALSE(runs({}, "AlwaysPullImages"));
  EXPECT_FALSE(runs({"--disable-admission-plugins=NamespaceLifecycle,Priority"}, "NamespaceLifecycle"));
  EXPECT_TRUE(runs({"--enable-admission-plugins=AlwaysPullImages"}, "AlwaysPullImages"));
  EXPECT_TRUE(runs({"--enable-admission-plugins=AlwaysPullImages"}, "Priority"));
  EXPECT_FALSE(runs({"--admission-control=AlwaysPullImages"}, "Priority"));
  EXPECT_TRUE(runs({"--admission-control=AlwaysPullImages"}, "AlwaysPullImages"));
  EXPECT_NE(MissingDefaults(Options().admission_plugins).find("MutatingAdmissionPolicy"), std::string::npos);
  EXPECT_EQ(MissingDefaults({"Priority", "NodeRestriction"}), "");
}

TEST(Options, FlagsDoWhatTheySay) {
  std::vector<std::string> warnings;
  base::Result<Options> options =
      Chosen({"--default-not-ready-toleration-seconds=3", "--default-unreachable-toleration-seconds=4",
              "--livez-grace-period=5s", "--external-hostname=h"},
             warnings);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  EXPECT_EQ(options->not_ready_toleration_seconds, 3);
  EXPECT_EQ(options->unreachable_toleration_seconds, 4);
  EXPECT_EQ(options->livez_grace, std::chrono::seconds(5));
  EXPECT_EQ(options->external_hostname, "h");
  EXPECT_FALSE(options->privileged_containers) << "the default of kube-apiserver";
  FlagStyle style{.program = "fairlead serve", .known = ServeFlags()};
  options = OptionsOf(*FlagValues::Parse(style, {}), warnings);
  EXPECT_TRUE(options->privileged_containers);
}

TEST(Options, EmulatesItselfOnly) {
  for (const auto& [value, warned] :
       {std::pair("1.32", false), std::pair("v1.32.0", false), std::pair("", false), std::pair("kube=1.31", true)}) {
    const std::string flag = base::Cat("--emulated-version=", value);
    base::Result<FlagValues> flags =
        Parse({flag, "--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=RBAC"});
    ASSERT_TRUE(flags);
    std::vector<std::string> warnings;
    ASSERT_TRUE(OptionsOf(*flags, warnings)) << value;
    EXPECT_EQ(!warnings.empty(), warned) << value;
  }
}

TEST(Options, ControllersAreChosenByName) {
  struct Case {
    Arguments arguments;
    bool namespaces, garbage_collector;
    std::optional<bool> disruption = std::nullopt;
  };
  const Case cases[] = {
      {{"--v=1"}, true, true},
      {{"--controllers=*,-namespace-controller"}, false, true},
      {{"--controllers=-garbage-collector-controller,*"}, true, false},
      {{"--controllers=namespace-controller"}, true, false},
      {{"--controllers=*,-disruption-controller,-resourcequota-controller"}, true, true, false},
      {{"--controllers=disruption-controller,clusterrole-aggregation-controller"}, false, false, true},
      {{"--controllers="}, false, false},
      {{"--enable-garbage-collector=false"}, true, false},
  };
  for (const Case& c : cases) {
    base::Result<FlagValues> flags = Parse(c.arguments);
    ASSERT_TRUE(flags) << flags.error().message;
    std::vector<std::string> warnings;
    base::Result<Options> options = OptionsOf(*flags, warnings);
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->controllers.namespaces, c.namespaces) << c.arguments[0];
    EXPECT_EQ(options->controllers.garbage_collector, c.garbage_collector) << c.arguments[0];
    if (c.disruption) EXPECT_EQ(options->controllers.disruption, *c.disruption) << c.arguments[0];
  }
}

TEST(Options, TakesTheRangeOfNodePorts) {
  base::Result<FlagValues> flags = Parse({"--service-node-port-range=31000+9"});
  ASSERT_TRUE(flags);
  std::vector<std::string> warnings;
  base::Result<Options> options = OptionsOf(*flags, warnings);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->node_ports.first, 31000);
  EXPECT_EQ(options->node_ports.count, 10);
  EXPECT_EQ(ParsePortRange("30000-32767")->count, 2768);
  EXPECT_EQ(ParsePortRange("80")->count, 1);
  EXPECT_EQ(ParsePortRange("1-2+3").error(), "unable to parse port range: 1-2+3");
  EXPECT_EQ(ParsePortRange("x").error(), "strconv.Atoi: parsing \"x\": invalid syntax");
  EXPECT_EQ(ParsePortRange("2-1").error(), "end port cannot be less than start port: 2-1");
  EXPECT_EQ(ParsePortRange("1-70000").error(), "the port range cannot be greater than 65535: 1-70000");
}

TEST(Options, TheApiHasTheFirstServiceAddress) {
  EXPECT_EQ(FirstServiceAddress("10.0.0.0/24"), "10.0.0.1");
  EXPECT_EQ(FirstServiceAddress("10.0.0.77/24,fd00::/112"), "10.0.0.1");
  EXPECT_EQ(FirstServiceAddress("fd00::/112"), "fd00::1");
  EXPECT_EQ(FirstServiceAddress("x"), "");
}

}  // namespace
}  // namespace server
