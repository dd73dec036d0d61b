#include "admission/plugin_configuration.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "value/quote.h"

namespace admission {

using base::Cat;
using value::Value;

base::Result<> CheckConfigurationKind(const Value& document, std::string_view group,
                                      std::initializer_list<std::string_view> versions, std::string_view kind) {
  if (!document.is_object()) return base::Fail(base::Code::kInvalid, Cat("the configuration is no ", kind));
  const std::string_view found = document.GetString("kind"), version = document.GetString("apiVersion");
  const bool served =
      std::ranges::any_of(versions, [&](std::string_view one) { return version == Cat(group, "/", one); });
  if (found == kind && served) return {};
  return base::Fail(base::Code::kInvalid, Cat("no kind ", value::Quote(found), " is registered for version ",
                                              value::Quote(version), ": ", kind, " of ", group, " is wanted"));
}

base::Result<> CheckConfigurationFields(const Value& value, std::initializer_list<std::string_view> fields,
                                        std::string_view path) {
  if (value.is_null()) return {};
  if (!value.is_object()) return base::Fail(base::Code::kInvalid, Cat(path, " is no object"));
  const std::string prefix = path.empty() ? "" : Cat(path, ".");
  std::set<std::string_view> seen;
  for (const value::Member& member : value.members()) {
    if (std::ranges::find(fields, member.key) == fields.end()) {
      return base::Fail(base::Code::kInvalid,
                        Cat("strict decoding error: unknown field ", value::Quote(Cat(prefix, member.key))));
    }
    if (!seen.insert(member.key).second) {
      return base::Fail(base::Code::kInvalid,
                        Cat("strict decoding error: duplicate field ", value::Quote(Cat(prefix, member.key))));
    }
  }
  return {};
}

base::Result<std::vector<std::string>> ReadConfigurationList(const Value& list, std::string_view path) {
  std::vector<std::string> texts;
  if (list.is_null()) return texts;
  if (!list.is_array()) return base::Fail(base::Code::kInvalid, Cat(path, " is no list"));
  std::set<std::string_view> seen;
  for (const Value& item : list.items()) {
    const std::string at = Cat(path, "[", texts.size(), "]");
    if (!item.is_string()) return base::Fail(base::Code::kInvalid, Cat(at, " is no text"));
    if (!seen.insert(item.AsString()).second) {
      return base::Fail(base::Code::kInvalid, Cat(at, ": Duplicate value: ", value::Quote(item.AsString())));
    }
    texts.emplace_back(item.AsString());
  }
  return texts;
}

base::Result<std::string> ReadConfigurationText(const Value& object, std::string_view key) {
  const Value* text = object.Find(key);
  if (text == nullptr || text->is_null()) return std::string();
  if (!text->is_string()) return base::Fail(base::Code::kInvalid, Cat(key, " is no text"));
  return std::string(text->AsString());
}

}  // namespace admission
