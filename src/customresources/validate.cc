#include "customresources/validate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "api/quote.h"
#include "api/value_formats.h"
#include "base/text.h"
#include "customresources/pattern_cache.h"
#include "value/json_writer.h"
#include "value/utf8.h"

namespace customresources {
namespace {

using base::Cat;
using schema::Additional;
using schema::JsonType;
using schema::Structural;
using schema::ValueRules;
using value::Member;

// Where a value stands, from the one that is validated down. Lives on the stack; its text is made for errors only.
struct At {
  const At* parent = nullptr;
  std::string_view name;
  int64_t index = -1;
  bool is_key = false;  // of additionalProperties: a dot goes before it even at the root

  std::string text() const {
    if (parent == nullptr) return {};
    std::string out = parent->text();
    if (index >= 0) {
      base::Append(out, "[", index, "]");
    } else {
      if (is_key || !out.empty()) out += '.';
      out += name;
    }
    return out;
  }
};

// One complaint. Those of one list differ in their texts.
struct Finding {
  enum class Kind : uint8_t { kInvalid, kRequired, kUnsupported, kTooLong, kTooMany, kType };
  Kind kind = Kind::kInvalid;
  std::string at;                // "a.b[0]"
  std::string text;              // the whole complaint
  std::string printed = "\"\"";  // the bad value
  std::string detail = {};       // in place of the text
};

class Findings {
 public:
  size_t size() const { return list_.size(); }
  const std::vector<Finding>& list() const { return list_; }

  void Add(Finding finding) {
    if (bytes_ >= ErrorList::kMostBytes) return;
    if (!texts_.insert(finding.text).second) return;
    bytes_ += finding.text.size() + finding.at.size() + finding.printed.size() + finding.detail.size();
    list_.push_back(std::move(finding));
  }
  void Merge(Findings&& other) {
    for (Finding& finding : other.list_) Add(std::move(finding));
  }
  void Truncate(size_t size) {
    for (size_t i = size; i < list_.size(); ++i) texts_.erase(list_[i].text);
    list_.resize(size);
  }

 private:
  std::vector<Finding> list_;
  absl::flat_hash_set<std::string> texts_;
  size_t bytes_ = 0;
};

std::string_view TypeOf(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "boolean";
  if (value.is_string()) return "string";
  if (value.is_int()) return "integer";
  if (value.is_number()) return "number";
  return value.is_array() ? "array" : "object";
}

bool IsWhole(double number) {
  if (!std::isfinite(number) || std::abs(number) >= 9007199254740992.0) return false;
  const double whole = std::trunc(number);
  if (whole == number) return true;
  const double sum = std::abs(number) + std::abs(whole);
  return whole != 0 && std::abs(number - whole) / sum < 1e-9;
}

constexpr int64_t kStepsOfAFinding = 4;  // its text is made, and often thrown away

class Validator {
 public:
  explicit Validator(bool is_default) : is_default_(is_default) {}

  bool exhausted() const { return steps_ > kMostSteps; }

  // `old`: what the value was, where that is known and counts. Gives how much was looked at: of clauses that all fail,
  // the one that went farthest is told.
  int64_t Check(const Value& value, const Structural& schema, const At& at, const Value* old, Findings& out) {
    if (++steps_ > kMostSteps) return 0;
    const size_t before = out.size();
    const int64_t matches = CheckOwn(value, schema, at, old, out);
    if (out.size() > before && old != nullptr && IsUnchanged(schema, value, *old)) out.Truncate(before);
    return matches;
  }

 private:
  static const ValueRules& RulesOf(const Structural& schema) {
    static constexpr ValueRules kNone;
    return schema.rules == nullptr ? kNone : *schema.rules;
  }

  std::string_view FormatOf(const ValueRules& rules) const {
    if (rules.format.empty() || is_default_ || api::IsKnownFormat(rules.format)) return rules.format;
    return {};
  }

