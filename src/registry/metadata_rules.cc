#include "registry/metadata_rules.h"

#include <algorithm>

#include "api/field_path.h"
#include "api/quote.h"
#include "base/text.h"
#include "registry/rule_log.h"
#include "value/json_writer.h"

namespace registry {
namespace {

using api::FieldErrors;
using api::FieldPath;
using base::Cat;
using Type = api::FieldError::Type;

constexpr int64_t kMaxAnnotationBytes = 256 * 1024;
constexpr size_t kMaxFieldManager = 128;
constexpr size_t kMaxSubresourceName = 256;
constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr FieldPath kMetadata("metadata");

void Add(FieldErrors& findings, Type type, const FieldPath& path, std::string value, std::string detail) {
  NoteError();
  findings.push_back({type, path.text(), std::move(value), std::move(detail)});
}

void AddComplaints(FieldErrors& findings, const FieldPath& path, std::string_view bad, api::Complaints complaints) {
  for (std::string& complaint : complaints) {
    if (findings.full()) return;
    Add(findings, Type::kInvalid, path, api::Quote(bad), std::move(complaint));
  }
}

std::string TooLongText(size_t most) { return Cat("may not be more than ", most, " bytes"); }

bool AnySegment(char c) { return c != '/' && c != '%'; }

api::Complaints CheckSegment(std::string_view name, bool prefix) {
  if (std::ranges::all_of(name, AnySegment) && name != "." && name != "..") return {};
  return api::CheckPathSegment(name, prefix);
}

void CheckNames(const ObjectMeta& meta, bool namespaced, NameRule rule, FieldErrors& findings) {
  if (const auto prefix = meta.generate_name(); !prefix.empty()) {
    AddComplaints(findings, kMetadata.Child("generateName"), prefix, rule(prefix, true));
  }
  if (meta.name().empty()) {
    Add(findings, Type::kRequired, kMetadata.Child("name"), "", "name or generateName is required");
  } else {
    AddComplaints(findings, kMetadata.Child("name"), meta.name(), rule(meta.name(), false));
  }
  const FieldPath namespace_path = kMetadata.Child("namespace");
  if (!namespaced) {
    if (!meta.namespace_name().empty()) Add(findings, Type::kForbidden, namespace_path, "", "not allowed on this type");
  } else if (meta.namespace_name().empty()) {
    Add(findings, Type::kRequired, namespace_path, "", "");
  } else {
    AddComplaints(findings, namespace_path, meta.namespace_name(), api::CheckDns1123Label(meta.namespace_name()));
  }
}

void CheckLabels(const ObjectMeta& meta, FieldErrors& findings) {
  const FieldPath path = kMetadata.Child("labels");
  for (const value::Member& label : meta.Get("labels").members()) {
    AddComplaints(findings, path, label.key, api::CheckQualifiedName(label.key));
    AddComplaints(findings, path, label.value.AsString(), api::CheckLabelValue(label.value.AsString()));
  }
}

void CheckAnnotations(const ObjectMeta& meta, FieldErrors& findings) {
  const FieldPath path = kMetadata.Child("annotations");
  size_t size = 0;
  for (const value::Member& annotation : meta.Get("annotations").members()) {
    // Case does not matter here.
    AddComplaints(findings, path, annotation.key, api::CheckQualifiedName(base::ToLower(annotation.key)));
    size += annotation.key.size() + annotation.value.AsString().size();
  }
  if (size > kMaxAnnotationBytes) Add(findings, Type::kTooLong, path, "", TooLongText(kMaxAnnotationBytes));
}

void CheckOwner(const value::Value& owner, FieldErrors& findings) {
  const FieldPath path = kMetadata.Child("ownerReferences");
  const std::string_view api_version = owner.GetString("apiVersion");
  const auto need = [&](std::string_view field, std::string_view text, bool missing) {
    if (missing) {
      Add(findings, Type::kInvalid, path.Child(field), api::Quote(owner.GetString(field)),
          Cat(text, " must not be empty"));
    }
  };
  // Text with two slashes has no version that could be told.
  need("apiVersion", "version",
       api_version.empty() || api_version.ends_with('/') || std::ranges::count(api_version, '/') > 1);
  need("kind", "kind", owner.GetString("kind").empty());
  need("name", "name", owner.GetString("name").empty());
  need("uid", "uid", owner.GetString("uid").empty());
  if (api_version == "v1" && owner.GetString("kind") == "Event") {
    Add(findings, Type::kInvalid, path, value::ToJson(owner), "/v1, Kind=Event is disallowed from being an owner");
  }
}

void CheckOwners(const ObjectMeta& meta, FieldErrors& findings) {
  const value::Value owners = meta.Get("ownerReferences");
  std::string controller;
  for (const value::Value& owner : owners.items()) {
    CheckOwner(owner, findings);
    const value::Value controls = owner.Get("controller");
    if (!controls.is_bool() || !controls.AsBool()) continue;
    std::string current = Cat(owner.GetString("kind"), "/", owner.GetString("name"));
    if (controller.empty()) {
      controller = std::move(current);
      continue;
    }
    if (findings.full()) return;  // before the whole list is printed again
    Add(findings, Type::kInvalid, kMetadata.Child("ownerReferences"), value::ToJson(owners),
        Cat("Only one reference can have Controller set to true. Found \"true\" in references for ", controller,
            " and ", current));
  }
}

// A list of strings as Go prints it with %#v.
std::string GoStrings(const std::vector<std::string_view>& strings) {
  std::string out = "[]string{";
  for (size_t i = 0; i < strings.size(); ++i) base::Append(out, i == 0 ? "" : ", ", api::Quote(strings[i]));
  return out + "}";
}

std::vector<std::string_view> Strings(const value::Value& list) {
  std::vector<std::string_view> strings;
  for (const value::Value& item : list.items()) strings.push_back(item.AsString());
  return strings;
}

void CheckFinalizers(const ObjectMeta& meta, FieldErrors& findings) {
  const FieldPath path = kMetadata.Child("finalizers");
  for (const value::Value& finalizer : meta.finalizers().items()) {
    AddComplaints(findings, path, finalizer.AsString(), api::CheckQualifiedName(finalizer.AsString()));
  }
  if (meta.HasFinalizer(kForeground) && meta.HasFinalizer(kOrphan)) {
    Add(findings, Type::kInvalid, path, GoStrings(Strings(meta.finalizers())),
        Cat("finalizer ", kOrphan, " and ", kForeground, " cannot be both set"));
  }
}

void CheckNewFinalizers(const ObjectMeta& meta, const ObjectMeta& old, FieldErrors& findings) {
  std::vector<std::string_view> added = Strings(meta.finalizers());
  std::vector<std::string_view> before = Strings(old.finalizers());
  std::ranges::sort(before);
  std::erase_if(added, [&](std::string_view finalizer) { return std::ranges::binary_search(before, finalizer); });
  std::ranges::sort(added);
  added.erase(std::ranges::unique(added).begin(), added.end());
  if (added.empty()) return;
  Add(findings, Type::kForbidden, kMetadata.Child("finalizers"), "",
      Cat("no new finalizers can be added if the object is being deleted, found new finalizers ", GoStrings(added)));
}

void CheckManagedFields(const ObjectMeta& meta, FieldErrors& findings) {
  const FieldPath list = kMetadata.Child("managedFields");
  int64_t index = 0;
  for (const value::Value& entry : meta.Get("managedFields").items()) {
    const FieldPath path = list.Index(index++);
    const std::string_view operation = entry.GetString("operation");
    if (operation != "Apply" && operation != "Update") {
      Add(findings, Type::kInvalid, path.Child("operation"), api::Quote(operation), "must be `Apply` or `Update`");
    }
    const std::string_view fields_type = entry.GetString("fieldsType");
    if (!fields_type.empty() && fields_type != "FieldsV1") {
      Add(findings, Type::kInvalid, path.Child("fieldsType"), api::Quote(fields_type), "must be `FieldsV1`");
    }
    if (entry.GetString("manager").size() > kMaxFieldManager) {
      Add(findings, Type::kTooLong, path.Child("manager"), "", TooLongText(kMaxFieldManager));
    }
    if (entry.GetString("subresource").size() > kMaxSubresourceName) {
      Add(findings, Type::kTooLong, path.Child("subresource"), "", TooLongText(kMaxSubresourceName));
    }
  }
}

// A time as Go prints it: "2001-01-01 00:00:00 +0000 UTC".
std::string GoTime(std::string_view rfc3339) {
  if (rfc3339.empty()) return "null";
  std::string text(rfc3339.substr(0, rfc3339.size() - 1));
  std::ranges::replace(text, 'T', ' ');
  return text + " +0000 UTC";
}

void CheckSame(std::string_view field, std::string_view now, std::string_view before, FieldErrors& findings) {
  if (now != before) Add(findings, Type::kInvalid, kMetadata.Child(field), api::Quote(now), "field is immutable");
}

void CheckSameTime(std::string_view field, std::string_view now, std::string_view before, FieldErrors& findings) {
  if (now != before) Add(findings, Type::kInvalid, kMetadata.Child(field), GoTime(now), "field is immutable");
}

}  // namespace

void CheckMetadata(const ObjectMeta& meta, bool namespaced, NameCheck check, FieldErrors& errors) {
  CheckMetadata(meta, namespaced, NameRule(check != nullptr ? *check : CheckSegment), errors);
}

void CheckMetadata(const ObjectMeta& meta, bool namespaced, NameRule rule, FieldErrors& errors) {
  CheckNames(meta, namespaced, rule, errors);
  if (meta.generation() < 0) {
    Add(errors, Type::kInvalid, kMetadata.Child("generation"), std::to_string(meta.generation()),
        "must be greater than or equal to 0");
  }
  CheckLabels(meta, errors);
  CheckAnnotations(meta, errors);
  CheckOwners(meta, errors);
  CheckFinalizers(meta, errors);
  CheckManagedFields(meta, errors);
}

void CheckStrictFinalizers(const ObjectMeta& meta, FieldErrors& errors) {
  const FieldPath path = kMetadata.Child("finalizers");
  int64_t index = -1;
  for (const value::Value& item : meta.finalizers().items()) {
    ++index;
    const std::string_view finalizer = item.AsString();
    if (finalizer.contains('/') || finalizer == kOrphan || finalizer == kForeground || finalizer == "kubernetes")
      continue;
    Add(errors, Type::kInvalid, path.Index(index), api::Quote(finalizer),
        "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void CheckMetadataUpdate(const ObjectMeta& meta, const ObjectMeta& old, FieldErrors& errors) {
  if (old.deleting()) CheckNewFinalizers(meta, old, errors);
  if (meta.resource_version().empty()) {
    Add(errors, Type::kInvalid, kMetadata.Child("resourceVersion"), "\"\"", "must be specified for an update");
  }
  if (meta.generation() < old.generation()) {
    Add(errors, Type::kInvalid, kMetadata.Child("generation"), std::to_string(meta.generation()),
        "must not be decremented");
  }
  CheckSame("name", meta.name(), old.name(), errors);
  CheckSame("namespace", meta.namespace_name(), old.namespace_name(), errors);
  CheckSame("uid", meta.uid(), old.uid(), errors);
  CheckSameTime("creationTimestamp", meta.creation_timestamp(), old.creation_timestamp(), errors);
  CheckSameTime("deletionTimestamp", meta.deletion_timestamp(), old.deletion_timestamp(), errors);
  if (const auto grace = meta.deletion_grace_seconds(); grace != old.deletion_grace_seconds()) {
    Add(errors, Type::kInvalid, kMetadata.Child("deletionGracePeriodSeconds"), grace ? std::to_string(*grace) : "null",
        "field is immutable");
  }
  CheckLabels(meta, errors);
  CheckAnnotations(meta, errors);
  CheckOwners(meta, errors);
  CheckManagedFields(meta, errors);
}

}  // namespace registry
