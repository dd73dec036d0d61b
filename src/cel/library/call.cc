#include "cel/library/call.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/url.h"
#include "base/text.h"
#include "cel/library/authorizer_checks.h"
#include "cel/library/format.h"
#include "cel/library/lists.h"
#include "cel/library/named_formats.h"
#include "cel/library/network.h"
#include "cel/library/numbers.h"
#include "cel/library/quantity.h"
#include "cel/library/regex.h"
#include "cel/library/strings.h"
#include "cel/library/times.h"
#include "value/utf8.h"

namespace cel::library {
namespace {

constexpr std::string_view kNoOverload = "no such overload";

// The overloads whose arguments are those of one call, a group of functions at a time.
class Caller {
 public:
  Caller(OverloadId id, std::span<const Value> arguments, CallContext& context)
      : id_(id), arguments_(arguments), context_(context), arena_(context.arena) {}

  Value Run() {
    if (const auto made = Conversion()) return *made;
    if (const auto made = OfString()) return *made;
    if (const auto made = OfTime()) return *made;
    if (const auto made = OfList()) return *made;
    if (const auto made = OfNetwork()) return *made;
    if (const auto made = OfQuantity()) return *made;
    if (const auto made = OfAuthorizer()) return *made;
    if (const auto made = OfFormat()) return *made;
    return Value::Error(kNoOverload);
  }

 private:
  using Id = OverloadId;
  using Result = std::optional<Value>;

  const Value& Argument(size_t index) const { return arguments_[index]; }
  std::string_view Text(size_t index) const { return arguments_[index].text(); }
  int64_t Int(size_t index) const { return arguments_[index].AsInt(); }
  Instant InstantAt(size_t index) const {
    const Value& value = arguments_[index];
    return {.seconds = value.seconds(), .nanoseconds = value.subsecond(), .offset_minutes = value.offset_minutes()};
  }

  Value Error(std::string_view message) { return Value::Error(arena_, message); }
  Value Make(const Outcome<std::string_view>& made) { return made ? Value::String(*made) : Error(made.error()); }
  Value Make(const Outcome<int64_t>& made) { return made ? Value::Int(*made) : Error(made.error()); }
  Value Make(const Outcome<bool>& made) { return made ? Value::Bool(*made) : Error(made.error()); }
  Value Make(const Number<int64_t>& made) { return made ? Value::Int(*made) : Value::Error(made.error()); }
  Value Make(const Number<uint64_t>& made) { return made ? Value::Uint(*made) : Value::Error(made.error()); }
  Value Copied(std::string_view text) { return Value::String(arena_.CopyString(text)); }
  template <class T>
  Value Object(OpaqueKind kind, const T& object) {
    static_assert(std::is_trivially_destructible_v<T>);
    return Value::Opaque(kind, new (arena_.Allocate(sizeof(T), alignof(T))) T(object));
  }
  // An object that has to be destroyed: the arena keeps it.
  template <class T>
  Value Kept(OpaqueKind kind, T object) {
    auto kept = std::make_shared<const T>(std::move(object));
    const T* at = kept.get();
    arena_.Keep(std::move(kept));
    return Value::Opaque(kind, at);
  }
  Value Strings(const std::vector<std::string>& texts) {
    const std::span<Value> items(arena_.AllocateArray<Value>(texts.size()), texts.size());
    std::ranges::transform(texts, items.begin(), [&](const std::string& text) { return Copied(text); });
    return Value::List(items);
  }

  Value NoConversion(std::string_view to) {
    return Error(base::Cat("type conversion error from 'string' to '", to, "'"));
  }

