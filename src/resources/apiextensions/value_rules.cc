#include "resources/apiextensions/value_rules.h"

#include <algorithm>
#include <cmath>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "api/regexp.h"
#include "base/text.h"
#include "resources/apiextensions/schema_access.h"
#include "resources/apiextensions/value_formats.h"
#include "value/json_writer.h"
#include "value/member_index.h"
#include "value/number.h"
#include "value/utf8.h"

namespace resources::apiextensions {
namespace {

using base::Cat;

// One complaint. Those of one value differ in their texts.
struct Finding {
  enum class Kind : uint8_t { kInvalid, kRequired, kUnsupported, kTooLong, kTooMany, kType };
  Kind kind = Kind::kInvalid;
  std::string at;    // from the value down: "a.b[0]"
  std::string text;  // the whole complaint
  std::string printed = "\"\"";
  std::vector<std::string> supported;
  int64_t actual = 0, most = 0;
};

// What was found, and how much was looked at on the way: of clauses that all fail, the one that went farthest is told.
struct Result {
  static constexpr size_t kMostFindings = 1000;
  std::vector<Finding> findings;
  int matches = 0;

  bool valid() const { return findings.empty(); }
  void Add(Finding finding) {
    if (findings.size() >= kMostFindings) return;
    const auto same = [&](const Finding& other) { return other.text == finding.text; };
    if (std::ranges::none_of(findings, same)) findings.push_back(std::move(finding));
  }
  void Merge(const Result& other) {
    for (const Finding& finding : other.findings) Add(finding);
    matches += other.matches;
  }
};

std::string_view TypeOf(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "boolean";
  if (value.is_string()) return "string";
  if (value.is_int()) return "integer";
  if (value.is_number()) return "number";
  return value.is_array() ? "array" : "object";
}

std::string Printed(double number) {
  char buffer[value::kMaxDoubleText];
  return std::string(value::FormatDouble(number, buffer));
}

bool IsWhole(double number) {
  if (!std::isfinite(number) || std::abs(number) >= 9007199254740992.0) return false;
  const double whole = std::trunc(number);
  if (whole == number) return true;
  const double sum = std::abs(number) + std::abs(whole);
  return whole != 0 && std::abs(number - whole) / sum < 1e-9;
}

class Validator {
 public:
  explicit Validator(Effort& effort) : effort_(effort) {}

  Result Check(const Value& value, const Value& schema, const std::string& at) {
    Result result;
    if (!effort_.Spend(1 + schema.Get("properties").size() + value.size() + schema.Get("required").size())) {
      result.Add({.at = at, .text = "takes too long to check"});
      return result;
    }
    CheckType(result, value, schema, at);
    if (value.is_null()) {
      CheckEnum(result, value, schema, at);
      return result;
    }
    result.Merge(CheckClauses(value, schema, at));
    if (value.is_string()) CheckString(result, value.AsString(), schema, at);
    if (value.is_number()) CheckNumber(result, value, schema, at);
    if (value.is_array()) CheckItems(result, value, schema, at);
    CheckEnum(result, value, schema, at);
    if (value.is_object()) CheckMembers(result, value, schema, at);
    ++result.matches;
    return result;
  }

 private:
  static void Say(Result& result, const std::string& at, std::string text, std::string printed) {
    result.Add({.at = at, .text = Cat(at, " in body ", text), .printed = std::move(printed)});
  }
  // Of a clause, not of a field.
  static void SayOf(Result& result, const std::string& at, std::string_view text) {
    result.Add({.text = Cat(api::Quote(at), " ", text)});
  }
  static void SayType(Result& result, const std::string& at, std::string_view wanted, std::string_view got) {
    const std::string quoted = api::Quote(got);
    result.Add({.kind = Finding::Kind::kType,
                .at = at,
                .text = Cat(at, " in body must be of type ", wanted, ": ", quoted),
                .printed = quoted});
  }

