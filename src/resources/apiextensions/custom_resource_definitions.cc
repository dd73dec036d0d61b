#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/quote.h"
#include "api/url.h"
#include "base/text.h"
#include "customresources/definition_status.h"
#include "registry/object_meta.h"
#include "resources/apiextensions/internal_form.h"
#include "resources/apiextensions/schema_access.h"
#include "resources/apiextensions/schema_rules.h"
#include "resources/apiextensions/version_rules.h"
#include "resources/certificates/x509_checks.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/rules/webhook_checks.h"
#include "resources/strategies.h"
#include "schema/text_forms.h"

namespace resources::apiextensions {
namespace {

using registry::WriteContext;

constexpr std::array<std::string_view, 2> kScopes = {"Cluster", "Namespaced"};
constexpr std::array<std::string_view, 2> kStrategies = {"None", "Webhook"};
constexpr std::string_view kOptionalOldSelf = "optionalOldSelf";
constexpr std::string_view kApproval = "api-approved.kubernetes.io";

// ---- strategy

std::optional<std::string_view> StorageVersion(const Value& definition) {
  for (const Value& version : definition.Get({"spec", "versions"}).items()) {
    if (IsSet(version, "storage")) return version.GetString("name");
  }
  return std::nullopt;
}

// Objects may be stored in the storage version from now on.
void AddStoredVersion(WriteContext& context, Value definition) {
  const std::optional<std::string_view> version = StorageVersion(definition);
  if (!version) return;
  registry::Arena& arena = context.arena;
  const Value former = definition.Get("status");
  // The former status may be shared with the stored object.
  const Value status = former.is_object() ? value::DeepCopy(arena, former) : Value::Object(arena, 1);
  Value versions = status.Get("storedVersions");
  const auto same = [&](const Value& stored) { return stored.AsString() == *version; };
  if (std::ranges::any_of(versions.items(), same)) return;
  if (!versions.is_array()) versions = Value::Array(arena, 1);
  versions.Append(arena, Value::String(*version));
  status.Set(arena, "storedVersions", versions);
  definition.Set(arena, "status", status);
}

// Whether rules in the schema, or in one within it, may do without the former self of what they look at.
bool HasOptionalOldSelf(const Value& schema) {
  if (!schema.is_object()) return false;
  const auto optional = [](const Value& rule) { return Has(rule, kOptionalOldSelf); };
  if (std::ranges::any_of(schema.Get(kValidations).items(), optional)) return true;
  const auto in_member = [](const value::Member& member) { return HasOptionalOldSelf(member.value); };
  for (std::string_view one : {"items", "additionalProperties", "additionalItems", "not"}) {
    if (HasOptionalOldSelf(schema.Get(one))) return true;
  }
  for (std::string_view list : {"items", "allOf", "anyOf", "oneOf"}) {
    if (std::ranges::any_of(schema.Get(list).items(), HasOptionalOldSelf)) return true;
  }
  for (std::string_view map : {"properties", "patternProperties", "definitions", "dependencies"}) {
    if (std::ranges::any_of(schema.Get(map).members(), in_member)) return true;
  }
  return false;
}

void DropOptionalOldSelf(const Value& schema) {
  for (const Value& rule : schema.Get(kValidations).items()) rule.Remove(kOptionalOldSelf);
  for (std::string_view one : {"items", "additionalProperties"}) {
    if (schema.Get(one).is_object()) DropOptionalOldSelf(schema.Get(one));
  }
  for (const Value& item : schema.Get("items").items()) DropOptionalOldSelf(item);
  for (const value::Member& field : schema.Get("properties").members()) DropOptionalOldSelf(field.value);
}

Value SchemaOf(const Value& version) { return version.Get({"schema", "openAPIV3Schema"}); }

// What belongs to a gate that is off goes, unless the definition has it already.
void DropGated(const WriteContext& context, const Value& definition, const Value& old) {
  if (context.Has(Feature::kCrdValidationRatcheting)) return;
  const auto has = [](const Value& version) { return HasOptionalOldSelf(SchemaOf(version)); };
  if (std::ranges::any_of(old.Get({"spec", "versions"}).items(), has)) return;
  for (const Value& version : definition.Get({"spec", "versions"}).items()) {
    if (SchemaOf(version).is_object()) DropOptionalOldSelf(SchemaOf(version));
  }
}

void PrepareForCreate(WriteContext& context, Value definition) {
  definition.Remove("status");
  AddStoredVersion(context, definition);
  DropGated(context, definition, Value());
}

void PrepareForUpdate(WriteContext& context, Value definition, const Value& old) {
  if (!context.subresource.empty()) return;
  AddStoredVersion(context, definition);
  DropGated(context, definition, old);
}

// The first deletion: its objects go before it does.
void BeginTermination(WriteContext& context, Value definition) {
  registry::Arena& arena = context.arena;
  registry::ObjectMeta meta(definition, arena);
  if (!meta.HasFinalizer(customresources::kCleanupFinalizer)) {
    const Value finalizers = Value::Array(arena, meta.finalizers().size() + 1);
    for (const Value& finalizer : meta.finalizers().items()) finalizers.Append(arena, finalizer);
    finalizers.Append(arena, Value::String(customresources::kCleanupFinalizer));
    meta.Set("finalizers", finalizers);
  }
  const Value former = definition.Get("status");
  const Value status = former.is_object() ? value::DeepCopy(arena, former) : Value::Object(arena, 1);
  const customresources::Condition pending{
      "Terminating", "True", "InstanceDeletionPending",
      "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"};
  customresources::SetCondition(arena, status, pending, context.now);
  definition.Set(arena, "status", status);
}

// ---- names

void CheckNames(Errors& errors, const FieldPath& path, const Value& names) {
  const auto label = [&](const FieldPath& at, std::string_view text) {
    const std::string complaint = base::Join(api::CheckDns1035Label(text), ",");
    if (!complaint.empty()) errors.Invalid(at, text, complaint);
  };
  const auto list = [&](std::string_view field) {
    const FieldPath at = path.Child(field);
    int64_t index = 0;
    for (const Value& name : names.Get(field).items()) label(at.Index(index++), name.AsString());
  };
  for (std::string_view field : {"plural", "singular"}) {
    if (const std::string_view name = names.GetString(field); !name.empty()) label(path.Child(field), name);
  }
  for (std::string_view field : {"kind", "listKind"}) {
    const std::string_view name = names.GetString(field);
    const std::string complaint = name.empty() ? "" : base::Join(api::CheckDns1035Label(base::ToLower(name)), ",");
    if (complaint.empty()) continue;
    errors.Invalid(path.Child(field), name, base::Cat("may have mixed case, but should otherwise match: ", complaint));
  }
  list("shortNames");
  if (const std::string_view kind = names.GetString("kind"); !kind.empty() && kind == names.GetString("listKind")) {
    errors.Invalid(path.Child("listKind"), kind, "kind and listKind may not be the same");
  }
  list("categories");
}

// The name, that of a name to be made too, says plural and group.
void CheckMetadata(Scope& definition) {
  const Value spec = definition.Get("spec");
  const std::string wanted = base::Cat(spec.Get("names").GetString("plural"), ".", spec.GetString("group"));
  CheckObjectMeta(definition, [&](std::string_view name, bool prefix) {
    api::Complaints complaints = api::CheckNameIsDnsSubdomain(name, prefix);
    if (name != wanted) complaints.push_back("must be spec.names.plural+\".\"+spec.group");
    return complaints;
  });
}

// ---- the spec, in its internal form

void CheckGroup(Scope& spec) {
  const std::string_view group = spec.String("group");
  const FieldPath path = spec.At("group");
  if (group.empty()) return spec.errors.Required(path);
  if (const std::string complaint = base::Join(api::CheckDns1123Subdomain(group), ","); !complaint.empty()) {
    spec.errors.Invalid(path, group, complaint);
  } else if (!group.contains('.')) {
    spec.errors.Invalid(path, group, "should be a domain with at least one dot");
  }
}

bool HasSchema(const Value& validation) { return validation.Get("openAPIV3Schema").is_object(); }

void CheckHasSchemas(Scope& spec) {
  if (HasSchema(spec.Get("validation"))) return;
  const Value versions = spec.Get("versions");
  const FieldPath list = spec.At("versions");
  for (uint32_t i = 0; i < versions.size(); ++i) {
    if (HasSchema(versions[i].Get("schema"))) continue;
    const FieldPath version = list.Index(i);
    const FieldPath schema = version.Child("schema");
    spec.errors.Required(schema.Child("openAPIV3Schema"), "schemas are required");
  }
}

bool HasDefault(const Value& schema) {
  if (!schema.is_object()) return schema.is_array() && std::ranges::any_of(schema.items(), HasDefault);
  if (Has(schema, "default")) return true;
  for (std::string_view one : {"items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems"}) {
    if (HasDefault(schema.Get(one))) return true;
  }
  for (std::string_view map : {"properties", "patternProperties", "definitions", "dependencies"}) {
    for (const value::Member& member : schema.Get(map).members()) {
      if (HasDefault(member.value)) return true;
    }
  }
  return false;
}

void CheckDefaultsArePruned(Scope& spec) {
  if (!IsSet(spec.object, "preserveUnknownFields")) return;
  bool any = HasDefault(spec.Get({"validation", "openAPIV3Schema"}));
  for (const Value& version : spec.Get("versions").items())
    any |= HasDefault(version.Get({"schema", "openAPIV3Schema"}));
  if (any) {
    spec.errors.Invalid(spec.At("preserveUnknownFields"), Value::Bool(true),
                        "must be false in order to use defaults in the schema");
  }
}

Value SchemaOfVersion(const Value& spec, std::string_view name) {
  for (const Value& version : spec.Get("versions").items()) {
    if (version.GetString("name") == name) return SchemaOf(version);
  }
  return {};
}

// What the definition said before.
class Before {
 public:
  explicit Before(const Scope& spec)
      : old_(spec.parent->old != nullptr ? spec.parent->old->Get("spec") : Value()),
        now_(spec.parent->object.Get("spec")) {
    for (const Value& version : old_.Get("versions").items()) known_.Add(SchemaOf(version));
  }
  // Of the schema of that version.
  ExpressionOptions Options(std::string_view version) const {
    if (!old_.is_object()) return {};
    return {.known = &known_,
            .may_cost_more = value::Equal(SchemaOfVersion(old_, version), SchemaOfVersion(now_, version))};
  }