  int64_t CheckOwn(const Value& value, const Structural& schema, const At& at, const Value* old, Findings& out) {
    const ValueRules& rules = RulesOf(schema);
    int64_t matches = CheckType(value, schema, FormatOf(rules), at, out);
    if (value.is_null()) {
      CheckEnum(value, rules, at, out);
      return matches;
    }
    if (schema.rules != nullptr) matches += CheckClauses(value, rules, at, out);
    matches += 2;  // clauses are always looked at
    if (value.is_string()) matches += CheckString(value.AsString(), rules, at, out);
    if (value.is_number()) {
      if (schema.rules != nullptr) CheckNumber(value, rules, at, out);
      matches += 2;
    }
    if (value.is_array()) matches += CheckItems(value, schema, rules, at, old, out);
    CheckEnum(value, rules, at, out);
    ++matches;
    if (value.is_object()) matches += CheckMembers(value, schema, rules, at, old, out);
    return matches + 1;
  }

  static void Say(Findings& out, const At& at, std::string_view text, std::string printed) {
    std::string place = at.text();
    out.Add({.at = place, .text = Cat(place, " in body ", text), .printed = std::move(printed)});
  }
  // Of a clause, not of a field.
  static void SayOf(Findings& out, const At& at, std::string_view text) {
    out.Add({.text = Cat(api::Quote(at.text()), " ", text)});
  }
  static void SayType(Findings& out, const At& at, std::string_view wanted, std::string_view got) {
    const std::string quoted = api::Quote(got);
    std::string place = at.text();
    out.Add({.kind = Finding::Kind::kType,
             .at = place,
             .text = Cat(place, " in body must be of type ", wanted, ": ", quoted),
             .printed = quoted});
  }

  int64_t CheckType(const Value& value, const Structural& schema, std::string_view format, const At& at,
                    Findings& out) const {
    const bool either = schema.int_or_string && !is_default_;
    const std::string_view wanted = either ? "integer,string" : schema::NameOf(schema.type);
    const std::string_view got = TypeOf(value);
    if (value.is_null()) {
      if (wanted.empty() || schema.nullable) return 1;
      SayType(out, at, wanted, got);
      return 0;
    }
    if (wanted.empty() && format.empty()) return 0;
    const bool integer_wanted = either || schema.type == JsonType::kInteger;
    const bool number_wanted = !either && schema.type == JsonType::kNumber;
    const bool contains = either ? got == "integer" || got == "string" : got == wanted;
    const bool fits = contains || (got == "number" && integer_wanted && IsWhole(value.AsDouble())) ||
                      (got == "integer" && number_wanted);
    const bool text_or_list = value.is_string() || value.is_array();
    const std::string_view own_format = value.is_int() ? "int64" : value.is_number() ? "float64" : "";
    if (!text_or_list && !format.empty() && !fits && own_format != format) {
      SayType(out, at, format, own_format);
      return 1;
    }
    if ((!integer_wanted && !number_wanted && !format.empty() && text_or_list) || fits) return 2;
    SayType(out, at, wanted, got);
    return 1;
  }

  static int64_t CheckString(std::string_view text, const ValueRules& rules, const At& at, Findings& out) {
    if (rules.max_length || rules.min_length) {
      int64_t length = 0;
      for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(value::DecodeRune(rest).size)) ++length;
      if (rules.max_length && length > *rules.max_length) {
        std::string place = at.text();
        out.Add({.kind = Finding::Kind::kTooLong,
                 .at = place,
                 .text = Cat(place, " in body should be at most ", *rules.max_length, " chars long"),
                 .detail = Cat("may not be more than ", *rules.max_length, " bytes")});
        return 1 + CheckFormat(text, rules, at, out);
      }
      if (rules.min_length && length < *rules.min_length) {
        Say(out, at, Cat("should be at least ", *rules.min_length, " chars long"), api::Quote(text));
        return 1 + CheckFormat(text, rules, at, out);
      }
    }
    if (!rules.pattern.empty() && !MatchesPattern(rules.pattern, text)) {
      Say(out, at, Cat("should match '", rules.pattern, "'"), api::Quote(text));
    }
    return 1 + CheckFormat(text, rules, at, out);
  }

