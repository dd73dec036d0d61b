#include "api/ip_address.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "value/quote.h"

namespace api {
namespace {

using base::Cat;

constexpr int kMappedStart = 12;  // where the four bytes of an IPv4 address stand

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Dotted(const std::array<uint8_t, 16>& bytes) {
  return Cat(unsigned{bytes[12]}, ".", unsigned{bytes[13]}, ".", unsigned{bytes[14]}, ".", unsigned{bytes[15]});
}

unsigned Group(const std::array<uint8_t, 16>& bytes, int group) {
  return static_cast<unsigned>(bytes[static_cast<size_t>(group) * 2]) << 8 | bytes[static_cast<size_t>(group) * 2 + 1];
}

// The first of the longest runs of two or more zero groups: [begin, end); empty without one.
std::pair<int, int> LongestZeros(const std::array<uint8_t, 16>& bytes) {
  std::pair<int, int> best{-1, -1};
  for (int i = 0; i < 8; ++i) {
    int j = i;
    while (j < 8 && Group(bytes, j) == 0) ++j;
    if (j - i >= 2 && j - i > best.second - best.first) best = {i, j};
    i = std::max(i, j - 1);
  }
  return best;
}

std::string Hexadecimal(unsigned number) {
  char buffer[8];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, 16).ptr;
  return {buffer, end};
}

std::string LongText(const std::array<uint8_t, 16>& bytes) {
  const auto [begin, end] = LongestZeros(bytes);
  std::string out;
  for (int i = 0; i < 8; ++i) {
    if (i == begin) {
      out += "::";
      i = end;
      if (i >= 8) break;
    } else if (i > 0) {
      out += ':';
    }
    out += Hexadecimal(Group(bytes, i));
  }
  return out;
}

void ClearAfter(std::array<uint8_t, 16>& bytes, int bits) {
  for (int i = 0; i < 16; ++i) {
    const int kept = std::clamp(bits - i * 8, 0, 8);
    bytes[static_cast<size_t>(i)] &= static_cast<uint8_t>(0xff00 >> kept);
  }
}

}  // namespace

// Reads one address; the error texts are those of the strict reading.
class AddressReader {
 public:
  using Error = std::optional<std::string>;
  AddressReader(std::string_view text, bool loose) : text_(text), loose_(loose) {}

  std::expected<IpAddress, std::string> Read() {
    for (const char c : text_) {
      Error error;
      if (c == '.') {
        std::fill_n(address_.bytes_.begin() + 10, 2, 0xff);
        error = ReadV4(text_, kMappedStart);
      } else if (c == ':') {
        address_.written_as_v6_ = true;
        error = ReadV6();
      } else if (c == '%') {
        error = Fail("missing IPv6 address");
      } else {
        continue;
      }
      if (error) return std::unexpected(*std::move(error));
      return std::move(address_);
    }
    return std::unexpected(*Fail("unable to parse IP"));
  }

 private:
  Error Fail(std::string_view message, std::string_view at = {}) const {
    std::string text = Cat("ParseAddr(", value::Quote(text_), "): ", message);
    if (!at.empty()) base::Append(text, " (at ", value::Quote(at), ")");
    return text;
  }

  // Four decimal numbers into the bytes from `place` on.
  Error ReadV4(std::string_view s, int place) {
    int number = 0, parts = 0, digits = 0;
    for (size_t i = 0; i < s.size(); ++i) {
      if (base::IsDigit(s[i])) {
        if (!loose_ && digits == 1 && number == 0) return Fail("IPv4 field has octet with leading zero");
        number = number * 10 + (s[i] - '0');
        ++digits;
        if (number > 255) return Fail("IPv4 field has value >255");
      } else if (s[i] == '.') {
        if (i == 0 || i == s.size() - 1 || s[i - 1] == '.') {
          return Fail("IPv4 field must have at least one digit", s.substr(i));
        }
        if (parts == 3) return Fail("IPv4 address too long");
        address_.bytes_[static_cast<size_t>(place + parts)] = static_cast<uint8_t>(number);
        ++parts;
        number = digits = 0;
      } else {
        return Fail("unexpected character", s.substr(i));
      }
    }
    if (parts < 3) return Fail("IPv4 address too short");
    address_.bytes_[static_cast<size_t>(place + 3)] = static_cast<uint8_t>(number);
    return {};
  }

