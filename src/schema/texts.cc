#include "schema/texts.h"

#include <zlib.h>

#include <array>

#include "base/text.h"
#include "value/json_reader.h"

namespace schema {

namespace texts_table {
extern const size_t kPlainSize;
extern const size_t kPackedSize;
extern const unsigned char kPacked[];
}  // namespace texts_table

std::unique_ptr<const Texts> Texts::Load() {
  std::unique_ptr<Texts> texts(new Texts);
  texts->plain_.resize(texts_table::kPlainSize);
  uLongf size = texts_table::kPlainSize;
  int code =
      uncompress(reinterpret_cast<Bytef*>(texts->plain_.data()), &size, texts_table::kPacked, texts_table::kPackedSize);
  if (code != Z_OK) return texts;  // the build made it: cannot be
  auto read = value::ReadJson(texts->plain_, texts->arena_);
  if (!read) return texts;
  for (const value::Member& type : read->members()) texts->types_.emplace(type.key, type.value);
  return texts;
}

const value::Value* Texts::Find(std::string_view type) const {
  auto found = types_.find(type);
  if (found != types_.end()) return &found->second;
  // io.k8s.api.GROUP.VERSION.Kind: the same kind in the versions before and after.
  size_t kind = type.rfind('.');
  size_t version = kind == type.npos ? type.npos : type.rfind('.', kind - 1);
  if (version == type.npos) return nullptr;
  static constexpr std::array<std::string_view, 8> kStableFirst = {"v1",      "v2",       "v1beta1",  "v1beta2",
                                                                   "v1beta3", "v1alpha3", "v1alpha2", "v1alpha1"};
  for (std::string_view other : kStableFirst) {
    found = types_.find(base::Cat(type.substr(0, version + 1), other, type.substr(kind)));
    if (found != types_.end()) return &found->second;
  }
  return nullptr;
}

std::string_view Texts::Of(std::string_view type, std::string_view field) const {
  const value::Value* texts = Find(type);
  return texts ? texts->GetString(field) : std::string_view();
}

}  // namespace schema
