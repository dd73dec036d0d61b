#include "auth/csv.h"

#include "base/text.h"

namespace auth {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  base::Result<std::vector<std::vector<std::string>>> Read() {
    std::vector<std::vector<std::string>> records;
    while (at_ < text_.size()) {
      if (AtLineEnd()) {
        SkipLineEnd();
        continue;
      }
      std::vector<std::string> record;
      while (true) {
        base::Result<std::string> field = text_.substr(at_).starts_with('"') ? Quoted() : Bare();
        if (!field) return std::unexpected(std::move(field.error()));
        record.push_back(*std::move(field));
        if (at_ >= text_.size() || text_[at_] != ',') break;
        ++at_;
      }
      SkipLineEnd();
      records.push_back(std::move(record));
    }
    return records;
  }

 private:
  bool AtLineEnd() const { return text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"; }
  void SkipLineEnd() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\r') ++at_;
    if (at_ < text_.size()) ++at_;
    ++line_;
  }
  std::unexpected<base::Error> Failed(std::string_view why) const {
    return base::Fail(base::Code::kInvalid, base::Cat("parse error on line ", line_, ", column ", at_ + 1, ": ", why));
  }

  base::Result<std::string> Bare() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ',' && !AtLineEnd()) {
      if (text_[at_] == '"') return Failed("bare \" in non-quoted-field");
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  base::Result<std::string> Quoted() {
    std::string field;
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '"') {
        field += c;
        if (c == '\n') ++line_;
        continue;
      }
      if (at_ < text_.size() && text_[at_] == '"') {
        field += '"';
        ++at_;
        continue;
      }
      if (at_ < text_.size() && text_[at_] != ',' && !AtLineEnd())
        return Failed("extraneous or missing \" in quoted-field");
      return field;
    }
    return Failed("extraneous or missing \" in quoted-field");
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

base::Result<std::vector<std::vector<std::string>>> ParseCsv(std::string_view text) { return Reader(text).Read(); }

}  // namespace auth
