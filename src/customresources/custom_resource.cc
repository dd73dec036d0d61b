#include "customresources/custom_resource.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "api/group_version.h"
#include "api/names.h"
#include "api/quote.h"
#include "base/text.h"
#include "customresources/definition_status.h"
#include "customresources/printer.h"
#include "customresources/resource_type.h"
#include "customresources/review_converter.h"
#include "customresources/rule_set.h"
#include "registry/object_meta.h"
#include "schema/structural_decode.h"
#include "schema/text_forms.h"

namespace customresources {
namespace {

using base::Cat;
using schema::Structural;
using value::Arena;
using value::Value;

using TypeRef = std::shared_ptr<const ResourceType>;

registry::StrategyFacts Facts() {
  registry::StrategyFacts facts;
  facts.check_name = api::CheckNameIsDnsSubdomain;
  facts.strict_finalizers = false;
  facts.allow_unconditional_update = false;
  facts.has_generation = true;
  facts.status_write_keeps = registry::kWholeMetadata;
  return facts;
}

const registry::StrategyFacts kFacts = Facts();

// Whether anything but metadata and, where `has_status`, the status is another.
bool ChangesContent(const Value& object, const Value& old, bool has_status) {
  const auto counts = [&](std::string_view key) {
    return key != "metadata" && key != "kind" && key != "apiVersion" && !(has_status && key == "status");
  };
  const auto differs = [&](const Value& one, const Value& other) {
    return std::ranges::any_of(one.members(), [&](const value::Member& member) {
      if (!counts(member.key)) return false;
      const Value* found = other.Find(member.key);
      return found == nullptr || !value::Equal(member.value, *found);
    });
  };
  const auto lacks = [&](const Value& one, const Value& other) {
    return std::ranges::any_of(other.members(), [&](const value::Member& member) {
      return counts(member.key) && one.Find(member.key) == nullptr;
    });
  };
  return differs(object, old) || lacks(object, old);
}

// What objects of one version pass on their way into the store.
class CustomStrategy final : public registry::Strategy {
 public:
  CustomStrategy(TypeRef type, CustomFacts custom, bool has_status, bool ratchets)
      : Strategy(kFacts), type_(std::move(type)), custom_(std::move(custom)), has_status_(has_status) {
    instance_.schema = &type_->root();
    instance_.ratchets = ratchets;
    if (type_->root().has_validations) {
      rules_.emplace(type_->root());
      instance_.rules = &*rules_;
    }
    if (const auto& scale = custom_.scale) {
      instance_.scale = ScalePaths{scale->spec_replicas, scale->status_replicas, scale->label_selector};
    }
  }
  const CustomFacts& custom() const { return custom_; }

  std::optional<std::string> UnsupportedField(std::string_view label) const override {
    return Cat("field label not supported: ", label);
  }

  void SetDefaults(const schema::Type& type, const Value& object, Arena& arena,
                   const api::Features& /*features*/) const override {
    if (type.structural != nullptr) FillDefaults(arena, object, *type.structural);
  }

  void PrepareForUpdate(registry::WriteContext& context, Value object, const Value& old) const override {
    if (!context.subresource.empty() || !ChangesContent(object, old, has_status_)) return;
    registry::ObjectMeta meta(object, context.arena);
    meta.SetGeneration(registry::ObjectMeta(old).generation() + 1);
  }

  api::FieldErrors Validate(registry::WriteContext& context, const Value& object) const override {
    ErrorList errors;
    if (!HasAllDefaults(object, type_->root())) return TooManyDefaults();
    if (IsOfType(object, errors)) CheckCreate(instance_, object, errors, context.warnings);
    return std::move(errors).Take();
  }

  api::FieldErrors ValidateUpdate(registry::WriteContext& context, const Value& object,
                                  const Value& old) const override {
    ErrorList errors;
    if (!HasAllDefaults(object, type_->root())) return TooManyDefaults();
    if (!IsOfType(object, errors)) return std::move(errors).Take();
    if (context.subresource == "status") {
      CheckStatusUpdate(instance_, object, old, errors, context.warnings);
    } else {
      CheckUpdate(instance_, object, old, errors, context.warnings);
    }
    return std::move(errors).Take();
  }

 private:
  // Such an object could not be stored, and would take what memory there is before anybody says so.
  static api::FieldErrors TooManyDefaults() {
    return {{.type = api::FieldError::Type::kTooLong,
             .field = "<nil>",
             .value = {},
             .detail = Cat("with its defaults the object may not take more than ", kMostDefaults, " bytes")}};
  }