  Result Conversion() {
    switch (id_) {
      case Id::kToDyn:
      case Id::kBoolToBool:
      case Id::kBytesToBytes:
      case Id::kDoubleToDouble:
      case Id::kDurationToDuration:
      case Id::kInt64ToInt64:
      case Id::kStringToString:
      case Id::kTimestampToTimestamp:
      case Id::kUint64ToUint64:
        return Argument(0);
      case Id::kType:
        return Value::TypeNamed(TypeName(Argument(0)));
      case Id::kStringToBool: {
        bool truth = false;
        return ParseBool(Text(0), truth) ? Value::Bool(truth) : NoConversion("bool");
      }
      case Id::kStringToBytes:
        return Value::Bytes(Text(0));
      case Id::kInt64ToDouble:
        return Value::Double(static_cast<double>(Int(0)));
      case Id::kUint64ToDouble:
        return Value::Double(static_cast<double>(Argument(0).AsUint()));
      case Id::kStringToDouble: {
        double number = 0;
        return ParseDouble(Text(0), number) ? Value::Double(number) : NoConversion("double");
      }
      // The overload is declared and has no code.
      case Id::kInt64ToDuration:
        return Value::Error("type conversion error from 'int' to 'google.protobuf.Duration'");
      case Id::kStringToDuration: {
        int64_t nanoseconds = 0;
        return ParseDuration(Text(0), nanoseconds) ? Value::Duration(nanoseconds)
                                                   : NoConversion("google.protobuf.Duration");
      }
      case Id::kDoubleToInt64:
        return Make(ToInt(Argument(0).AsDouble()));
      case Id::kDurationToInt64:
        return Value::Int(Argument(0).nanoseconds());
      case Id::kTimestampToInt64:
        return Value::Int(Argument(0).seconds());
      case Id::kUint64ToInt64:
        return Make(ToInt(Argument(0).AsUint()));
      case Id::kStringToInt64: {
        int64_t number = 0;
        return ParseInt(Text(0), number) ? Value::Int(number) : NoConversion("int");
      }
      case Id::kDoubleToUint64:
        return Make(ToUint(Argument(0).AsDouble()));
      case Id::kInt64ToUint64:
        return Make(ToUint(Int(0)));
      case Id::kStringToUint64: {
        uint64_t number = 0;
        return ParseUint(Text(0), number) ? Value::Uint(number) : NoConversion("uint");
      }
      case Id::kInt64ToTimestamp:
        return Timestamp({.seconds = Int(0)});
      case Id::kStringToTimestamp: {
        Instant instant;
        return ParseInstant(Text(0), instant) ? Timestamp(instant) : NoConversion("google.protobuf.Timestamp");
      }
      case Id::kBoolToString:
        return Value::String(Argument(0).AsBool() ? "true" : "false");
      case Id::kBytesToString:
        return value::IsValidUtf8(Text(0)) ? Value::String(Text(0))
                                           : Value::Error("invalid UTF-8 in bytes, cannot convert to string");
      case Id::kDoubleToString:
        return Copied(FormatDouble(Argument(0).AsDouble()));
      case Id::kDurationToString:
        return Copied(FormatDuration(Argument(0).nanoseconds()));
      case Id::kInt64ToString:
        return Copied(base::Cat(Int(0)));
      case Id::kUint64ToString:
        return Copied(base::Cat(Argument(0).AsUint()));
      case Id::kTimestampToString:
        return Copied(FormatInstant(InstantAt(0)));
      case Id::kIpToString:
        return Copied(Argument(0).opaque<Ip>().text());
      case Id::kCidrToString:
        return Copied(Argument(0).opaque<Cidr>().text());
      default:
        return std::nullopt;
    }
  }

  Value Timestamp(const Instant& instant) {
    if (!IsInRange(instant)) return Value::Error(kTimestampOverflow);
    return Value::Timestamp(instant.seconds, instant.nanoseconds, instant.offset_minutes);
  }

  Result OfString() {
    switch (id_) {
      case Id::kContainsString:
        return Value::Bool(Contains(Text(0), Text(1)));
      case Id::kStartsWithString:
        return Value::Bool(Text(0).starts_with(Text(1)));
      case Id::kEndsWithString:
        return Value::Bool(Text(0).ends_with(Text(1)));
      case Id::kStringCharAtInt:
        return Make(CharAt(Text(0), Int(1)));
      case Id::kStringIndexOfString:
        return Make(IndexOf(Text(0), Text(1)));
      case Id::kStringIndexOfStringInt:
        return Make(IndexOf(Text(0), Text(1), Int(2)));
      case Id::kStringLastIndexOfString:
        return Make(LastIndexOf(Text(0), Text(1)));
      case Id::kStringLastIndexOfStringInt:
        return Make(LastIndexOf(Text(0), Text(1), Int(2)));
      case Id::kStringLowerAscii:
        return Value::String(LowerAscii(arena_, Text(0)));
      case Id::kStringUpperAscii:
        return Value::String(UpperAscii(arena_, Text(0)));
      case Id::kStringReplaceStringString:
        return Make(Replace(arena_, Text(0), Text(1), Text(2)));
      case Id::kStringReplaceStringStringInt:
        return Make(Replace(arena_, Text(0), Text(1), Text(2), Int(3)));
      case Id::kStringSplitString:
        return Split(arena_, Text(0), Text(1));
      case Id::kStringSplitStringInt:
        return Split(arena_, Text(0), Text(1), Int(2));
      case Id::kStringSubstringInt:
        return Make(Substring(Text(0), Int(1)));
      case Id::kStringSubstringIntInt:
        return Make(Substring(Text(0), Int(1), Int(2)));
      case Id::kStringTrim:
        return Value::String(Trim(Text(0)));
      case Id::kStringsQuote:
        return Value::String(Quote(arena_, Text(0)));
      case Id::kListJoin:
        return Make(Join(arena_, Argument(0), ""));
      case Id::kListJoinString:
        return Make(Join(arena_, Argument(0), Text(1)));
      case Id::kStringFormat:
        return Make(Format(arena_, Text(0), Argument(1)));
      case Id::kMatches:
      case Id::kMatchesString:
      case Id::kStringFindString:
      case Id::kStringFindAllString:
      case Id::kStringFindAllStringInt:
        return OfPattern();
      default:
        return std::nullopt;
    }
  }

