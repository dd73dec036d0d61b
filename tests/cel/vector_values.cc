#include "vector_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "api/quantity.h"
#include "api/url.h"
#include "cel/library/authorizer_checks.h"
#include "cel/library/call.h"
#include "cel/library/named_formats.h"
#include "cel/library/network.h"
#include "cel/library/numbers.h"
#include "cel/library/times.h"
#include "cel/text.h"
#include "value/base64_url.h"

namespace vectors {
namespace {

std::string Decoded(std::string_view base64) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (char c : base64) {
    int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                : c >= '0' && c <= '9' ? c - '0' + 52
                : c == '+'             ? 62
                : c == '/'             ? 63
                                       : -1;
    if (digit < 0) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count);
    }
  }
  return out;
}

double DoubleOf(const value::Value& form) {
  if (form.is_number()) return form.AsDouble();
  std::string_view text = form.AsString();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return -0.0;
}

// Whether the selector that was asked with is the one that the vector states: by its requirements, or by the error that
// its text gives.
bool SelectorAsStated(const value::Value& stated, const std::string& key, std::string_view selector) {
  if (const value::Value* error = stated.Find(key + "ParsingErr")) {
    return !selector.empty() && !error->AsString().empty();
  }
  std::string text;
  for (const value::Value& requirement : stated.Get(key + "Requirements").items()) {
    if (!text.empty()) text += ',';
    text += requirement.Find("field") != nullptr ? requirement.GetString("field") : requirement.GetString("key");
    text += requirement.GetString("operator");
    text +=
        requirement.Find("value") != nullptr ? requirement.GetString("value") : requirement.Get("values")[0].AsString();
  }
  return text == selector;
}

}  // namespace

cel::AuthorizerDecision StandInAuthorizer::Authorize(const cel::AuthorizerCheck& check) {
  if (spec_.is_string()) {
    std::string_view how = spec_.AsString();
    if (how == "allow") return {.allowed = true};
    if (how == "deny") return {.reason = "fake reason"};
    return {.errored = true, .error = "fake authz error"};
  }
  if (const value::Value* error = spec_.Find("error_all"))
    return {.errored = true, .error = std::string(error->is_string() ? error->AsString() : "fake authz error")};
  if (const value::Value* deny = spec_.Find("deny_all"))
    return {.reason = deny->is_string() ? std::string(deny->AsString()) : "fake reason"};
  const value::Value* only = spec_.Find("allow_only");
  if (only == nullptr) return {};
  auto same = [&](std::string_view key, std::string_view value) { return only->GetString(key) == value; };
  std::string_view user = only->Get({"user", "name"}).is_string() ? only->Get({"user", "name"}).AsString() : "";
  std::string asked;
  if (!check.service_account_name.empty()) {
    asked = "system:serviceaccount:" + std::string(check.service_account_namespace) + ":" +
            std::string(check.service_account_name);
  }
  bool match = user == asked && same("verb", check.verb);
  if (check.is_resource) {
    match = match && same("apiGroup", check.group) && same("resource", check.resource) &&
            same("subresource", check.subresource) && same("namespace", check.namespace_name) &&
            same("name", check.name) && SelectorAsStated(*only, "fieldSelector", check.field_selector) &&
            SelectorAsStated(*only, "labelSelector", check.label_selector);
  } else {
    match = match && same("path", check.path);
  }
  return {.allowed = match, .reason = match ? "" : "fake reason"};
}

cel::Value Values::MakeAuthorizer(const value::Value& spec, bool request_resource, const value::Value& request) {
  authorizers_.push_back(std::make_unique<StandInAuthorizer>(spec));
  if (!request_resource) return cel::library::AuthorizerValue(arena_, *authorizers_.back());
  cel::AuthorizerCheck check;
  check.is_resource = true;
  check.group = request.Get({"resource", "group"}).is_string() ? request.Get({"resource", "group"}).AsString() : "";
  check.resource =
      request.Get({"resource", "resource"}).is_string() ? request.Get({"resource", "resource"}).AsString() : "";
  check.subresource = request.GetString("subResource");
  check.namespace_name = request.GetString("namespace");
  check.name = request.GetString("name");
  return cel::library::ResourceCheckValue(arena_, *authorizers_.back(), check);
}

