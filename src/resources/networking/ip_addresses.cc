#include "resources/behaviours.h"

namespace resources::networking {

constinit const registry::Behaviour kIpAddresses = {};

}  // namespace resources::networking
