// Quantity: a resource amount such as `100m`, `1.5Gi` or `1e3`: exact decimals, with the suffix family it was written
// in. Used by decoding (canonical text), validation, defaults, quotas and tables. A value type, any thread; parsing
// short texts does not allocate. Bounds: amounts of any length are exact up to kMaxDigits digits; beyond that sums keep
// the larger operand.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace api {

class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSi, kBinarySi, kDecimalExponent };
  static constexpr int32_t kMaxDigits = 4096;

  Quantity() = default;  // 0
  // The error is the text the API answers with.
  static std::expected<Quantity, std::string_view> Parse(std::string_view text);
  // value * 10^scale.
  static Quantity Of(int64_t value, Format format = Format::kDecimalSi, int32_t scale = 0);

  // The text that is stored and answered: canonical, or as written where that was as short.
  std::string text() const;
  // How Go's %#v prints the quantity, as some error texts do: the text it was parsed from stands in it where that was
  // canonical; `printed_before` puts the canonical one there in any case.
  std::string GoText(bool printed_before = false) const;

  // What Go holds of it: value * 10^scale, or a number of any length, whose text is `number`; and the text it was
  // parsed from, "" where that is not kept.
  struct Held {
    int64_t value = 0;
    int32_t scale = 0;
    std::string number, written;
  };
  Held held() const;

  Format format() const { return format_; }
  int Sign() const;
  bool IsZero() const { return Sign() == 0; }
  // -1, 0, 1.
  int Compare(const Quantity& other) const;
  int Compare(int64_t number) const { return Compare(Of(number)); }
  bool operator==(const Quantity& other) const { return Compare(other) == 0; }

  // A zero takes the format of what is added to or subtracted from it.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Negate();
  // Drops digits below 10^scale, away from zero. False if any were lost.
  bool RoundUp(int32_t scale);

  // The whole value if it is one and fits; else nullopt.
  std::optional<int64_t> AsInt64() const;
  // Rounded away from zero to units of 10^scale; wraps or gives 0 beyond int64, as the real server's do.
  int64_t ScaledValue(int32_t scale) const;
  int64_t Value() const { return ScaledValue(0); }
  int64_t MilliValue() const { return ScaledValue(-3); }
  double AsDouble() const;

 private:
  // Any number: sign * digits * 10^exponent. `digits` has no leading zero; "" is zero.
  struct Decimal {
    bool negative = false;
    std::string digits;
    int64_t exponent = 0;
  };
  static Decimal ParseDecimal(std::string_view digits_and_point, bool negative);
  static void RoundAway(Decimal& decimal, int64_t exponent, bool& exact);
  static int CompareMagnitude(const Decimal& a, const Decimal& b);
  static Decimal Sum(const Decimal& a, const Decimal& b);
  static void MultiplyByPowerOfTwo(std::string& digits, int power);
  static bool DivideBy1024(std::string& digits);
  static std::string DecimalText(Decimal decimal, Format format);
  static std::string BinaryText(Decimal decimal);
  static int64_t ScaledDecimal(const Decimal& decimal, int32_t scale);
  static std::expected<Quantity, std::string_view> ParseLarge(std::string_view number, int32_t exponent, Format format);
  Decimal AsDecimal() const;
  void AddSigned(const Quantity& other, bool subtract);

  // value_ * 10^scale_, or large_ where that does not hold the number.
  int64_t value_ = 0;
  int32_t scale_ = 0;
  Format format_ = Format::kDecimalSi;
  std::string written_;  // the text it was parsed from, where that is kept
  std::optional<Decimal> large_;
};

}  // namespace api
