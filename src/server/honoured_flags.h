// Which of the flags that Fairlead accepts do something. The others are real ones of kube-apiserver that it has no use
// for, or not yet: they are accepted with a warning.
#pragma once

#include <string_view>

namespace server {

bool IsHonoured(std::string_view flag);

}  // namespace server