  static int64_t CheckFormat(std::string_view text, const ValueRules& rules, const At& at, Findings& out) {
    if (rules.format.empty() || !api::IsKnownFormat(rules.format)) return 0;
    if (api::HasFormat(rules.format, text)) return 1;
    std::string place = at.text();
    out.Add({.kind = Finding::Kind::kType,
             .at = place,
             .text = Cat(place, " in body must be of type ", rules.format, ": ", api::Quote(text)),
             .printed = api::Quote(text)});
    return 1;
  }

  // Numbers as Go compares them: a bound of whole numbers is whole, all of its digits count.
  struct Number {
    bool is_int;
    int64_t whole;
    double real;

    bool operator<(const Number& other) const { return is_int ? whole < other.whole : real < other.real; }
    bool operator==(const Number& other) const { return is_int ? whole == other.whole : real == other.real; }
    std::string text() const { return is_int ? std::to_string(whole) : PrintFloat(real); }
  };

  // `v` beside `value`: Go makes a float64 of every bound, and an int64 of that beside a whole number.
  static Number Of(const Value& v, const Value& value) {
    const double real = v.AsDouble();
    const bool fits = real >= -9223372036854775808.0 && real < 9223372036854775808.0;
    return {value.is_int(), fits ? static_cast<int64_t>(real) : INT64_MIN, real};
  }
  static Number Of(const Value& value) {
    if (value.is_int()) return {true, value.AsInt(), value.AsDouble()};
    return {false, 0, value.AsDouble()};
  }

  static bool IsMultiple(const Number& number, const Number& factor) {
    if (number.is_int) return factor.whole == 1 || number.whole % factor.whole == 0;
    return IsWhole(factor.real < 1 ? 1 / factor.real * number.real : number.real / factor.real);
  }

  static void CheckNumber(const Value& value, const ValueRules& rules, const At& at, Findings& out) {
    const Number number = Of(value);
    if (rules.multiple_of != nullptr) {
      const Number factor = Of(*rules.multiple_of, value);
      if (factor.is_int ? factor.whole <= 0 : factor.real <= 0) {
        std::string place = at.text();
        out.Add({.at = place,
                 .text = Cat("factor MultipleOf declared for ", place, " must be positive: ", factor.text()),
                 .printed = factor.text()});
      } else if (!IsMultiple(number, factor)) {
        Say(out, at, Cat("should be a multiple of ", factor.text()), PrintContent(value));
      }
    }
    if (rules.minimum != nullptr) {
      const Number least = Of(*rules.minimum, value);
      if (number < least || (rules.exclusive_minimum && number == least)) {
        Say(out, at, Cat("should be greater than ", rules.exclusive_minimum ? "" : "or equal to ", least.text()),
            PrintContent(value));
      }
    }
    if (rules.maximum != nullptr) {
      const Number most = Of(*rules.maximum, value);
      if (most < number || (rules.exclusive_maximum && number == most)) {
        Say(out, at, Cat("should be less than ", rules.exclusive_maximum ? "" : "or equal to ", most.text()),
            PrintContent(value));
      }
    }
  }

  int64_t CheckItems(const Value& list, const Structural& schema, const ValueRules& rules, const At& at,
                     const Value* old, Findings& out) {
    int64_t matches = 2;
    if (schema.items != nullptr) {
      std::optional<ItemIndex> index;
      if (old != nullptr && schema.list_type == schema::ListType::kMap && old->is_array()) index.emplace(schema, *old);
      for (uint32_t i = 0; i < list.size(); ++i) {
        const At inside{.parent = &at, .index = i};
        const Value* before = index ? index->Find(list[i]) : nullptr;
        matches += Check(list[i], *schema.items, inside, before, out);
      }
    }
    CheckCount(rules.min_items, rules.max_items, "items", at, list.size(), out);
    if (rules.unique_items && HasDuplicates(list)) Say(out, at, "shouldn't contain duplicates", "\"\"");
    return matches;
  }

