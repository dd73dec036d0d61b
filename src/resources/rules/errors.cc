#include "resources/rules/errors.h"

#include <algorithm>
#include <utility>

#include "api/quote.h"
#include "registry/rule_log.h"
#include "value/json_writer.h"

namespace resources {
namespace {

using Type = api::FieldError::Type;

bool AllStrings(const Value& v) {
  if (v.is_array()) return std::ranges::all_of(v.items(), [](const Value& item) { return item.is_string(); });
  return std::ranges::all_of(v.members(), [](const value::Member& member) { return member.value.is_string(); });
}

std::string PrintStrings(const Value& v) {
  std::string out = v.is_array() ? "[]string{" : "map[string]string{";
  size_t opened = out.size();
  auto comma = [&] {
    if (out.size() > opened) out += ", ";
  };
  for (const Value& item : v.items()) {
    comma();
    out += api::Quote(item.AsString());
  }
  for (const value::Member& member : v.members()) {
    comma();
    out += api::Quote(member.key) + ":" + api::Quote(member.value.AsString());
  }
  return out + "}";
}

}  // namespace

std::string PrintBadValue(const Value& v) {
  if (v.is_string()) return api::Quote(v.AsString());
  if (v.is_null()) return "\"null\"";
  // An empty list is taken for one of strings.
  if ((v.is_array() || !v.empty()) && AllStrings(v)) return PrintStrings(v);
  std::string out;
  value::WriteJson(v, out);
  return out;
}

std::string PrintListOf(std::string_view go_type, const Value& list) {
  std::string out = "[]";
  out += go_type;
  if (list.is_null()) return out + "(nil)";
  out += "{";
  for (uint32_t i = 0; i < list.size(); ++i) out += (i > 0 ? ", " : "") + api::Quote(list[i].AsString());
  return out + "}";
}

std::string PrintBytes(std::string_view bytes) {
  if (bytes.empty()) return "[]byte(nil)";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "[]byte{";
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    out += i > 0 ? ", 0x" : "0x";
    if (byte >= 16) out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out + "}";
}

void Errors::Add(api::FieldError error) {
  registry::NoteError();
  ++found_;
  list_.push_back(std::move(error));
}

void Errors::Truncate(size_t size) {
  found_ = size;
  while (list_.size() > size) list_.pop_back();
}

void Errors::Put(Type type, const FieldPath& path, std::string printed, std::string_view detail) {
  if (full()) {
    ++found_;
    return;
  }
  Add({type, path.text(), std::move(printed), std::string(detail)});
}

void Errors::Required(const FieldPath& path, std::string_view detail) { Put(Type::kRequired, path, {}, detail); }
void Errors::Invalid(const FieldPath& path, const Value& bad, std::string_view detail) {
  Put(Type::kInvalid, path, full() ? std::string() : PrintBadValue(bad), detail);
}
void Errors::Invalid(const FieldPath& path, std::string_view bad, std::string_view detail) {
  Put(Type::kInvalid, path, api::Quote(bad), detail);
}
void Errors::Invalid(const FieldPath& path, int64_t bad, std::string_view detail) {
  Put(Type::kInvalid, path, std::to_string(bad), detail);
}
void Errors::InvalidAs(const FieldPath& path, std::string printed, std::string_view detail) {
  Put(Type::kInvalid, path, std::move(printed), detail);
}
void Errors::InvalidStruct(const FieldPath& path, const Value& bad, std::string_view detail) {
  Put(Type::kInvalid, path, full() ? std::string() : value::ToJson(bad), detail);
}
void Errors::DuplicateStruct(const FieldPath& path, const Value& bad, std::string_view detail) {
  Put(Type::kDuplicate, path, full() ? std::string() : value::ToJson(bad), detail);
}
void Errors::DuplicateAs(const FieldPath& path, std::string printed) {
  Put(Type::kDuplicate, path, std::move(printed), {});
}
void Errors::InvalidWhole(const FieldPath& path, std::string_view detail) {
  Add({Type::kInvalid, path.text(), {}, std::string(detail), true});
}
void Errors::NotSupported(const FieldPath& path, std::string_view bad, std::span<const std::string_view> supported) {
  NotSupportedAs(path, api::Quote(bad), supported);
}
void Errors::NotSupportedAs(const FieldPath& path, std::string printed, std::span<const std::string_view> supported) {
  std::string detail;
  if (!supported.empty()) detail = "supported values: ";
  for (size_t i = 0; i < supported.size(); ++i) detail += (i ? ", " : "") + api::Quote(supported[i]);
  Put(Type::kNotSupported, path, std::move(printed), detail);
}
void Errors::Forbidden(const FieldPath& path, std::string_view detail) { Put(Type::kForbidden, path, {}, detail); }
void Errors::Duplicate(const FieldPath& path, const Value& bad) {
  Put(Type::kDuplicate, path, full() ? std::string() : PrintBadValue(bad), {});
}
void Errors::Duplicate(const FieldPath& path, std::string_view bad) {
  Put(Type::kDuplicate, path, api::Quote(bad), {});
}
void Errors::NotFound(const FieldPath& path, std::string_view bad) { Put(Type::kNotFound, path, api::Quote(bad), {}); }
void Errors::TooLong(const FieldPath& path, int64_t most_bytes) {
  Put(Type::kTooLong, path, {}, "may not be more than " + std::to_string(most_bytes) + " bytes");
}
void Errors::TooMany(const FieldPath& path, int64_t actual, int64_t most) {
  Put(Type::kTooMany, path, std::to_string(actual), "must have at most " + std::to_string(most) + " items");
}
void Errors::Internal(const FieldPath& path, std::string_view detail) { Put(Type::kInternal, path, {}, detail); }
void Errors::TypeInvalid(const FieldPath& path, const Value& bad, std::string_view detail) {
  Put(Type::kTypeInvalid, path, full() ? std::string() : PrintBadValue(bad), detail);
}

}  // namespace resources
