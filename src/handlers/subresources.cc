#include "handlers/subresources.h"

#include "base/text.h"

#include <utility>

namespace handlers {

namespace {

std::string KeyOf(std::string_view group, std::string_view resource, std::string_view subresource) {
  return base::Cat(group, "/", resource, "/", subresource);
}

}  // namespace

void Subresources::Add(std::string_view group, std::string_view resource, std::string_view subresource,
                       Handler handler) {
  handlers_.insert_or_assign(KeyOf(group, resource, subresource), std::move(handler));
}

const Subresources::Handler* Subresources::Find(std::string_view group, std::string_view resource,
                                                std::string_view subresource) const {
  auto found = handlers_.find(KeyOf(group, resource, subresource));
  return found == handlers_.end() ? nullptr : &found->second;
}

}  // namespace handlers