 private:
  const Value old_, now_;
  KnownExpressions known_;
};

struct ServedPart {
  std::string_view schema_field;
  bool has_status;
  ExpressionOptions expressions;
};

// What stands in a version, or above all of them: its schema and what depends on it.
void CheckServed(Scope& spec, const FieldPath& path, const Value& holder, const ServedPart& part) {
  const std::string_view schema_field = part.schema_field;
  const Value validation = holder.Get(schema_field), columns = holder.Get("additionalPrinterColumns");
  CheckSchema(spec.errors, path.Child(schema_field), validation,
              {.has_status = part.has_status, .expressions = part.expressions});
  CheckSubresources(spec.errors, path.Child("subresources"), holder.Get("subresources"));
  CheckPrinterColumns(spec.errors, path.Child("additionalPrinterColumns"), columns);
  const Value fields = holder.Get("selectableFields");
  if (fields.empty()) return;
  if (!HasSchema(validation)) {
    spec.errors.Invalid(path.Child("selectableFields"), "",
                        schema_field == "schema"
                            ? "selectableFields may only be set when version.schema.openAPIV3Schema is not included"
                            : "selectableFields may only be set when validations.schema is included");
    return;
  }
  CheckSelectableFields(spec.errors, path.Child("selectableFields"), fields, validation.Get("openAPIV3Schema"));
}

bool HasStatus(const Value& subresources) { return !subresources.Get("status").is_null(); }

void CheckVersions(Scope& spec) {
  const Value versions = spec.Get("versions");
  const FieldPath list = spec.At("versions");
  const auto separate = [](const Value& version) { return !version.Get("subresources").is_null(); };
  const bool per_version = std::ranges::any_of(versions.items(), separate);
  const Before before(spec);
  std::set<std::string_view> names;
  int64_t stored = 0;
  for (uint32_t i = 0; i < versions.size(); ++i) {
    const FieldPath at = list.Index(i);
    const std::string_view name = versions[i].GetString("name");
    names.insert(name);
    stored += IsSet(versions[i], "storage") ? 1 : 0;
    const std::string complaint = base::Join(api::CheckDns1035Label(name), ",");
    if (!complaint.empty()) spec.errors.Invalid(at.Child("name"), name, complaint);
    CheckDeprecation(spec.errors, at, versions[i]);
    const bool has_status = HasStatus(per_version ? versions[i].Get("subresources") : spec.Get("subresources"));
    CheckServed(spec, at, versions[i],
                {.schema_field = "schema", .has_status = has_status, .expressions = before.Options(name)});
  }
  std::string printed = PrintBadValue(versions);
  if (versions.empty()) {
    printed = base::Cat("[]apiextensions.CustomResourceDefinitionVersion", versions.is_null() ? "(nil)" : "{}");
  }
  if (names.size() != versions.size()) spec.errors.InvalidAs(list, printed, "must contain unique version names");
  if (stored != 1) spec.errors.InvalidAs(list, printed, "must have exactly one version marked as storage version");
  if (const std::string_view version = spec.String("version"); !version.empty()) {
    const std::string complaint = base::Join(api::CheckDns1035Label(version), ",");
    if (!complaint.empty()) spec.errors.Invalid(spec.At("version"), version, complaint);
  }
}

void CheckSpecNames(Scope& spec) {
  const FieldPath names = spec.At("names");
  for (std::string_view field : {"plural", "singular", "kind", "listKind"}) {
    if (spec.Get("names").GetString(field).empty()) spec.errors.Required(names.Child(field));
  }
  CheckNames(spec.errors, names, spec.Get("names"));
}

void CheckShared(Scope& spec) {
  const Value versions = spec.Get("versions");
  const auto has_status = [](const Value& version) { return HasStatus(version.Get("subresources")); };
  const bool any = HasStatus(spec.Get("subresources")) || std::ranges::any_of(versions.items(), has_status);
  const Before before(spec);
  CheckServed(spec, spec.path, spec.object,
              {.schema_field = "validation", .has_status = any, .expressions = before.Options(spec.String("version"))});
}

bool IsEstablished(const Value& definition) {
  for (const Value& condition : definition.Get({"status", "conditions"}).items()) {
    if (condition.GetString("type") == "Established") return condition.GetString("status") == "True";
  }
  return false;
}

std::string Decoded(std::string_view base64) {
  std::string bytes;
  (void)schema::DecodeBase64(base64, bytes);  // a canonical tree's is good
  return bytes;
}

// Clients of an established definition already depend on its webhook. What was bad already may stay.
void CheckAuthorities(Scope& spec, const FieldPath& path, const Value& client) {
  const Value* old = spec.parent->old;
  if (old == nullptr || !IsEstablished(*old)) return;
  const std::string bundle = Decoded(client.GetString("caBundle"));
  const std::string before = Decoded(old->Get({"spec", "conversion", "webhook", "clientConfig"}).GetString("caBundle"));
  const std::string complaint = certificates::AuthoritiesComplaint(bundle);
  if (complaint.empty() || (!before.empty() && !certificates::AuthoritiesComplaint(before).empty())) return;
  spec.errors.InvalidAs(path.Child("caBundle"), PrintBytes(bundle), complaint);
}

void CheckWebhookConversion(Scope& spec, const FieldPath& path, const Value& conversion) {
  const Value* client = conversion.Find("webhookClientConfig");
  const FieldPath at = path.Child("webhookClientConfig");
  if (client == nullptr) {
    spec.errors.Required(at, "required when strategy is set to Webhook");
  } else {
    CheckWebhookClient(spec.errors, at, *client);
    CheckAuthorities(spec, at, *client);
  }
  CheckReviewVersions(spec.errors, path.Child("conversionReviewVersions"), conversion.Get("conversionReviewVersions"),
                      {}, true);
}

void CheckConversion(Scope& spec) {
  if (!spec.Has("conversion")) return;
  const Value conversion = spec.Get("conversion");
  const FieldPath path = spec.At("conversion");
  const std::string_view strategy = conversion.GetString("strategy");
  if (strategy != "None" && IsSet(spec.object, "preserveUnknownFields")) {
    spec.errors.Invalid(path.Child("strategy"), strategy, "must be None if spec.preserveUnknownFields is true");
  }
  if (strategy.empty()) {
    spec.errors.Required(path.Child("strategy"));
  } else if (std::ranges::find(kStrategies, strategy) == kStrategies.end()) {
    spec.errors.NotSupported(path.Child("strategy"), strategy, kStrategies);
  }
  if (strategy == "Webhook") return CheckWebhookConversion(spec, path, conversion);
  constexpr std::string_view kUnwanted = "should not be set when strategy is not set to Webhook";
  if (conversion.Find("webhookClientConfig") != nullptr) {
    spec.errors.Forbidden(path.Child("webhookClientConfig"), kUnwanted);
  }
  if (!conversion.Get("conversionReviewVersions").empty()) {
    spec.errors.Forbidden(path.Child("conversionReviewVersions"), kUnwanted);
  }
}

constexpr Rule kSpecRules[] = {
    Call(CheckGroup),    RequiredEnum("scope", kScopes), Call(CheckHasSchemas), Call(CheckDefaultsArePruned),
    Call(CheckVersions), Call(CheckSpecNames),           Call(CheckShared),     Call(CheckConversion),
};

void CheckSpec(Scope& definition) {
  const Value spec = InternalSpec(definition.context.arena, definition.Get("spec"));
  Check(definition, kSpecRules, definition.At("spec"), spec, nullptr);
}

void CheckUnchanged(Scope& definition) {
  const FieldPath spec = definition.At("spec");
  const FieldPath names = spec.Child("names");
  const auto same = [&](const FieldPath& path, std::initializer_list<std::string_view> at) {
    const Value now = definition.Get(at);
    const std::string_view text = now.is_string() ? now.AsString() : std::string_view();
    if (!value::Equal(now, definition.old->Get(at))) definition.errors.Invalid(path, text, "field is immutable");
  };
  if (IsEstablished(*definition.old)) {
    same(spec.Child("scope"), {"spec", "scope"});
    same(names.Child("kind"), {"spec", "names", "kind"});
  }
  same(spec.Child("group"), {"spec", "group"});
  same(names.Child("plural"), {"spec", "names", "plural"});
}

// ---- the rest of the definition

void CheckAcceptedNames(Scope& definition) {
  const FieldPath status = definition.At("status");
  CheckNames(definition.errors, status.Child("acceptedNames"), definition.Get({"status", "acceptedNames"}));
}

void CheckStoredVersions(Scope& definition) {
  const Value stored = definition.Get({"status", "storedVersions"}), versions = definition.Get({"spec", "versions"});
  const FieldPath status = definition.At("status");
  const FieldPath path = status.Child("storedVersions");
  const std::string printed = PrintListOf("string", stored);
  if (stored.empty()) return definition.errors.InvalidAs(path, printed, "must have at least one stored version");
  std::map<std::string_view, uint32_t> left;
  for (uint32_t i = 0; i < stored.size(); ++i) left[stored[i].AsString()] = i;
  for (const Value& version : versions.items()) {
    const std::string_view name = version.GetString("name");
    // Each stored version is found once.
    if (left.erase(name) > 0 || !IsSet(version, "storage")) continue;
    definition.errors.InvalidAs(path, printed, base::Cat("must have the storage version ", name));
  }
  for (const auto& [name, index] : left)
    definition.errors.Invalid(path.Index(index), name, "must appear in spec.versions");
}

enum class Approval : uint8_t { kMissing, kBypassed, kApproved, kInvalid };

Approval ApprovalOf(const Value& definition) {
  const std::string_view text = definition.Get({"metadata", "annotations"}).GetString(kApproval);
  if (text.empty()) return Approval::kMissing;
  if (text.starts_with("unapproved")) return Approval::kBypassed;
  const auto url = api::ParseRequestUri(text);
  return url && !url->host.empty() && !url->scheme.empty() ? Approval::kApproved : Approval::kInvalid;
}

// Groups of the community say who approved of the API.
void CheckApproval(Scope& definition) {
  const std::string_view group = definition.Get("spec").GetString("group");
  const auto within = [&](std::string_view domain) {
    return group == domain || (group.ends_with(domain) && group[group.size() - domain.size() - 1] == '.');
  };
  if (!within("k8s.io") && !within("kubernetes.io")) return;
  const Approval approval = ApprovalOf(definition.object);
  if (definition.old != nullptr && ApprovalOf(*definition.old) == approval) return;
  const FieldPath metadata = definition.At("metadata");
  const FieldPath annotations = metadata.Child("annotations");
  const FieldPath path = annotations.Key(kApproval);
  constexpr std::string_view kMust = "protected groups must have approval annotation \"api-approved.kubernetes.io\"";
  constexpr std::string_view kSee = ", see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval == Approval::kMissing) definition.errors.Required(path, base::Cat(kMust, kSee));
  if (approval == Approval::kInvalid) {
    definition.errors.Invalid(path, definition.Get({"metadata", "annotations"}).GetString(kApproval),
                              base::Cat(kMust, " with either a URL or a reason starting with \"unapproved\"", kSee));
  }
}

void CheckPreservation(Scope& definition) {
  const auto preserves = [](const Value& of) { return IsSet(of.Get("spec"), "preserveUnknownFields"); };
  if (!preserves(definition.object) || (definition.old != nullptr && preserves(*definition.old))) return;
  const FieldPath spec = definition.At("spec");
  definition.errors.Invalid(spec.Child("preserveUnknownFields"), Value::Bool(true),
                            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                            "spec.versions[*].schema instead");
}

constexpr Rule kRules[] = {
    Call(CheckMetadata),       Call(CheckSpec),     Call(CheckAcceptedNames),
    Call(CheckStoredVersions), Call(CheckApproval), Call(CheckPreservation),
};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate), Call(CheckSpec),     Call(CheckUnchanged),    Call(CheckAcceptedNames),
    Call(CheckStoredVersions),   Call(CheckApproval), Call(CheckPreservation),
};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Call(CheckAcceptedNames)};

}  // namespace

constinit const registry::StrategyTable kCustomResourceDefinitions = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .begin_termination = BeginTermination,
    .facts =
        {
            .update_checks = registry::MetadataChecks::kNone,
            .strict_finalizers = false,
            .allow_unconditional_update = false,
            .has_generation = true,
            .generation_of = kSpec,
            .resets = kStatusResets,
            .deletion_default = registry::DeletionDefault::kUnsupported,
            .deletes_in_two_steps = true,
        },
};

}  // namespace resources::apiextensions
