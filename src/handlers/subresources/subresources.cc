#include "handlers/subresources/subresources.h"

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

void Subresources::AddToAll(std::string_view subresource, Handler handler) {
  of_all_.insert_or_assign(std::string(subresource), std::move(handler));
}

const Subresources::Handler* Subresources::Find(std::string_view group, std::string_view resource,
                                                std::string_view subresource) const {
  if (auto found = handlers_.find(KeyOf(group, resource, subresource)); found != handlers_.end()) return &found->second;
  const auto of_all = of_all_.find(subresource);
  return of_all == of_all_.end() ? nullptr : &of_all->second;
}

}  // namespace handlers