  Value OfPattern() {
    const bool matches = id_ == Id::kMatches || id_ == Id::kMatchesString;
    std::optional<api::Regexp> compiled;
    const api::Regexp* pattern = context_.pattern;
    if (pattern == nullptr) {
      Outcome<api::Regexp> made = CompilePattern(Text(1));
      if (!made) return Error(matches ? made.error() : IllegalPattern(made.error()));
      pattern = &compiled.emplace(*std::move(made));
    }
    if (matches) return Value::Bool(pattern->IsIn(Text(0)));
    if (id_ == Id::kStringFindString) return Value::String(Find(*pattern, Text(0)));
    return FindAll(arena_, *pattern, Text(0), id_ == Id::kStringFindAllStringInt ? Int(2) : -1);
  }

  Result OfTime() {
    switch (id_) {
      case Id::kDurationToHours:
        return Value::Int(HoursOf(Argument(0).nanoseconds()));
      case Id::kDurationToMinutes:
        return Value::Int(MinutesOf(Argument(0).nanoseconds()));
      case Id::kDurationToSeconds:
        return Value::Int(SecondsOf(Argument(0).nanoseconds()));
      case Id::kDurationToMilliseconds:
        return Value::Int(MillisecondsOf(Argument(0).nanoseconds()));
      case Id::kTimestampToYear:
      case Id::kTimestampToYearWithTz:
        return Field(Part::kFullYear);
      case Id::kTimestampToMonth:
      case Id::kTimestampToMonthWithTz:
        return Field(Part::kMonth);
      case Id::kTimestampToDayOfYear:
      case Id::kTimestampToDayOfYearWithTz:
        return Field(Part::kDayOfYear);
      case Id::kTimestampToDayOfMonth:
      case Id::kTimestampToDayOfMonthWithTz:
        return Field(Part::kDayOfMonth);
      case Id::kTimestampToDayOfMonth1Based:
      case Id::kTimestampToDayOfMonth1BasedWithTz:
        return Field(Part::kDate);
      case Id::kTimestampToDayOfWeek:
      case Id::kTimestampToDayOfWeekWithTz:
        return Field(Part::kDayOfWeek);
      case Id::kTimestampToHours:
      case Id::kTimestampToHoursWithTz:
        return Field(Part::kHours);
      case Id::kTimestampToMinutes:
      case Id::kTimestampToMinutesWithTz:
        return Field(Part::kMinutes);
      case Id::kTimestampToSeconds:
      case Id::kTimestampToSecondsTz:
        return Field(Part::kSeconds);
      case Id::kTimestampToMilliseconds:
      case Id::kTimestampToMillisecondsWithTz:
        return Field(Part::kMilliseconds);
      default:
        return std::nullopt;
    }
  }
  Value Field(Part part) {
    if (arguments_.size() == 1) return Value::Int(PartOf(InstantAt(0), part));
    return Make(PartOf(InstantAt(0), part, Text(1)));
  }