  // Bodies and patches may name any kind and version.
  bool IsOfType(const Value& object, ErrorList& errors) const {
    const auto check = [&](std::string_view field, std::string_view wanted) {
      const std::string_view said = object.GetString(field);
      if (said != wanted) errors.Invalid(std::string(field), api::Quote(said), Cat("must be ", wanted));
    };
    const schema::GroupVersionKind& gvk = type_->type().gvk;
    check("kind", gvk.kind);
    check("apiVersion", Cat(gvk.group, "/", gvk.version));
    return errors.empty();
  }

  const TypeRef type_;
  const CustomFacts custom_;
  const bool has_status_;
  std::optional<RuleSet> rules_;
  InstanceSchema instance_;
};

class CustomPrinter final : public registry::Printer {
 public:
  explicit CustomPrinter(ColumnPrinter printer) : printer_(std::move(printer)) {
    for (const ColumnPrinter::Column& column : printer_.columns()) {
      columns_.push_back({.name = column.name,
                          .type = column.type,
                          .format = column.format,
                          .priority = column.priority,
                          .description = column.description});
    }
  }

  std::span<const registry::Column> columns() const override { return columns_; }
  Value Cells(Arena& arena, const Value& object, std::string_view now) const override {
    const auto instant = schema::ParseTime(now, schema::TimeForm::kSeconds);
    return printer_.Cells(arena, object, instant ? instant->seconds : 0);
  }

 private:
  const ColumnPrinter printer_;
  std::vector<registry::Column> columns_;
};

// From one version to another where they differ in apiVersion only: what the other does not know goes, and its defaults
// come. Also from what an earlier schema of the same version stored.
class PruningConverter final : public registry::ImmediateConverter {
 public:
  PruningConverter(TypeRef served, TypeRef stored) : served_(std::move(served)), stored_(std::move(stored)) {}

  Value Now(To to, Arena& arena, const Value& object) const override {
    if (to == To::kStored && served_ == stored_) return object;
    const ResourceType& type = to == To::kServed ? *served_ : *stored_;
    const schema::GroupVersionKind& gvk = type.type().gvk;
    const ResourceType& known = to == To::kServed ? *stored_ : type;
    auto made = schema::DecodeStructural(known.root(), object, arena, nullptr, {.drop_malformed_metadata = true});
    if (!made) return object;  // a document that is no object was never stored
    if (to == To::kServed && served_ != stored_) {
      // Defaults are those of what was stored; nothing is filled in on the way to another version.
      FillDefaults(arena, *made, stored_->root());
      auto pruned = schema::DecodeStructural(type.root(), *made, arena, nullptr, {.drop_malformed_metadata = true});
      if (pruned) made = std::move(pruned);
    } else if (to == To::kServed) {
      FillDefaults(arena, *made, type.root());
    }
    made->Set(arena, "kind", Value::String(gvk.kind));
    made->Set(arena, "apiVersion",
              Value::Copy(arena, api::GroupVersion{std::string(gvk.group), std::string(gvk.version)}.text()));
    return *made;
  }

 private:
  const TypeRef served_, stored_;
};

// Where nobody can call webhooks.
class UnavailableConverter final : public registry::WaitingConverter {
 public:
  explicit UnavailableConverter(std::string kind) : kind_(std::move(kind)) {}
  base::Task<api::Result<>> Convert(To /*to*/, Request /*request*/, std::span<Value> /*objects*/,
                                    Arena& /*arena*/) const override {
    co_return api::Fail(api::Internal(Cat("conversion webhook for ", kind_, " failed: webhooks are not called")));
  }

 private:
  const std::string kind_;
};

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.items()) texts.emplace_back(item.AsString());
  return texts;
}

// As discovery tells which resources share what they store.
std::string StorageVersionHash(std::string_view group, std::string_view version, std::string_view kind) {
  const std::string text = Cat(group, "/", version, "/", kind);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::array<unsigned char, 16> base64;
  const int length = EVP_EncodeBlock(base64.data(), digest.data(), 8);
  return {reinterpret_cast<const char*>(base64.data()), static_cast<size_t>(length)};
}

bool IsTrue(const Value& object, std::string_view field) {
  const Value flag = object.Get(field);
  return flag.is_bool() && flag.AsBool();
}

