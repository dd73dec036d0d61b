// What plugins read from the documents that --admission-control-config-file has for them: which kind a document is, and
// that it has no fields but the known ones. Errors are sentences for the operator (kInvalid). Pure functions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace admission {

// A document is of `kind` in one of the versions of `group`.
base::Result<> CheckConfigurationKind(const value::Value& document, std::string_view group,
                                      std::initializer_list<std::string_view> versions, std::string_view kind);
// `value` is an object, or null, with no member but `fields`, none twice. `path`: where it stands ("defaults"), "" at
// the top.
base::Result<> CheckConfigurationFields(const value::Value& value, std::initializer_list<std::string_view> fields,
                                        std::string_view path = {});
// The texts of a list, each once; fails where it is no list of strings. Null is an empty one.
base::Result<std::vector<std::string>> ReadConfigurationList(const value::Value& list, std::string_view path);
// The text at `key`, "" where it is absent; fails where it is something else.
base::Result<std::string> ReadConfigurationText(const value::Value& object, std::string_view key);

}  // namespace admission
