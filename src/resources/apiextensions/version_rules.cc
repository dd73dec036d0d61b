#include "resources/apiextensions/version_rules.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "customresources/schema_field_path.h"
#include "resources/apiextensions/schema_access.h"

namespace resources::apiextensions {
namespace {

constexpr size_t kMostWarning = 256;
constexpr int64_t kMostSelectableFields = 8;
constexpr std::string_view kColumnTypes[] = {"boolean", "date", "integer", "number", "string"};
constexpr std::string_view kColumnFormats[] = {"byte",  "date",  "date-time", "double",
                                               "float", "int32", "int64",     "password"};

std::string OneOfText(std::span<const std::string_view> words) {
  std::string text = "must be one of ";
  for (size_t i = 0; i < words.size(); ++i) base::Append(text, i > 0 ? "," : "", words[i]);
  return text;
}

bool IsOneOf(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Where the first byte stands that begins no printable character; npos if none does. Text is UTF-8.
size_t FirstUnprintable(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return i;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    // Controls, the space that does not break and the soft hyphen.
    if (byte == 0xc2 && (next <= 0xa0 || next == 0xad)) return i;
    const auto third = i + 2 < text.size() ? static_cast<unsigned char>(text[i + 2]) : 0U;
    // Spaces, marks of direction and joiners of U+2000 to U+206F.
    if (byte == 0xe2 && next == 0x80 && (third <= 0x8f || (third >= 0xa8 && third <= 0xaf))) return i;
    if (byte == 0xe2 && next == 0x81 && third >= 0x9f && third <= 0xaf) return i;
    if (byte == 0xef && next == 0xbb && third == 0xbf) return i;
  }
  return text.npos;
}

// A path from the object down: ".spec.replicas".
bool CheckPath(Errors& errors, const FieldPath& path, std::string_view text) {
  if (text.starts_with('.')) return true;
  errors.Invalid(path, text, "must be a simple json path starting with .");
  return false;
}

}  // namespace

void CheckDeprecation(Errors& errors, const FieldPath& version_path, const Value& version) {
  const Value* warning = version.Find("deprecationWarning");
  if (warning == nullptr) return;
  const FieldPath path = version_path.Child("deprecationWarning");
  const std::string_view text = warning->AsString();
  if (!IsSet(version, "deprecated")) return errors.Invalid(path, text, "can only be set for deprecated versions");
  if (text.size() > kMostWarning) errors.Invalid(path, text, "must be <= 256 characters long");
  if (text.empty()) errors.Invalid(path, text, "must not be an empty string");
  if (const size_t at = FirstUnprintable(text); at != text.npos) {
    errors.Invalid(
        path, text,
        base::Cat("must only contain printable UTF-8 characters; non-printable character found at index ", at));
  }
}

void CheckSubresources(Errors& errors, const FieldPath& path, const Value& subresources) {
  const Value scale = subresources.Get("scale");
  if (scale.is_null()) return;
  struct Part {
    std::string_view field, path, under, detail;
  };
  constexpr Part kParts[] = {
      {"specReplicasPath", "scale.specReplicasPath", ".spec.", "should be a json path under .spec"},
      {"statusReplicasPath", "scale.statusReplicasPath", ".status.", "should be a json path under .status"},
  };
  for (const Part& part : kParts) {
    const std::string_view text = scale.GetString(part.field);
    const FieldPath at = path.Child(part.path);
    if (text.empty()) {
      errors.Required(at);
    } else if (CheckPath(errors, at, text) && !text.starts_with(part.under)) {
      errors.Invalid(at, text, part.detail);
    }
  }
  const std::string_view selector = scale.GetString("labelSelectorPath");
  const FieldPath at = path.Child("scale.labelSelectorPath");
  if (selector.empty() || !CheckPath(errors, at, selector)) return;
  if (!selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.Invalid(at, selector, "should be a json path under either .spec or .status");
  }
}

void CheckPrinterColumns(Errors& errors, const FieldPath& path, const Value& columns) {
  for (uint32_t i = 0; i < columns.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view type = columns[i].GetString("type"), format = columns[i].GetString("format");
    if (columns[i].GetString("name").empty()) errors.Required(at.Child("name"));
    if (type.empty()) {
      errors.Required(at.Child("type"), OneOfText(kColumnTypes));
    } else if (!IsOneOf(kColumnTypes, type)) {
      errors.Invalid(at.Child("type"), type, OneOfText(kColumnTypes));
    }
    if (!format.empty() && !IsOneOf(kColumnFormats, format)) {
      errors.Invalid(at.Child("format"), format, OneOfText(kColumnFormats));
    }
    const std::string_view json_path = columns[i].GetString("jsonPath");
    if (json_path.empty()) {
      errors.Required(at.Child("JSONPath"));
    } else {
      CheckPath(errors, at.Child("JSONPath"), json_path);
    }
  }
}

void CheckSelectableFields(Errors& errors, const FieldPath& path, const Value& fields, const Value& schema) {
  std::set<std::string> seen;
  for (uint32_t i = 0; i < fields.size(); ++i) {
    const FieldPath item = path.Index(i);
    const FieldPath at = item.Child("jsonPath");
    const std::string_view text = fields[i].GetString("jsonPath");
    if (text.empty()) {
      errors.Required(at);
      continue;
    }
    const auto field = customresources::FindField(text, schema, false);
    if (!field) {
      errors.Invalid(at, text, base::Cat("is an invalid path: ", field.error()));
      continue;
    }
    const std::string_view type = field->schema.GetString("type");
    if (field->root == "metadata") errors.Invalid(at, text, "must not point to fields in metadata");
    if (type != "string" && type != "boolean" && type != "integer") {
      errors.Invalid(at, text,
                     "must point to a field of type string, boolean or integer. Enum string fields and strings with "
                     "formats are allowed.");
    }
    if (!seen.insert(field->text).second) errors.Duplicate(at, text);
  }
  if (const auto count = static_cast<int64_t>(seen.size()); count > kMostSelectableFields) {
    errors.TooMany(path, count, kMostSelectableFields);
  }
}

}  // namespace resources::apiextensions