  Error ReadV6() {
    std::string_view s = text_;
    if (const size_t percent = s.find('%'); percent != s.npos) {
      address_.zone_ = s.substr(percent + 1);
      s = s.substr(0, percent);
      if (loose_ || address_.zone_.empty()) return Fail("zone must be a non-empty string");
    }
    if (s.starts_with("::")) {
      ellipsis_ = 0;
      s.remove_prefix(2);
      if (s.empty()) return {};
    }
    while (at_ < 16 && !done_) {
      if (Error error = ReadGroup(s)) return error;
    }
    if (!s.empty()) return Fail("trailing garbage after address", s);
    return Expand();
  }

  // One hexadecimal group (or the IPv4 address at the end) and the colon behind it.
  Error ReadGroup(std::string_view& s) {
    size_t length = 0;
    unsigned number = 0;
    for (; length < s.size() && HexDigit(s[length]) >= 0; ++length) {
      number = number << 4 | static_cast<unsigned>(HexDigit(s[length]));
      if (!loose_ && length > 3) return Fail("each group must have 4 or less digits", s);
      if (number > 0xffff) return Fail("IPv6 field has value >=2^16", s);
    }
    if (length == 0) return Fail("each colon-separated field must have at least one digit", s);
    if (length < s.size() && s[length] == '.') return ReadEmbedded(s);
    address_.bytes_[static_cast<size_t>(at_)] = static_cast<uint8_t>(number >> 8);
    address_.bytes_[static_cast<size_t>(at_) + 1] = static_cast<uint8_t>(number);
    at_ += 2;
    s.remove_prefix(length);
    done_ = s.empty();
    if (done_) return {};
    if (s[0] != ':') return Fail("unexpected character, want colon", s);
    if (s.size() == 1) return Fail("colon must be followed by more characters", s);
    s.remove_prefix(1);
    if (s[0] != ':') return {};
    if (ellipsis_ >= 0) return Fail("multiple :: in address", s);
    ellipsis_ = at_;
    s.remove_prefix(1);
    done_ = s.empty();
    return {};
  }

  Error ReadEmbedded(std::string_view& s) {
    if (ellipsis_ < 0 && at_ != kMappedStart) {
      return Fail("embedded IPv4 address must replace the final 2 fields of the address", s);
    }
    if (at_ + 4 > 16) {
      return Fail("too many hex fields to fit an embedded IPv4 at the end of the address", s);
    }
    if (Error error = ReadV4(s, at_)) return error;
    s = {};
    at_ += 4;
    done_ = true;
    return {};
  }

  // Puts the zeros that the ellipsis stands for in place.
  Error Expand() {
    if (at_ == 16) {
      if (ellipsis_ >= 0) return Fail("the :: must expand to at least one field of zeros");
      return {};
    }
    if (ellipsis_ < 0) return Fail("address string too short");
    auto begin = address_.bytes_.begin();
    std::move_backward(begin + ellipsis_, begin + at_, address_.bytes_.end());
    std::fill_n(begin + ellipsis_, 16 - at_, 0);
    return {};
  }

  const std::string_view text_;
  const bool loose_;
  IpAddress address_;
  int at_ = 0;
  int ellipsis_ = -1;
  bool done_ = false;
};

std::optional<IpAddress> IpAddress::ParseLoosely(std::string_view text) {
  auto read = AddressReader(text, true).Read();
  if (!read) return std::nullopt;
  return *std::move(read);
}

std::expected<IpAddress, std::string> IpAddress::ParseStrictly(std::string_view text) {
  return AddressReader(text, false).Read();
}

IpAddress IpAddress::Of(const std::array<uint8_t, 16>& bytes, bool written_as_v6) {
  IpAddress address;
  address.bytes_ = bytes;
  address.written_as_v6_ = written_as_v6;
  return address;
}

bool IpAddress::is_v4() const {
  return std::all_of(bytes_.begin(), bytes_.begin() + 10, [](uint8_t b) { return b == 0; }) && bytes_[10] == 0xff &&
         bytes_[11] == 0xff;
}

IpAddress IpAddress::Plus(uint64_t distance) const {
  IpAddress sum = *this;
  uint64_t carry = distance;
  for (size_t i = 16; i-- > 0 && carry != 0;) {
    carry += sum.bytes_[i];
    sum.bytes_[i] = static_cast<uint8_t>(carry);
    carry >>= 8;
  }
  return sum;
}

