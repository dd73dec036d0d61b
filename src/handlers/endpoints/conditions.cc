#include "handlers/endpoints/conditions.h"

#include <optional>

#include "base/text.h"

namespace handlers {
namespace {

constexpr char kDateFormat[] = "%a, %d %b %Y %H:%M:%S GMT";

std::optional<absl::Time> DateOf(std::string_view header) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(kDateFormat, std::string(header), &time, &error)) return std::nullopt;
  return time;
}

// Takes the first tag, with its W/ and quotes, off `list`; "" where what is next is none.
std::string_view TakeTag(std::string_view& list) {
  const size_t begin = list.starts_with("W/") ? 2 : 0;
  if (list.size() <= begin || list[begin] != '"') return {};
  const size_t end = list.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  const std::string_view tag = list.substr(0, end + 1);
  list.remove_prefix(end + 1);
  return tag;
}

std::string_view WithoutWeakness(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return tag;
}

// Whether a list of tags has `etag`, or "*", before its first mistake. A weak tag counts where `weakly`.
bool HasTag(std::string_view list, std::string_view etag, bool weakly) {
  while (true) {
    list = base::TrimSpace(list);
    if (list.starts_with(',')) {
      list.remove_prefix(1);
      continue;
    }
    if (list.starts_with('*')) return true;
    const std::string_view tag = TakeTag(list);
    if (tag.empty()) return false;
    if (!etag.empty() && (weakly ? WithoutWeakness(tag) : tag) == etag) return true;
  }
}

}  // namespace

int UnmetCondition(const exchange::Request& request, std::string_view etag, absl::Time modified) {
  const exchange::Headers& headers = request.headers;
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const absl::Time second = absl::FromUnixSeconds(absl::ToUnixSeconds(modified));
  if (std::string_view wanted = headers.Get("if-match"); !wanted.empty()) {
    if (!HasTag(wanted, etag, false)) return 412;
  } else if (auto since = DateOf(headers.Get("if-unmodified-since")); since && second > *since) {
    return 412;
  }
  if (std::string_view known = headers.Get("if-none-match"); !known.empty()) {
    if (HasTag(known, etag, true)) return reads ? 304 : 412;
  } else if (auto since = DateOf(headers.Get("if-modified-since")); reads && since && second <= *since) {
    return 304;
  }
  return 0;
}

std::string HttpDate(absl::Time time) { return absl::FormatTime(kDateFormat, time, absl::UTCTimeZone()); }

}  // namespace handlers