  Result OfList() {
    switch (id_) {
      case Id::kListIntIsSortedBool:
      case Id::kListUintIsSortedBool:
      case Id::kListDoubleIsSortedBool:
      case Id::kListBoolIsSortedBool:
      case Id::kListDurationIsSortedBool:
      case Id::kListTimestampIsSortedBool:
      case Id::kListStringIsSortedBool:
      case Id::kListBytesIsSortedBool:
        return IsSorted(Argument(0));
      case Id::kListIntMaxInt:
      case Id::kListUintMaxUint:
      case Id::kListDoubleMaxDouble:
      case Id::kListBoolMaxBool:
      case Id::kListDurationMaxDuration:
      case Id::kListTimestampMaxTimestamp:
      case Id::kListStringMaxString:
      case Id::kListBytesMaxBytes:
        return Max(Argument(0));
      case Id::kListIntMinInt:
      case Id::kListUintMinUint:
      case Id::kListDoubleMinDouble:
      case Id::kListBoolMinBool:
      case Id::kListDurationMinDuration:
      case Id::kListTimestampMinTimestamp:
      case Id::kListStringMinString:
      case Id::kListBytesMinBytes:
        return Min(Argument(0));
      case Id::kListIntSumInt:
        return Sum(Argument(0), Value::Int(0));
      case Id::kListUintSumUint:
        return Sum(Argument(0), Value::Uint(0));
      case Id::kListDoubleSumDouble:
        return Sum(Argument(0), Value::Double(0));
      case Id::kListDurationSumDuration:
        return Sum(Argument(0), Value::Duration(0));
      case Id::kListAIndexOfInt:
        return Value::Int(IndexOf(Argument(0), Argument(1), context_.steps));
      case Id::kListALastIndexOfInt:
        return Value::Int(LastIndexOf(Argument(0), Argument(1), context_.steps));
      case Id::kListSetsContainsList:
        return Value::Bool(SetContains(Argument(0), Argument(1), context_.steps));
      case Id::kListSetsEquivalentList:
        return Value::Bool(SetEquivalent(Argument(0), Argument(1), context_.steps));
      case Id::kListSetsIntersectsList:
        return Value::Bool(SetIntersects(Argument(0), Argument(1), context_.steps));
      case Id::kSizeBytes:
      case Id::kBytesSize:
      case Id::kSizeList:
      case Id::kListSize:
      case Id::kSizeMap:
      case Id::kMapSize:
      case Id::kSizeString:
      case Id::kStringSize: {
        int64_t size = 0;
        return SizeOf(Argument(0), size) ? Value::Int(size) : Value::Error(kNoOverload);
      }
      case Id::kOptionalNone:
        return Value::None();
      case Id::kOptionalOf:
        return Value::OptionalOf(arena_, Argument(0));
      case Id::kOptionalHasValue:
        return Value::Bool(Argument(0).optional() != nullptr);
      case Id::kOptionalValue:
        return Argument(0).optional() != nullptr ? *Argument(0).optional()
                                                 : Value::Error("optional.none() dereference");
      default:
        return std::nullopt;
    }
  }

  const Ip& Address() const { return Argument(0).opaque<Ip>(); }
  const Cidr& Prefix() const { return Argument(0).opaque<Cidr>(); }
  const api::Url& Url() const { return Argument(0).opaque<api::Url>(); }