  static void CheckType(Result& result, const Value& value, const Value& schema, const std::string& at) {
    const std::string_view wanted = schema.GetString("type"), format = schema.GetString("format");
    const std::string_view got = TypeOf(value);
    if (wanted.empty() && format.empty()) return;
    if (value.is_null()) {
      if (!wanted.empty() && !IsSet(schema, "nullable")) SayType(result, at, wanted, got);
      return;
    }
    ++result.matches;
    const bool number_wanted = wanted == "number" || wanted == "integer";
    const bool fits = got == wanted || (got == "number" && wanted == "integer" && IsWhole(value.AsDouble())) ||
                      (got == "integer" && wanted == "number");
    const bool text_or_list = value.is_string() || value.is_array();
    const std::string_view own_format = value.is_int() ? "int64" : value.is_number() ? "double" : "";
    if (!text_or_list && !format.empty() && !fits && own_format != format) {
      return SayType(result, at, format, own_format);
    }
    if ((!number_wanted && !format.empty() && text_or_list) || fits) {
      ++result.matches;
      return;
    }
    SayType(result, at, wanted, got);
  }

  void CheckPattern(Result& result, std::string_view text, std::string_view pattern, const std::string& at) {
    if (pattern.empty() || effort_.IsIn(pattern, text)) return;
    Say(result, at, Cat("should match '", pattern, "'"), api::Quote(text));
  }

  void CheckString(Result& result, std::string_view text, const Value& schema, const std::string& at) {
    ++result.matches;
    int64_t length = 0;
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(value::DecodeRune(rest).size)) ++length;
    const Value most = schema.Get("maxLength"), least = schema.Get("minLength");
    if (most.is_int() && length > most.AsInt()) {
      result.Add({.kind = Finding::Kind::kTooLong,
                  .at = at,
                  .text = Cat(at, " in body should be at most ", most.AsInt(), " chars long"),
                  .most = most.AsInt()});
    } else if (least.is_int() && length < least.AsInt()) {
      Say(result, at, Cat("should be at least ", least.AsInt(), " chars long"), api::Quote(text));
    } else {
      CheckPattern(result, text, schema.GetString("pattern"), at);
    }
    const std::string_view format = schema.GetString("format");
    if (!IsKnownFormat(format)) return;
    ++result.matches;
    if (HasFormat(format, text)) return;
    result.Add({.kind = Finding::Kind::kType,
                .at = at,
                .text = Cat(at, " in body must be of type ", format, ": ", api::Quote(text)),
                .printed = api::Quote(text)});
  }

  static bool IsMultiple(const Value& value, double factor) {
    if (value.is_int()) return value.AsInt() % static_cast<int64_t>(factor) == 0;
    return IsWhole(factor < 1 ? 1 / factor * value.AsDouble() : value.AsDouble() / factor);
  }

  static void CheckNumber(Result& result, const Value& value, const Value& schema, const std::string& at) {
    const std::string printed = PrintBadValue(value);
    // What is compared with a whole number is whole.
    const auto limit = [&](std::string_view name) {
      const double number = schema.Get(name).AsDouble();
      return value.is_int() ? std::trunc(number) : number;
    };
    if (schema.Get("multipleOf").is_number()) {
      const double factor = limit("multipleOf");
      if (factor <= 0) {
        result.Add({.at = at,
                    .text = Cat("factor MultipleOf declared for ", at, " must be positive: ", Printed(factor)),
                    .printed = Printed(factor)});
      } else if (!IsMultiple(value, factor)) {
        Say(result, at, Cat("should be a multiple of ", Printed(factor)), printed);
      }
    }
    const double number = value.AsDouble();
    if (schema.Get("minimum").is_number()) {
      const double least = limit("minimum");
      const bool exclusive = IsSet(schema, "exclusiveMinimum");
      if (number < least || (exclusive && number == least)) {
        Say(result, at, Cat("should be greater than ", exclusive ? "" : "or equal to ", Printed(least)), printed);
      }
    }
    if (schema.Get("maximum").is_number()) {
      const double most = limit("maximum");
      const bool exclusive = IsSet(schema, "exclusiveMaximum");
      if (number > most || (exclusive && number == most)) {
        Say(result, at, Cat("should be less than ", exclusive ? "" : "or equal to ", Printed(most)), printed);
      }
    }
    result.matches += 2;
  }

