#include "handlers/go_names.h"

#include "base/text.h"

namespace handlers {

std::string InternalGoName(std::string_view group, std::string_view kind) {
  std::string_view package = group.substr(0, group.find('.'));
  if (group.empty() || group == "events.k8s.io") package = "core";
  if (group == "internal.apiserver.k8s.io") package = "apiserverinternal";
  return base::Cat(package, ".", kind);
}

}  // namespace handlers