  Result OfNetwork() {
    switch (id_) {
      case Id::kStringToIp: {
        const Outcome<Ip> ip = ParseIp(Text(0));
        return ip ? Object(OpaqueKind::kIp, *ip) : Error(ip.error());
      }
      case Id::kIsIp:
        return Value::Bool(ParseIp(Text(0)).has_value());
      case Id::kIpIsCanonical:
        return Make(IsCanonicalIp(Text(0)));
      case Id::kIpFamily:
        return Value::Int(Address().family());
      case Id::kIpIsGlobalUnicast:
        return Value::Bool(Address().IsGlobalUnicast());
      case Id::kIpIsLinkLocalMulticast:
        return Value::Bool(Address().IsLinkLocalMulticast());
      case Id::kIpIsLinkLocalUnicast:
        return Value::Bool(Address().IsLinkLocalUnicast());
      case Id::kIpIsLoopback:
        return Value::Bool(Address().IsLoopback());
      case Id::kIpIsUnspecified:
        return Value::Bool(Address().IsUnspecified());
      case Id::kStringToCidr: {
        const Outcome<Cidr> cidr = ParseCidr(Text(0));
        return cidr ? Object(OpaqueKind::kCidr, *cidr) : Error(cidr.error());
      }
      case Id::kIsCidr:
        return Value::Bool(ParseCidr(Text(0)).has_value());
      case Id::kCidrIp:
        return Object(OpaqueKind::kIp, Prefix().ip);
      case Id::kCidrMasked:
        return Object(OpaqueKind::kCidr, Prefix().Masked());
      case Id::kCidrPrefixLength:
        return Value::Int(Prefix().bits);
      case Id::kCidrContainsIpIp:
        return Value::Bool(Prefix().Contains(Argument(1).opaque<Ip>()));
      case Id::kCidrContainsIpString: {
        const Outcome<Ip> ip = ParseIp(Text(1));
        return ip ? Value::Bool(Prefix().Contains(*ip)) : Value::Error(kNoOverload);
      }
      case Id::kCidrContainsCidr:
        return Value::Bool(Prefix().Contains(Argument(1).opaque<Cidr>()));
      case Id::kCidrContainsCidrString: {
        const Outcome<Cidr> cidr = ParseCidr(Text(1));
        return cidr ? Value::Bool(Prefix().Contains(*cidr)) : Error(cidr.error());
      }
      case Id::kStringToUrl:
        return ReadUrl();
      case Id::kIsUrlString:
        return Value::Bool(api::ParseRequestUri(Text(0)).has_value());
      case Id::kUrlGetScheme:
        return Value::String(Url().scheme);
      case Id::kUrlGetHost:
        return Value::String(Url().host);
      case Id::kUrlGetHostname:
        return Value::String(Url().Hostname());
      case Id::kUrlGetPort:
        return Value::String(Url().Port());
      case Id::kUrlGetEscapedPath:
        return Copied(Url().EscapedPath());
      case Id::kUrlGetQuery:
        return UrlQuery();
      default:
        return std::nullopt;
    }
  }
  Value ReadUrl() {
    constexpr std::string_view kWhere = "URL parse error during conversion from string: ";
    if (const auto uri = api::ParseRequestUri(Text(0)); !uri) return Error(base::Cat(kWhere, uri.error()));
    auto url = api::ParseUrl(Text(0));
    if (!url) return Error(base::Cat(kWhere, url.error()));
    return Kept(OpaqueKind::kUrl, *std::move(url));
  }
  Value UrlQuery() {
    auto* map = new (arena_.Allocate(sizeof(EntryMap), alignof(EntryMap))) EntryMap();
    for (const auto& [key, values] : Url().Query()) map->Set(arena_, Copied(key), Strings(values));
    return Value::Map(map);
  }

  const api::Quantity& Amount(size_t index) const { return Argument(index).opaque<api::Quantity>(); }

  // As a part of a JSON pointer.
  Value EscapedKey(std::string_view key) {
    std::string escaped;
    for (const char c : key) {
      if (c == '~') {
        escaped += "~0";
      } else if (c == '/') {
        escaped += "~1";
      } else {
        escaped += c;
      }
    }
    return Copied(escaped);
  }

  Result OfQuantity() {
    switch (id_) {
      case Id::kStringToQuantity: {
        Outcome<api::Quantity> quantity = ParseQuantity(Text(0));
        return quantity ? Kept(OpaqueKind::kQuantity, *std::move(quantity)) : Error(quantity.error());
      }
      case Id::kIsQuantityString:
        return Value::Bool(IsQuantity(Text(0)));
      case Id::kJsonPatchEscapeKey:
        return EscapedKey(Text(0));
      case Id::kQuantityAdd:
        return Kept(OpaqueKind::kQuantity, Sum(Amount(0), Amount(1)));
      case Id::kQuantityAddInt:
        return Kept(OpaqueKind::kQuantity, Sum(Amount(0), QuantityOf(Int(1))));
      case Id::kQuantitySub:
        return Kept(OpaqueKind::kQuantity, Difference(Amount(0), Amount(1)));
      case Id::kQuantitySubInt:
        return Kept(OpaqueKind::kQuantity, Difference(Amount(0), QuantityOf(Int(1))));
      case Id::kQuantityGetFloat:
        return Value::Double(Amount(0).AsDouble());
      case Id::kQuantityGetInt:
        return Make(AsInteger(Amount(0)));
      case Id::kQuantityIsInteger:
        return Value::Bool(Amount(0).AsInt64().has_value());
      case Id::kQuantitySign:
        return Value::Int(Amount(0).Sign());
      case Id::kQuantityCompareTo:
        return Value::Int(Amount(0).Compare(Amount(1)));
      case Id::kQuantityIsGreaterThan:
        return Value::Bool(Amount(0).Compare(Amount(1)) > 0);
      case Id::kQuantityIsLessThan:
        return Value::Bool(Amount(0).Compare(Amount(1)) < 0);
      default:
        return std::nullopt;
    }
  }