  void CheckItems(Result& result, const Value& list, const Value& schema, const std::string& at) {
    const int64_t size = list.size();
    if (const Value items = SchemaIn(schema, "items"); items.is_object()) {
      int64_t index = 0;
      for (const Value& item : list.items()) result.Merge(Check(item, items, Cat(at, "[", index++, "]")));
    }
    CheckCount(result, schema, at, size, "minItems", "maxItems", "items");
    result.matches += 2;
  }

  // Of items or properties.
  static void CheckCount(Result& result, const Value& schema, const std::string& at, int64_t count,
                         std::string_view at_least, std::string_view at_most, std::string_view what) {
    const Value least = schema.Get(at_least), most = schema.Get(at_most);
    if (least.is_int() && count < least.AsInt()) {
      Say(result, at, Cat("should have at least ", least.AsInt(), " ", what), std::to_string(count));
    }
    if (most.is_int() && count > most.AsInt()) {
      result.Add({.kind = Finding::Kind::kTooMany,
                  .at = at,
                  .text = Cat(at, " in body should have at most ", most.AsInt(), " ", what),
                  .actual = count,
                  .most = most.AsInt()});
    }
  }

  static bool SameAsEnum(const Value& value, const Value& allowed) {
    if (!value.is_number() || !allowed.is_number()) return value::Equal(value, allowed);
    // Compared as what is allowed is: of a fraction beside a whole number, the whole part.
    return allowed.is_int() ? std::trunc(value.AsDouble()) == allowed.AsDouble()
                            : value.AsDouble() == allowed.AsDouble();
  }

  void CheckEnum(Result& result, const Value& value, const Value& schema, const std::string& at) {
    const Value allowed = schema.Get("enum");
    if (!value.is_null()) ++result.matches;
    if (allowed.empty()) return;
    if (!effort_.Spend(allowed.size())) return result.Add({.at = at, .text = "takes too long to check"});
    if (std::ranges::any_of(allowed.items(), [&](const Value& one) { return SameAsEnum(value, one); })) return;
    Finding finding{.kind = Finding::Kind::kUnsupported, .at = at, .printed = PrintContent(value)};
    finding.text = Cat(at, " in body should be one of ", value::ToJson(allowed));
    if (!effort_.Spend(finding.text.size())) return result.Add({.at = at, .text = "takes too long to check"});
    for (const Value& one : allowed.items()) {
      finding.supported.push_back(one.is_string() ? std::string(one.AsString()) : value::ToJson(one));
    }
    result.Add(std::move(finding));
  }

  void CheckMembers(Result& result, const Value& object, const Value& schema, const std::string& at) {
    const Value properties = schema.Get("properties"), more = schema.Get("additionalProperties");
    const value::MemberIndex fields(properties), members(object);
    CheckCount(result, schema, at, object.size(), "minProperties", "maxProperties", "properties");
    for (const value::Member& member : object.members()) {
      if (fields.Find(member.key) != nullptr) continue;
      if (more.is_object()) result.Merge(Check(member.value, more, Cat(at, ".", member.key)));
      if (more.is_bool() && !more.AsBool()) {
        result.Add({.at = at,
                    .text = Cat(at, ".", member.key, " in body is a forbidden property"),
                    .printed = api::Quote(member.key)});
      }
    }
    for (const value::Member& field : properties.members()) {
      const Value* member = members.Find(field.key);
      const std::string inside = at.empty() ? std::string(field.key) : Cat(at, ".", field.key);
      if (member != nullptr) result.Merge(Check(*member, field.value, inside));
    }
    for (const Value& name : schema.Get("required").items()) {
      if (members.Find(name.AsString()) != nullptr) continue;
      const std::string missing = Cat(at, ".", name.AsString());
      result.Add({.kind = Finding::Kind::kRequired, .at = missing, .text = Cat(missing, " in body is required")});
    }
    ++result.matches;
  }