int64_t IpAddress::DistanceTo(const IpAddress& later) const {
  std::array<uint8_t, 16> difference{};
  int borrow = 0;
  for (size_t i = 16; i-- > 0;) {
    const int digit = int{later.bytes_[i]} - int{bytes_[i]} - borrow;
    borrow = digit < 0 ? 1 : 0;
    difference[i] = static_cast<uint8_t>(digit + borrow * 256);
  }
  if (borrow != 0 || std::any_of(difference.begin(), difference.begin() + 8, [](uint8_t b) { return b != 0; }))
    return -1;
  uint64_t distance = 0;
  for (size_t i = 8; i < 16; ++i) distance = distance << 8 | difference[i];
  return distance >> 63 != 0 ? -1 : static_cast<int64_t>(distance);
}

std::string IpAddress::text() const { return is_v4() ? Dotted(bytes_) : LongText(bytes_); }

std::string IpAddress::strict_text() const {
  std::string out = is_v4() ? (written_as_v6_ ? Cat("::ffff:", Dotted(bytes_)) : Dotted(bytes_)) : LongText(bytes_);
  if (!zone_.empty()) base::Append(out, "%", zone_);
  return out;
}

bool IpAddress::IsUnspecified() const {
  const auto begin = bytes_.begin() + (is_v4() ? kMappedStart : 0);
  return std::all_of(begin, bytes_.end(), [](uint8_t b) { return b == 0; });
}

bool IpAddress::IsLoopback() const {
  if (is_v4()) return bytes_[12] == 127;
  return std::all_of(bytes_.begin(), bytes_.end() - 1, [](uint8_t b) { return b == 0; }) && bytes_[15] == 1;
}

bool IpAddress::IsLinkLocalUnicast() const {
  if (is_v4()) return bytes_[12] == 169 && bytes_[13] == 254;
  return bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80;
}

bool IpAddress::IsLinkLocalMulticast() const {
  if (is_v4()) return bytes_[12] == 224 && bytes_[13] == 0 && bytes_[14] == 0;
  return bytes_[0] == 0xff && (bytes_[1] & 0x0f) == 0x02;
}

std::optional<IpPrefix> IpPrefix::ParseLoosely(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  std::optional<IpAddress> address = IpAddress::ParseLoosely(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  if (!address || digits.empty() || !std::ranges::all_of(digits, base::IsDigit)) return std::nullopt;
  int bits = 0;
  for (const char c : digits) bits = std::min(bits * 10 + (c - '0'), 1000);
  if (bits > (address->written_as_v6() ? 128 : 32)) return std::nullopt;
  IpPrefix prefix;
  prefix.address_ = *std::move(address);
  prefix.bits_ = bits;
  return prefix;
}

std::expected<IpPrefix, std::string> IpPrefix::ParseStrictly(std::string_view text) {
  const auto fail = [&](std::string_view message) {
    return std::unexpected(Cat("netip.ParsePrefix(", value::Quote(text), "): ", message));
  };
  const size_t slash = text.rfind('/');
  if (slash == text.npos) return fail("no '/'");
  auto address = IpAddress::ParseStrictly(text.substr(0, slash));
  if (!address) return fail(address.error());
  if (!address->zone_.empty()) return fail("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  const bool number = !digits.empty() && std::ranges::all_of(digits, base::IsDigit) && digits.size() < 10;
  if (!number || (digits.size() > 1 && digits[0] == '0')) {
    return fail(Cat("bad bits after slash: ", value::Quote(digits)));
  }
  int bits = 0;
  for (const char c : digits) bits = bits * 10 + (c - '0');
  if (bits > (address->written_as_v6() ? 128 : 32)) return fail("prefix length out of range");
  IpPrefix prefix;
  prefix.address_ = *std::move(address);
  prefix.bits_ = bits;
  return prefix;
}

IpAddress IpPrefix::first() const {
  IpAddress masked = address_;
  ClearAfter(masked.bytes_, long_bits());
  return masked;
}

bool IpPrefix::Contains(const IpAddress& address) const {
  // Of the IPv4 family is what begins with an IPv4 address: "::ffff:1.2.3.4/1" begins with "::".
  const IpAddress begin = first();
  if (address.is_v4() != begin.is_v4()) return false;
  IpAddress masked = address;
  ClearAfter(masked.bytes_, long_bits());
  return masked == begin;
}

std::string IpPrefix::strict_text() const { return Cat(address_.strict_text(), "/", bits_); }

}  // namespace api
