// What every server begins with: the recorded objects of data/bootstrap, and those that tell where the server is.
// Called once at start by server/, which gives them to registry::PutMissing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/clock.h"
#include "base/random.h"
#include "registry/bootstrap.h"

namespace resources {

struct RecordedObject {
  registry::BootstrapObject object;
  std::string_view gates;  // "A,-B": where the gate A is on and B is off; "" on every server
};

// Namespaces, priority levels, flow schemas, priority classes, RBAC roles and bindings, API services. Constant.
std::span<const RecordedObject> RecordedObjects();
// Those of them that a server with that table and those gates begins with: API services speak of versions that it has.
using GateIsOn = absl::FunctionRef<bool(std::string_view gate)>;
std::vector<registry::BootstrapObject> ObjectsFor(const registry::ResourceTable& table, GateIsOn gate_is_on);

// Where clients find this server.
struct ServerPlace {
  std::string service_ip = "10.0.0.1";  // of the Service `kubernetes`: the first of the service range
  std::string advertise_address;        // of its endpoints
  uint16_t port = 6443;
  std::string hostname;
  bool has_identity = true;  // other servers are to know of this one: gate APIServerIdentity
};

// The Service `kubernetes` with its Endpoints and EndpointSlice, the lease by which servers know of each other (if they
// do), and the day since which old service account tokens are tracked.
class PlaceObjects {
 public:
  PlaceObjects(const ServerPlace& place, const base::Clock& clock, base::Random& random);
  // Holds as long as this object.
  std::span<const registry::BootstrapObject> objects() const { return objects_; }

 private:
  std::vector<std::string> texts_;
  std::vector<registry::BootstrapObject> objects_;
};

}  // namespace resources