  static bool HasDuplicates(const Value& list) {
    absl::flat_hash_set<std::string> seen;
    return std::ranges::any_of(list.items(), [&](const Value& item) {
      return !seen.insert(value::ToJson(item, value::KeyOrder::kSorted)).second;
    });
  }

  // Of items or properties.
  static void CheckCount(const std::optional<int64_t>& least, const std::optional<int64_t>& most, std::string_view what,
                         const At& at, int64_t count, Findings& out) {
    if (least && count < *least) {
      Say(out, at, Cat("should have at least ", *least, " ", what), std::to_string(count));
    }
    if (most && count > *most) {
      std::string place = at.text();
      out.Add({.kind = Finding::Kind::kTooMany,
               .at = place,
               .text = Cat(place, " in body should have at most ", *most, " ", what),
               .printed = std::to_string(count),
               .detail = Cat("must have at most ", *most, " items")});
    }
  }

  static bool SameAsEnum(const Value& value, const Value& allowed) {
    if (value.is_null() || allowed.is_null()) return false;
    if (!value.is_number() || !allowed.is_number()) return value::Equal(value, allowed);
    // Compared as what is allowed is: of a fraction beside a whole number, the whole part.
    return allowed.is_int() ? std::trunc(value.AsDouble()) == allowed.AsDouble()
                            : value.AsDouble() == allowed.AsDouble();
  }

  static void CheckEnum(const Value& value, const ValueRules& rules, const At& at, Findings& out) {
    if (rules.enum_values.empty()) return;
    if (std::ranges::any_of(rules.enum_values, [&](const Value& one) { return SameAsEnum(value, one); })) return;
    Finding finding{.kind = Finding::Kind::kUnsupported, .at = at.text(), .printed = PrintContent(value)};
    std::string texts;
    finding.detail = "supported values: ";
    for (const Value& one : rules.enum_values) {
      const std::string text = one.is_string() ? std::string(one.AsString()) : value::ToJson(one);
      if (&one != &rules.enum_values.front()) finding.detail += ", ";
      finding.detail += api::Quote(text);
      base::Append(texts, " ", text);
    }
    finding.text = Cat(finding.at, " in body should be one of", texts);
    out.Add(std::move(finding));
  }

  // Before, where that is known; the types of resources cannot be told from what they were.
  static const Value* Before(const Value* old, const At& at, std::string_view key) {
    if (old == nullptr || (at.parent == nullptr && (key == "kind" || key == "apiVersion"))) return nullptr;
    return FindMember(*old, key);
  }

  int64_t CheckMembers(const Value& object, const Structural& schema, const ValueRules& rules, const At& at,
                       const Value* old, Findings& out) {
    int64_t matches = 1;
    CheckCount(rules.min_properties, rules.max_properties, "properties", at, object.size(), out);
    if (schema.additional_kind == Additional::kForbidden || schema.additional != nullptr) {
      for (const Member& member : object.members()) {
        if (schema.Find(member.key) != nullptr) continue;
        if (schema.additional_kind == Additional::kForbidden) {
          std::string place = at.text();
          out.Add({.at = place,
                   .text = Cat(place, ".", member.key, " in body is a forbidden property"),
                   .printed = api::Quote(member.key)});
          continue;
        }
        const At inside{.parent = &at, .name = member.key, .is_key = true};
        matches += Check(member.value, *schema.additional, inside, Before(old, at, member.key), out);
      }
    }
    if (!schema.properties.empty()) {
      for (const Member& member : object.members()) {
        const Structural* property = schema.Find(member.key);
        if (property == nullptr) continue;
        const At inside{.parent = &at, .name = member.key};
        matches += Check(member.value, *property, inside, Before(old, at, member.key), out);
      }
    }
    for (std::string_view name : rules.required) {
      if (FindMember(object, name) != nullptr) continue;
      steps_ += object.size() / 16;  // it was looked for in all of them
      const std::string missing = Cat(at.text(), ".", name);
      out.Add({.kind = Finding::Kind::kRequired, .at = missing, .text = Cat(missing, " in body is required")});
    }
    return matches;
  }

