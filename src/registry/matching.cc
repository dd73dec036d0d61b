// Selectors against stored bytes: Registry::Matches and CheckSelector.
#include "api/quote.h"
#include "base/text.h"
#include "registry/json_scan.h"
#include "registry/label_index.h"
#include "registry/registry.h"
#include "registry/versions.h"
#include "value/json_reader.h"

namespace registry {
namespace {

constexpr size_t kFewRequirements = 4;  // are looked for one by one, each in all labels

bool MatchesLabels(const store::Cell& cell, const api::LabelSelector& selector) {
  const std::string_view labels = LabelsOf(cell);
  if (selector.requirements().size() > kFewRequirements) {
    MemberScan scan(labels);
    return selector.MatchesEach([&](std::string_view& key, std::string_view& value) {
      std::string_view raw;
      if (!scan.Next(key, raw)) return false;
      value = PlainText(raw);
      return true;
    });
  }
  std::string_view found;
  return selector.Matches([&](std::string_view wanted) -> const std::string_view* {
    MemberScan scan(labels);
    std::string_view key, raw;
    while (scan.Next(key, raw)) {
      if (key != wanted) continue;
      found = PlainText(raw);
      return &found;
    }
    return nullptr;
  });
}

// The text of a raw value; strings with escapes are read into `arena`.
std::string_view TextOf(std::string_view raw, Arena& arena) {
  if (!HasEscapes(raw)) return PlainText(raw);
  auto read = value::ReadJson(raw, arena);
  return read && read->is_string() ? read->AsString() : std::string_view();
}

// key "namespace/name" or "name".
std::string_view NameInKey(std::string_view key) { return key.substr(key.find('/') + 1); }
std::string_view NamespaceInKey(std::string_view key) {
  const size_t slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

std::string_view FieldOf(const Resource& resource, const store::Cell& cell, std::string_view label, Arena& arena) {
  if (label == "metadata.name") return NameInKey(cell.key());
  if (label == "metadata.namespace") return NamespaceInKey(cell.key());
  if (label == resource.strategy->facts().index_selector) return cell.index();
  const SelectableField* field = resource.FindSelectableField(label);
  if (field == nullptr) return {};
  for (const std::string& path : field->paths) {
    const std::string_view text = TextOf(FindJson(cell.bytes(), path), arena);
    if (!text.empty()) return text;
  }
  return field->zero;
}

std::string UnsupportedField(const Resource& resource, std::string_view label) {
  if (std::optional<std::string> own = resource.strategy->UnsupportedField(label)) return *std::move(own);
  if (resource.selectable_fields.empty()) {
    return base::Cat(api::Quote(label),
                     R"( is not a known field selector: only "metadata.name", "metadata.namespace")");
  }
  return base::Cat("field label not supported: ", label);
}

}  // namespace

bool Registry::Matches(const Resource& resource, const store::Cell& cell, const api::LabelSelector& labels,
                       const api::FieldSelector& fields) {
  if (!labels.empty() && !MatchesLabels(cell, labels)) return false;
  if (fields.empty()) return true;
  Arena arena(256);
  return fields.Matches([&](std::string_view label) { return FieldOf(resource, cell, label, arena); });
}

api::Result<> Registry::CheckSelector(const Resource& resource, const api::FieldSelector& fields) {
  for (const api::FieldTerm& term : fields.terms()) {
    const bool known = term.field == "metadata.name" ||
                       (term.field == "metadata.namespace" && resource.selects_namespace) ||
                       resource.FindSelectableField(term.field) != nullptr;
    if (!known) return api::Fail(api::BadRequest(UnsupportedField(resource, term.field)));
  }
  return {};
}

api::Result<store::Revision> Registry::ParseVersion(std::string_view resource_version) {
  auto version = ParseResourceVersion(resource_version);
  if (!version) return std::unexpected(std::move(version.error()));
  return ToRevision(*version);
}

}  // namespace registry