// What requests to a deprecated version are warned of; "" nothing.
std::string Deprecation(const Value& spec, const Value& version) {
  if (!IsTrue(version, "deprecated")) return {};
  if (const Value* own = version.Find("deprecationWarning"); own != nullptr && own->is_string()) {
    return std::string(own->AsString());
  }
  const std::string_view group = spec.GetString("group"), kind = spec.Get("names").GetString("kind");
  const std::string_view name = version.GetString("name");
  std::string_view best;
  for (const Value& other : spec.Get("versions").items()) {
    const std::string_view candidate = other.GetString("name");
    if (!IsTrue(other, "served") || IsTrue(other, "deprecated") || api::CompareVersions(candidate, name) <= 0) continue;
    if (best.empty() || api::CompareVersions(candidate, best) > 0) best = candidate;
  }
  std::string text = Cat(group, "/", name, " ", kind, " is deprecated");
  if (!best.empty()) base::Append(text, "; use ", group, "/", best, " ", kind);
  return text;
}

std::vector<std::string> Verbs(bool terminating) {
  if (terminating) return {"delete", "deletecollection", "get", "list", "watch"};
  return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
}

class Maker {
 public:
  Maker(const ServingContext& context, const Value& definition, const store::CollectionRef& collection,
        std::shared_ptr<const std::atomic<bool>> terminating)
      : context_(context),
        spec_(definition.Get("spec")),
        names_(definition.Get({"status", "acceptedNames"})),
        group_(spec_.GetString("group")),
        kind_(names_.GetString("kind")),
        changed_(registry::ObjectMeta(definition).generation() > 1),
        terminating_(std::move(terminating)),
        webhook_(spec_.Get("conversion").GetString("strategy") == "Webhook"),
        had_other_storage_(definition.Get({"status", "storedVersions"}).size() > 1),
        collection_(collection) {}

  std::vector<registry::ResourceRef> Run() {
    std::vector<registry::ResourceRef> made;
    for (const Value& version : spec_.Get("versions").items()) {
      if (IsTrue(version, "storage")) MakeStorage(version);
    }
    if (storage_ == nullptr) return made;
    for (const Value& version : spec_.Get("versions").items()) {
      if (IsTrue(version, "served")) made.push_back(Make(version));
    }
    return made;
  }

 private:
  std::shared_ptr<const CompiledSchema> SchemaOf(const Value& version) const {
    if (IsTrue(spec_, "preserveUnknownFields")) return context_.compiler.Compile(Value());
    return context_.compiler.Compile(version.Get({"schema", "openAPIV3Schema"}));
  }

  void MakeStorage(const Value& version) {
    stored_name_ = version.GetString("name");
    stored_schema_ = SchemaOf(version);
    stored_type_ = std::make_shared<ResourceType>(group_, stored_name_, kind_, stored_schema_);
    auto storage = std::make_shared<registry::Storage>();
    storage->collection = Cat(group_, "/", names_.GetString("plural"));
    storage->group = group_;
    storage->version = stored_name_;
    storage->kind = kind_;
    storage->type = &stored_type_->type();
    storage->id = collection_;
    storage_ = std::move(storage);
  }

  std::shared_ptr<const registry::Converter> ConverterOf(const CompiledSchema& schema, const TypeRef& type,
                                                         bool has_status) const {
    if (webhook_ && (type != stored_type_ || had_other_storage_)) {
      if (context_.webhooks == nullptr) {
        return std::make_shared<UnavailableConverter>(Cat(group_, "/", type->type().gvk.version, ", Kind=", kind_));
      }
      return std::make_shared<ReviewConverter>(*context_.webhooks, spec_.Get("conversion"), type, stored_type_);
    }
    // What is stored is what is served where no other schema ever was, but for the defaults of a status that no write
    // brings.
    const Structural* status = has_status ? stored_type_->root().Find("status") : nullptr;
    const bool defaults_status = status != nullptr && (status->default_value != nullptr || status->has_defaults);
    if (!changed_ && !defaults_status && schema.key() == stored_schema_->key()) return nullptr;
    return std::make_shared<PruningConverter>(type, stored_type_);
  }