cel::Value Values::Make(const value::Value& form) {
  if (!form.is_object() || form.empty()) return cel::Value::Error("no form of a value");
  const value::Member& member = form.members()[0];
  std::string_view kind = member.key;
  const value::Value& content = member.value;
  if (kind == "int") return cel::Value::Int(std::strtoll(std::string(content.AsString()).c_str(), nullptr, 10));
  if (kind == "uint") return cel::Value::Uint(std::strtoull(std::string(content.AsString()).c_str(), nullptr, 10));
  if (kind == "double") return cel::Value::Double(DoubleOf(content));
  if (kind == "string") return cel::Value::String(content.AsString());
  if (kind == "bytes_b64") return cel::Value::Bytes(arena_.CopyString(Decoded(content.AsString())));
  if (kind == "bool") return cel::Value::Bool(content.AsBool());
  if (kind == "null") return {};
  if (kind == "list") {
    auto* items = arena_.AllocateArray<cel::Value>(content.size());
    for (uint32_t i = 0; i < content.size(); ++i) items[i] = Make(content[i]);
    return cel::Value::List({items, content.size()});
  }
  if (kind == "map") {
    auto* map = new (arena_.Allocate(sizeof(cel::EntryMap))) cel::EntryMap;
    for (const value::Value& entry : content.items()) map->Set(arena_, Make(entry[0]), Make(entry[1]));
    return cel::Value::Map(map);
  }
  if (kind == "duration") {
    int64_t nanoseconds = 0;
    cel::library::ParseDuration(content.AsString(), nanoseconds);
    return cel::Value::Duration(nanoseconds);
  }
  if (kind == "timestamp") {
    cel::library::Instant instant;
    cel::library::ParseInstant(content.AsString(), instant);
    return cel::Value::Timestamp(instant.seconds, instant.nanoseconds, instant.offset_minutes);
  }
  if (kind == "type") return cel::Value::TypeNamed(content.AsString());
  if (kind == "optional") return content.is_null() ? cel::Value::None() : cel::Value::OptionalOf(arena_, Make(content));
  if (kind == "authorizer") return MakeAuthorizer(content, false, {});
  cel::Steps steps{1000};
  cel::library::CallContext context{arena_, steps};
  cel::Value text = content.is_string() ? cel::Value::String(content.AsString()) : cel::Value();
  if (kind == "quantity") return cel::library::Call(cel::OverloadId::kStringToQuantity, {&text, 1}, context);
  if (kind == "ip") return cel::library::Call(cel::OverloadId::kStringToIp, {&text, 1}, context);
  if (kind == "cidr") return cel::library::Call(cel::OverloadId::kStringToCidr, {&text, 1}, context);
  if (kind == "url") return cel::library::Call(cel::OverloadId::kStringToUrl, {&text, 1}, context);
  return cel::Value::Error("unknown form of a value");
}

bool Matches(const value::Value& form, const cel::Value& value, bool any_order) {
  if (!form.is_object() || form.empty()) return false;
  const value::Member& member = form.members()[0];
  std::string_view kind = member.key;
  const value::Value& content = member.value;
  if (kind == "object") return cel::TypeName(value) == content.AsString();
  if (kind == "list") {
    if (!value.is(cel::ValueKind::kList) || value.size() != content.size()) return false;
    if (any_order) {
      std::vector<bool> used(content.size());
      for (uint32_t i = 0; i < value.size(); ++i) {
        bool found = false;
        for (uint32_t j = 0; j < content.size() && !found; ++j) {
          if (used[j] || !Matches(content[j], value.At(i), any_order)) continue;
          used[j] = found = true;
        }
        if (!found) return false;
      }
      return true;
    }
    for (uint32_t i = 0; i < content.size(); ++i) {
      if (!Matches(content[i], value.At(i), any_order)) return false;
    }
    return true;
  }
  if (kind == "map" || kind == "dynamic_object") {
    if (!value.is(cel::ValueKind::kMap) && !value.is(cel::ValueKind::kStruct)) return false;
    const value::Value& entries = kind == "map" ? content : content[1];
    if (kind == "dynamic_object" && cel::TypeName(value) != content[0].AsString()) return false;
    std::vector<std::pair<value::Value, value::Value>> wanted;
    value::Arena arena;
    Values values(arena);
    size_t count = 0;
    cel::MapWalk walk(value);
    cel::Value key, item;
    std::vector<std::pair<cel::Value, cel::Value>> all;
    while (walk.Next(key, item)) all.emplace_back(key, item);
    auto check = [&](const value::Value* key_form, std::string_view name, const value::Value& item_form) {
      for (auto& [k, v] : all) {
        bool same =
            key_form != nullptr ? Matches(*key_form, k, false) : k.is(cel::ValueKind::kString) && k.text() == name;
        if (same && Matches(item_form, v, any_order)) return true;
      }
      return false;
    };
    if (entries.is_array()) {
      for (const value::Value& entry : entries.items()) {
        ++count;
        if (!check(&entry[0], {}, entry[1])) return false;
      }
    } else {
      for (const value::Member& entry : entries.members()) {
        ++count;
        if (!check(nullptr, entry.key, entry.value)) return false;
      }
    }
    return count == all.size();
  }
  if (kind == "optional") {
    if (!value.is(cel::ValueKind::kOptional)) return false;
    if (content.is_null() || value.optional() == nullptr) return content.is_null() && value.optional() == nullptr;
    return Matches(content, *value.optional(), any_order);
  }
  if (kind == "double") {
    if (!value.is(cel::ValueKind::kDouble)) return false;
    double wanted = DoubleOf(content);
    return std::isnan(wanted) ? std::isnan(value.AsDouble()) : wanted == value.AsDouble();
  }
  if (kind == "format")
    return value.is(cel::ValueKind::kOpaque) && value.opaque_kind() == cel::OpaqueKind::kFormat &&
           value.opaque<cel::library::NamedFormat>().name == content.AsString();
  value::Arena arena;
  Values values(arena);
  cel::Value wanted = values.Make(form);
  if (wanted.is_error() || wanted.kind() != value.kind()) return false;
  cel::Steps steps{1'000'000};
  return Equal(wanted, value, steps);
}

std::string Show(const cel::Value& value) { return std::string(cel::TypeName(value)) + " " + cel::Shown(value); }

}  // namespace vectors