  // What the clauses of anyOf and oneOf come to: how many hold, and what the first of these found, or, where none
  // does, the one that went farthest.
  struct Tried {
    int valid = 0;
    int64_t matches = 0;
    Findings told;
  };

  Tried Try(const Value& value, std::span<const Structural* const> clauses, const At& at, bool first_only) {
    Tried tried;
    bool failed = false;
    for (const Structural* clause : clauses) {
      Findings found;
      const int64_t matches = Check(value, *clause, at, nullptr, found);
      steps_ += kStepsOfAFinding * static_cast<int64_t>(found.size());
      if (found.size() == 0) {
        if (tried.valid++ == 0) {
          tried.told = std::move(found);
          tried.matches = matches;
        }
        if (first_only) break;
      } else if (tried.valid == 0 && (!failed || matches > tried.matches)) {
        tried.told = std::move(found);
        tried.matches = matches;
        failed = true;
      }
    }
    return tried;
  }

  int64_t CheckClauses(const Value& value, const ValueRules& rules, const At& at, Findings& out) {
    int64_t matches = 0;
    if (!rules.any_of.empty()) {
      Tried tried = Try(value, rules.any_of, at, true);
      if (tried.valid == 0) SayOf(out, at, "must validate at least one schema (anyOf)");
      out.Merge(std::move(tried.told));
      matches += tried.matches;
    }
    if (!rules.one_of.empty()) {
      Tried tried = Try(value, rules.one_of, at, false);
      const std::string found =
          tried.valid == 0 ? "Found none valid" : Cat("Found ", tried.valid, " valid alternatives");
      if (tried.valid != 1) SayOf(out, at, Cat("must validate one and only one schema (oneOf). ", found));
      if (tried.valid < 2) {
        out.Merge(std::move(tried.told));
        matches += tried.matches;
      }
    }
    if (!rules.all_of.empty()) {
      size_t valid = 0;
      for (const Structural* clause : rules.all_of) {
        Findings found;
        matches += Check(value, *clause, at, nullptr, found);
        valid += found.size() == 0 ? 1 : 0;
        out.Merge(std::move(found));
      }
      if (valid != rules.all_of.size()) {
        SayOf(out, at, Cat("must validate all the schemas (allOf)", valid == 0 ? ". None validated" : ""));
      }
    }
    if (rules.is_not != nullptr) {
      Findings found;
      Check(value, *rules.is_not, at, nullptr, found);
      if (found.size() == 0) SayOf(out, at, "must not validate the schema (not)");
    }
    return matches;
  }

