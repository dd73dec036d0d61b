// Container image names ("registry/name:tag@digest"): what defaults and validation want to know of them. Pure; any
// thread.
#pragma once

#include <string_view>

namespace resources {

// The tag of an image: "latest" where neither tag nor digest is given, "" where only a digest is, or the name is
// malformed.
std::string_view ImageTag(std::string_view image);

}  // namespace resources