  // Of anyOf and oneOf: how many of the clauses hold; what the first of these found, or, where none does, the one that
  // went farthest.
  std::pair<int, Result> Try(const Value& value, const Value& clauses, const std::string& at, bool first_only) {
    int valid = 0;
    Result first, best;
    bool failed = false;
    for (const Value& clause : clauses.items()) {
      Result result = Check(value, clause, at);
      if (result.valid()) {
        if (valid++ == 0) first = std::move(result);
        if (first_only) break;
      } else if (valid == 0 && (!failed || result.matches > best.matches)) {
        best = std::move(result);
        failed = true;
      }
    }
    return {valid, valid > 0 ? std::move(first) : std::move(best)};
  }

  Result CheckClauses(const Value& value, const Value& schema, const std::string& at) {
    Result result;
    if (const Value clauses = schema.Get("anyOf"); !clauses.empty()) {
      const auto [valid, told] = Try(value, clauses, at, true);
      if (valid == 0) SayOf(result, at, "must validate at least one schema (anyOf)");
      result.Merge(told);
    }
    if (const Value clauses = schema.Get("oneOf"); !clauses.empty()) {
      const auto [valid, told] = Try(value, clauses, at, false);
      const std::string found = valid == 0 ? "Found none valid" : Cat("Found ", valid, " valid alternatives");
      if (valid != 1) SayOf(result, at, Cat("must validate one and only one schema (oneOf). ", found));
      if (valid < 2) result.Merge(told);
    }
    if (const Value clauses = schema.Get("allOf"); !clauses.empty()) {
      uint32_t valid = 0;
      for (const Value& clause : clauses.items()) {
        const Result one = Check(value, clause, at);
        valid += one.valid() ? 1 : 0;
        result.Merge(one);
      }
      if (valid != clauses.size()) {
        SayOf(result, at, Cat("must validate all the schemas (allOf)", valid == 0 ? ". None validated" : ""));
      }
    }
    if (const Value clause = schema.Get("not"); clause.is_object() && Check(value, clause, at).valid()) {
      SayOf(result, at, "must not validate the schema (not)");
    }
    result.matches += 2;
    return result;
  }

  Effort& effort_;
};

void Put(Errors& errors, const FieldPath& path, const Finding& finding) {
  using enum Finding::Kind;
  switch (finding.kind) {
    case kRequired:
      return errors.Required(path);
    case kUnsupported: {
      const std::vector<std::string_view> supported(finding.supported.begin(), finding.supported.end());
      return errors.NotSupportedAs(path, finding.printed, supported);
    }
    case kTooLong:
      return errors.TooLong(path, finding.most);
    case kTooMany:
      return errors.TooMany(path, finding.actual, finding.most);
    case kType:
      return errors.Add({api::FieldError::Type::kTypeInvalid, path.text(), finding.printed, finding.text});
    case kInvalid:
      return errors.InvalidAs(path, finding.printed, finding.text);
  }
}

}  // namespace

std::string PrintContent(const Value& content) {
  if (content.is_null()) return "interface {}(nil)";
  if (!content.is_array() && !content.is_object()) return PrintBadValue(content);
  std::string out = content.is_array() ? "[]interface {}{" : "map[string]interface {}{";
  const size_t opened = out.size();
  const auto comma = [&] { return out.size() > opened ? ", " : ""; };
  for (const Value& item : content.items()) base::Append(out, comma(), PrintContent(item));
  for (const value::Member& member : content.members()) {
    base::Append(out, comma(), api::Quote(member.key), ":", PrintContent(member.value));
  }
  return out + "}";
}

bool Effort::IsIn(std::string_view pattern, std::string_view text) {
  auto found = compiled_.find(pattern);
  if (found == compiled_.end()) {
    if (compiling_ > kMostCompiling) return true;
    if (compiled_.size() == kMostKept) compiled_.clear();
    found = compiled_.emplace(pattern, api::Regexp::Compile(pattern)).first;
    if (found->second) compiling_ += found->second->cost();
  }
  return !found->second || found->second->IsIn(text);
}

void CheckValue(Errors& errors, const FieldPath& path, const Value& value, const Value& schema, Effort& effort) {
  for (const Finding& finding : Validator(effort).Check(value, schema, "").findings) {
    std::string_view at = finding.at;
    if (at.starts_with('.')) at.remove_prefix(1);
    Put(errors, at.empty() ? path : path.Child(at), finding);
  }
}

}  // namespace resources::apiextensions