  const bool is_default_;
  int64_t steps_ = 0;
};

void Put(ErrorList& errors, std::string_view field, const Finding& finding) {
  using enum Finding::Kind;
  using Type = api::FieldError::Type;
  std::string_view at = finding.at;
  if (at.starts_with('.')) at.remove_prefix(1);
  std::string path = at.empty() ? std::string(field) : field.empty() ? std::string(at) : Cat(field, ".", at);
  if (path.empty()) path = "<nil>";
  switch (finding.kind) {
    case kRequired:
      return errors.Required(std::move(path));
    case kUnsupported:
      return errors.Add({Type::kNotSupported, std::move(path), finding.printed, finding.detail});
    case kTooLong:
      return errors.Add({Type::kTooLong, std::move(path), {}, finding.detail});
    case kTooMany:
      return errors.Add({Type::kTooMany, std::move(path), finding.printed, finding.detail});
    case kType:
      return errors.Add({Type::kTypeInvalid, std::move(path), finding.printed, finding.text});
    case kInvalid:
      return errors.Invalid(std::move(path), finding.printed, finding.text);
  }
}

bool IsScalar(const Value& v) { return !v.is_null() && !v.is_array() && !v.is_object(); }

// As Go's reflect.DeepEqual: 1 and 1.0 differ.
bool SameContent(const Value& a, const Value& b) {
  if (a.is_int() != b.is_int()) return false;
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.items(), b.items(), SameContent);
  if (!a.is_object() || !b.is_object()) return value::Equal(a, b);
  return a.size() == b.size() && std::ranges::all_of(a.members(), [&](const Member& member) {
           const Value* other = FindMember(b, member.key);
           return other != nullptr && SameContent(member.value, *other);
         });
}

}  // namespace

const Value* FindMember(const Value& object, std::string_view key) {
  constexpr uint32_t kFew = 16;
  if (object.size() > kFew) {
    const auto members = object.members();
    const auto at = std::ranges::lower_bound(members, key, {}, &Member::key);
    if (at != members.end() && at->key == key) return &at->value;
  }
  return object.Find(key);
}

ItemIndex::ItemIndex(const Structural& list_schema, const Value& list) : list_schema_(list_schema) {
  std::string key;
  for (const Value& item : list.items()) {
    if (KeyOf(list_schema_, item, key)) items_.try_emplace(key, &item);
  }
}

const Value* ItemIndex::Find(const Value& item) const {
  std::string key;
  if (!KeyOf(list_schema_, item, key)) return nullptr;
  const auto found = items_.find(key);
  return found == items_.end() ? nullptr : found->second;
}

bool ItemIndex::KeyOf(const Structural& list_schema, const Value& item, std::string& key) {
  key.clear();
  if (list_schema.list_map_keys.empty() || !item.is_object()) return false;
  for (std::string_view name : list_schema.list_map_keys) {
    const Value* part = FindMember(item, name);
    if (part == nullptr || !IsScalar(*part)) return false;
    if (part->is_number() && !part->is_int()) key += 'f';  // 1 and 1.0 are different keys
    value::WriteJson(*part, key);
    key += ',';
  }
  return true;
}

bool IsUnchanged(const Structural& schema, const Value& value, const Value& old) {
  if (value.is_null() || old.is_null()) return value.is_null() && old.is_null();
  if (value.is_array() != old.is_array() || value.is_object() != old.is_object()) return false;
  if (value.is_array()) {
    if (value.size() != old.size()) return false;
    if (schema.list_type != schema::ListType::kMap || schema.items == nullptr) return SameContent(value, old);
    const ItemIndex index(schema, old);
    return std::ranges::all_of(value.items(), [&](const Value& item) {
      const Value* before = index.Find(item);
      return before != nullptr && IsUnchanged(*schema.items, item, *before);
    });
  }
  if (!value.is_object()) return SameContent(value, old);
  return value.size() == old.size() && std::ranges::all_of(value.members(), [&](const Member& member) {
           const Value* before = FindMember(old, member.key);
           const Structural* found = schema.Of(member.key);
           return before != nullptr && found != nullptr && IsUnchanged(*found, member.value, *before);
         });
}

void ValidateValue(const Structural& schema, const Value& value, const ValidateOptions& options, ErrorList& errors) {
  Validator validator(options.is_default);
  Findings found;
  validator.Check(value, schema, At{}, options.old, found);
  for (const Finding& finding : found.list()) Put(errors, options.field, finding);
  if (validator.exhausted()) {
    errors.Add({api::FieldError::Type::kInternal,
                options.field.empty() ? "<nil>" : std::string(options.field),
                {},
                "the object and its schema take too long to validate"});
  }
}

}  // namespace customresources