  const Decision& Decided() const { return Argument(0).opaque<Decision>(); }

  Result OfAuthorizer() {
    const auto with = [this](std::string_view AuthorizerCheck::* field) {
      return With(arena_, Argument(0), field, Text(1));
    };
    switch (id_) {
      case Id::kAuthorizerPath:
        return WithPath(arena_, Argument(0), Text(1));
      case Id::kAuthorizerGroup:
        return WithGroup(arena_, Argument(0), Text(1));
      case Id::kAuthorizerServiceaccount:
        return WithServiceAccount(arena_, Argument(0), Text(1), Text(2));
      case Id::kGroupcheckResource:
        return WithResource(arena_, Argument(0), Text(1));
      case Id::kResourcecheckSubresource:
        return with(&AuthorizerCheck::subresource);
      case Id::kResourcecheckNamespace:
        return with(&AuthorizerCheck::namespace_name);
      case Id::kResourcecheckName:
        return with(&AuthorizerCheck::name);
      case Id::kAuthorizerFieldselector:
        return with(&AuthorizerCheck::field_selector);
      case Id::kAuthorizerLabelselector:
        return with(&AuthorizerCheck::label_selector);
      case Id::kPathcheckCheck:
      case Id::kResourcecheckCheck:
        return CheckVerb(arena_, Argument(0), Text(1));
      case Id::kDecisionAllowed:
        return Value::Bool(Decided().allowed);
      case Id::kDecisionErrored:
        return Value::Bool(Decided().errored);
      case Id::kDecisionError:
        return Value::String(Decided().error);
      case Id::kDecisionReason:
        return Value::String(Decided().reason);
      default:
        return std::nullopt;
    }
  }

  Result OfFormat() {
    if (id_ == Id::kFormatValidate) {
      const std::vector<std::string> complaints = Argument(0).opaque<NamedFormat>().validate(Text(1));
      return complaints.empty() ? Value::None() : Value::OptionalOf(arena_, Strings(complaints));
    }
    if (id_ == Id::kFormatNamed) {
      const NamedFormat* format = FindFormat(Text(0));
      if (format == nullptr) return Value::None();
      return Value::OptionalOf(arena_, Value::Opaque(OpaqueKind::kFormat, format));
    }
    // format.NAME(): the overload is called as the function.
    constexpr std::string_view kFunction = "format.";
    const std::string_view name = OverloadOf(id_).name;
    if (!name.starts_with(kFunction)) return std::nullopt;
    const NamedFormat* format = FindFormat(name.substr(kFunction.size()));
    if (format == nullptr) return std::nullopt;
    return Value::Opaque(OpaqueKind::kFormat, format);
  }

  const OverloadId id_;
  const std::span<const Value> arguments_;
  CallContext& context_;
  value::Arena& arena_;
};

}  // namespace

Value Call(OverloadId id, std::span<const Value> arguments, CallContext& context) {
  return Caller(id, arguments, context).Run();
}

bool EqualOpaque(const Value& a, const Value& b) {
  if (a.opaque_kind() != b.opaque_kind()) return false;
  switch (a.opaque_kind()) {
    case OpaqueKind::kQuantity:
      return a.opaque<api::Quantity>() == b.opaque<api::Quantity>();
    case OpaqueKind::kIp:
      return a.opaque<Ip>() == b.opaque<Ip>();
    case OpaqueKind::kCidr:
      return a.opaque<Cidr>() == b.opaque<Cidr>();
    case OpaqueKind::kUrl:
      return a.opaque<api::Url>().text() == b.opaque<api::Url>().text();
    case OpaqueKind::kFormat:
      return a.opaque<NamedFormat>().name == b.opaque<NamedFormat>().name;
    default:
      return false;  // the steps of an authorizer equal nothing; whoever compares says "no such overload"
  }
}

int64_t SizeOfOpaque(const Value& value) {
  switch (value.opaque_kind()) {
    case OpaqueKind::kIp:
      return value.opaque<Ip>().size();
    case OpaqueKind::kCidr:
      return value.opaque<Cidr>().size();
    default:
      return 1;
  }
}

}  // namespace cel::library