  void AddSubresources(const Value& version, registry::Resource& resource) const {
    const Value subresources = version.Get("subresources");
    const std::vector<std::string> verbs = {"get", "patch", "update"};
    if (subresources.Find("status") != nullptr) {
      registry::Subresource status;
      status.name = "status";
      status.verbs = verbs;
      status.group = resource.group;
      status.version = resource.version;
      status.kind = resource.kind;
      status.type = resource.type;
      status.returns_resource = true;
      resource.subresources.push_back(std::move(status));
    }
    const Value* scale = subresources.Find("scale");
    if (scale == nullptr) return;
    registry::Subresource made;
    made.name = "scale";
    made.verbs = verbs;
    made.group = "autoscaling";
    made.version = "v1";
    made.kind = "Scale";
    made.type = schema::FindKind(made.group, made.version, made.kind);
    resource.subresources.push_back(std::move(made));
  }

  registry::ResourceRef Make(const Value& version) const {
    auto made = std::make_shared<registry::Resource>();
    registry::Resource& resource = *made;
    const std::string_view name = version.GetString("name");
    const auto schema = SchemaOf(version);
    const TypeRef type =
        name == stored_name_ ? stored_type_ : std::make_shared<ResourceType>(group_, name, kind_, schema);
    resource.group = group_;
    resource.version = name;
    resource.plural = names_.GetString("plural");
    resource.singular = names_.GetString("singular");
    resource.kind = kind_;
    resource.list_kind = names_.GetString("listKind");
    resource.namespaced = spec_.GetString("scope") == "Namespaced";
    resource.custom = true;
    resource.verbs = Verbs(*terminating_);
    resource.short_names = Texts(names_.Get("shortNames"));
    resource.categories = Texts(names_.Get("categories"));
    resource.type = &type->type();
    resource.types = std::make_shared<const std::pair<TypeRef, TypeRef>>(type, stored_type_);
    resource.storage = storage_;
    resource.converter = ConverterOf(*schema, type, !version.Get({"subresources", "status"}).is_null());
    resource.features = context_.features;
    if (context_.storage_version_hashes) {
      resource.storage_version_hash = StorageVersionHash(group_, stored_name_, kind_);
    }
    AddSubresources(version, resource);
    const SelectableFields fields(version.Get("selectableFields"));
    for (const std::string& label : fields.names()) resource.selectable_fields.push_back({label, {label}, ""});
    resource.deprecation = Deprecation(spec_, version);
    resource.printer = std::make_shared<CustomPrinter>(
        ColumnPrinter(version.Get("additionalPrinterColumns"), context_.name_text, context_.age_text));
    CustomFacts facts{.terminating = terminating_, .scale = {}};
    if (const Value* scale = version.Get("subresources").Find("scale")) {
      facts.scale = {std::string(scale->GetString("specReplicasPath")),
                     std::string(scale->GetString("statusReplicasPath")),
                     std::string(scale->GetString("labelSelectorPath"))};
    }
    resource.strategy =
        std::make_shared<CustomStrategy>(type, std::move(facts), resource.FindSubresource("status") != nullptr,
                                         context_.features.Has(api::Feature::kCrdValidationRatcheting));
    return made;
  }

  const ServingContext& context_;
  const Value spec_, names_;
  const std::string group_, kind_;
  const bool changed_;
  const std::shared_ptr<const std::atomic<bool>> terminating_;
  const bool webhook_, had_other_storage_;
  const store::CollectionRef& collection_;
  std::string_view stored_name_;
  std::shared_ptr<const CompiledSchema> stored_schema_;
  TypeRef stored_type_;
  std::shared_ptr<const registry::Storage> storage_;
};

}  // namespace

const CustomFacts* FactsOf(const registry::Resource& resource) {
  const auto* strategy = dynamic_cast<const CustomStrategy*>(resource.strategy.get());
  return strategy != nullptr ? &strategy->custom() : nullptr;
}

std::string CollectionName(const Value& definition) {
  const Value spec = definition.Get("spec");
  return Cat(spec.GetString("group"), "/", spec.Get("names").GetString("plural"));
}

std::vector<registry::ResourceRef> MakeResources(const ServingContext& context, const Value& definition,
                                                 const store::CollectionRef& collection,
                                                 std::shared_ptr<const std::atomic<bool>> terminating) {
  if (ConditionStatus(definition, "Established") != "True") return {};
  return Maker(context, definition, collection, std::move(terminating)).Run();
}

registry::ResourceRef WithVerbs(const registry::Resource& resource, bool terminating) {
  auto copy = std::make_shared<registry::Resource>(resource);
  copy->verbs = Verbs(terminating);
  return copy;
}

}  // namespace customresources
