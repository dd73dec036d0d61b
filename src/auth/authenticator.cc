#include "auth/authenticator.h"

#include <utility>

namespace auth {

std::shared_ptr<const api::User> WithAuthenticatedGroup(api::User user) {
  if (user.name != "system:anonymous" && !user.InGroup("system:authenticated") &&
      !user.InGroup("system:unauthenticated")) {
    user.groups.push_back("system:authenticated");
  }
  return std::make_shared<const api::User>(std::move(user));
}

}  // namespace auth
