#include "resources/core/service/service_allocator.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/text.h"
#include "resources/core/service/service_families.h"
#include "resources/core/service/service_spec.h"
#include "value/json_reader.h"

namespace resources::core {
namespace {

using base::Cat;
using registry::WriteContext;

constexpr int64_t kFirstDryPort = 32769;
constexpr std::string_view kTaken = "provided port is already allocated";

std::string_view FamilyOf(const AddressPool& pool) { return pool.is_v4() ? "IPv4" : "IPv6"; }

std::vector<AddressPool> PoolsOf(std::span<const api::IpPrefix> ranges) {
  std::vector<AddressPool> pools;
  for (const api::IpPrefix& range : ranges) pools.emplace_back(range);
  return pools;
}

std::set<int64_t> NodePortsOf(const Value& service) {
  std::set<int64_t> ports;
  for (const Value& port : SpecOf(service).Get("ports").items()) {
    if (NumberAt(port, "nodePort") != 0) ports.insert(NumberAt(port, "nodePort"));
  }
  return ports;
}

bool AllocatesNodePorts(const Value& service) {
  if (TypeOf(service) == kNodePort) return true;
  const Value wanted = SpecOf(service).Get("allocateLoadBalancerNodePorts");
  return TypeOf(service) == kLoadBalancer && wanted.is_bool() && wanted.AsBool();
}

// The node ports that ports ask for, by their number; of several with one number the first.
std::map<int64_t, int64_t> AskedFor(const Value& ports) {
  std::map<int64_t, int64_t> asked;
  for (const Value& port : ports.items()) {
    if (const int64_t own = NumberAt(port, "nodePort"); own != 0) asked.try_emplace(NumberAt(port, "port"), own);
  }
  return asked;
}

api::Error InvalidService(const Value& service, const api::FieldErrors& errors) {
  return api::Invalid({"", "Service"}, service.Get("metadata").GetString("name"), errors);
}

}  // namespace

// What one write has taken: given back when it ends. Made and filled under the allocator's lock.
class ServiceDraw {
 public:
  ServiceDraw(ServiceAllocator& allocator, const Value& service, registry::Arena& arena, bool dry_run)
      : allocator_(allocator), service_(service), arena_(arena), dry_run_(dry_run) {}
  ServiceDraw(const ServiceDraw&) = delete;
  ServiceDraw& operator=(const ServiceDraw&) = delete;

  api::Result<> ForCreate();
  api::Result<> ForUpdate(const Value& old);
  // What was taken, as a Claim; none where nothing was.
  registry::Reservation Keep();
  void GiveBack();

 private:
  // Owns what a Claim holds.
  struct Holding {
    ServiceAllocator& allocator;
    std::vector<HeldNumber> held;
    ~Holding() {
      std::lock_guard lock(allocator.mutex_);
      for (const HeldNumber& h : held) h.pool->Release(h.number);
    }
  };
  using Taken = std::expected<void, std::string>;  // the error: why it cannot be had

  api::Result<> Addresses();
  api::Result<> AddressAt(uint32_t index);
  api::Result<> ChangedAddresses(const Value& old);
  api::Result<> NewNodePorts();
  api::Result<> ChangedNodePorts(const Value& old);
  api::Result<> HealthCheckPort();
  api::Result<int64_t> AnyPort();
  api::Result<> AskedPort(uint32_t index, int64_t port);
  Taken TakePort(int64_t port);
  Taken TakeAddress(AddressPool& pool, std::string_view text);
  std::expected<int64_t, std::string> NextPort();
  void SetAddress(uint32_t index, std::string_view address);
  void Hold(NumberPool& pool, int64_t number) {
    pool.Hold(number);
    held_.push_back({&pool, number});
  }
  Value spec() const { return SpecOf(service_); }

  ServiceAllocator& allocator_;
  const Value service_;
  registry::Arena& arena_;
  const bool dry_run_;
  std::vector<HeldNumber> held_;
  std::set<int64_t> dry_ports_;
};

registry::Reservation ServiceDraw::Keep() {
  if (held_.empty()) return {};
  return std::shared_ptr<Holding>(new Holding{allocator_, std::move(held_)});
}

void ServiceDraw::GiveBack() {
  for (const HeldNumber& held : held_) held.pool->Release(held.number);
  held_.clear();
}

ServiceDraw::Taken ServiceDraw::TakeAddress(AddressPool& pool, std::string_view text) {
  const auto address = api::IpAddress::ParseLoosely(text);
  const auto number = address ? pool.NumberOf(*address) : std::nullopt;
  if (!number) {
    return std::unexpected(Cat("the provided IP (", address ? address->text() : std::string(text),
                               ") is not in the valid range. The range of valid IPs is ", pool.text()));
  }
  if (dry_run_) return {};
  if (pool.numbers().Has(*number)) return std::unexpected("provided IP is already allocated");
  Hold(pool.numbers(), *number);
  return {};
}

void ServiceDraw::SetAddress(uint32_t index, std::string_view address) {
  const Value text = Value::Copy(arena_, address);
  spec().Get("clusterIPs")[index] = text;
  if (index == 0) spec().Set(arena_, "clusterIP", text);
}

// The address at `index` of clusterIPs, of the family at that index: the one that is asked for, or any.
api::Result<> ServiceDraw::AddressAt(uint32_t index) {
  AddressPool* const found = allocator_.PoolOf(ItemAt(spec().Get("ipFamilies"), index));
  if (found == nullptr) return api::Fail(api::Internal("failed to allocate a serviceIP: no range of that family"));
  AddressPool& pool = *found;
  const std::string_view asked = ItemAt(spec().Get("clusterIPs"), index);
  if (!asked.empty()) {
    const Taken taken = TakeAddress(pool, asked);
    if (taken) return {};
    const FieldPath spec_path("spec");
    Errors errors;
    errors.InvalidAs(spec_path.Child("clusterIPs"), PrintStrings("string", spec().Get("clusterIPs")),
                     Cat("failed to allocate IP ", asked, ": ", taken.error()));
    return api::Fail(InvalidService(service_, std::move(errors).Take()));
  }
  if (dry_run_) {
    SetAddress(index, pool.network_text());
    return {};
  }
  const auto number = pool.numbers().Choose(allocator_.random_);
  if (!number) return api::Fail(api::Internal("failed to allocate a serviceIP: range is full"));
  Hold(pool.numbers(), *number);
  SetAddress(index, pool.AddressOf(*number));
  return {};
}

// All addresses of a service that had none.
api::Result<> ServiceDraw::Addresses() {
  Value addresses = spec().Get("clusterIPs");
  if (!NeedsClusterIp(service_) || (!addresses.empty() && ItemAt(addresses, 0) == kNoAddress)) return {};
  const uint32_t wanted = spec().Get("ipFamilies").size();
  addresses = addresses.is_array() ? value::DeepCopy(arena_, addresses) : Value::Array(arena_, wanted);
  while (addresses.size() < wanted) addresses.Append(arena_, Value::String(""));
  spec().Set(arena_, "clusterIPs", addresses);
  for (uint32_t i = 0; i < wanted; ++i) {
    if (auto taken = AddressAt(i); !taken) return taken;
  }
  return {};
}

// What a change of type or of the number of families takes; what it gives back is free when it is stored.
api::Result<> ServiceDraw::ChangedAddresses(const Value& old) {
  if (KeepsPreferredFamilies(service_, &old)) return {};
  if (!NeedsClusterIp(old) && NeedsClusterIp(service_)) return Addresses();
  const Value before = SpecOf(old).Get("clusterIPs");
  if ((!before.empty() && ItemAt(before, 0) == kNoAddress) || !NeedsClusterIp(service_)) return {};
  if (SpecOf(old).Get("ipFamilies").size() != 1 || spec().Get("ipFamilies").size() != 2) return {};
  Value addresses = spec().Get("clusterIPs");
  addresses = addresses.is_array() ? value::DeepCopy(arena_, addresses) : Value::Array(arena_, 2);
  while (addresses.size() < 2) addresses.Append(arena_, Value::String(""));
  spec().Set(arena_, "clusterIPs", addresses);
  return AddressAt(1);
}

ServiceDraw::Taken ServiceDraw::TakePort(int64_t port) {
  PortPool& pool = allocator_.ports_;
  const auto number = pool.NumberOf(port);
  if (dry_run_) {
    const bool held = number && pool.numbers().Has(*number);
    if (held || !dry_ports_.insert(port).second) return std::unexpected(std::string(kTaken));
    return {};
  }
  if (!number) {
    return std::unexpected(Cat("provided port is not in the valid range. The range of valid ports is ", pool.text()));
  }
  if (pool.numbers().Has(*number)) return std::unexpected(std::string(kTaken));
  Hold(pool.numbers(), *number);
  return {};
}

std::expected<int64_t, std::string> ServiceDraw::NextPort() {
  if (dry_run_) {
    const int64_t port = dry_ports_.empty() ? kFirstDryPort : *dry_ports_.rbegin() + 1;
    dry_ports_.insert(port);
    return port;
  }
  PortPool& pool = allocator_.ports_;
  const auto number = pool.numbers().Choose(allocator_.random_);
  if (!number) return std::unexpected("range is full");
  Hold(pool.numbers(), *number);
  return pool.PortOf(*number);
}

api::Result<int64_t> ServiceDraw::AnyPort() {
  const auto port = NextPort();
  if (!port) return api::Fail(api::Internal(Cat("failed to allocate a nodePort: ", port.error())));
  return *port;
}

api::Result<> ServiceDraw::AskedPort(uint32_t index, int64_t port) {
  const Taken taken = TakePort(port);
  if (taken) return {};
  const FieldPath spec_path("spec");
  const FieldPath list = spec_path.Child("ports");
  const FieldPath path = list.Index(index);
  Errors errors;
  errors.Invalid(path.Child("nodePort"), port, taken.error());
  return api::Fail(InvalidService(service_, std::move(errors).Take()));
}

// Ports of one number and different protocols share a node port unless they ask for different ones.
api::Result<> ServiceDraw::NewNodePorts() {
  const Value ports = spec().Get("ports");
  const std::map<int64_t, int64_t> asked = AskedFor(ports);
  std::map<int64_t, int64_t> given;  // of a port number
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const int64_t number = NumberAt(ports[i], "port"), own = NumberAt(ports[i], "nodePort");
    if (own == 0 && !AllocatesNodePorts(service_)) continue;
    const auto known = given.find(number);
    if (known == given.end()) {
      const auto wanted = asked.find(number);
      int64_t port = wanted == asked.end() ? 0 : wanted->second;
      if (port != 0) {
        if (auto taken = AskedPort(i, port); !taken) return taken;
      } else {
        const auto any = AnyPort();
        if (!any) return std::unexpected(any.error());
        port = *any;
      }
      ports[i].Set(arena_, "nodePort", Value::Int(port));
      given[number] = port;
    } else if (own == 0) {
      ports[i].Set(arena_, "nodePort", Value::Int(known->second));
    } else if (own != known->second) {
      if (auto taken = AskedPort(i, own); !taken) return taken;
    }
  }
  return {};
}

api::Result<> ServiceDraw::ChangedNodePorts(const Value& old) {
  const std::set<int64_t> before = NodePortsOf(old);
  const Value ports = spec().Get("ports");
  std::set<int64_t> taken_now;
  std::set<std::pair<std::string_view, int64_t>> seen;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    int64_t port = NumberAt(ports[i], "nodePort");
    if (port == 0 && !AllocatesNodePorts(service_)) continue;
    if (port == 0) {
      const auto any = AnyPort();
      if (!any) return std::unexpected(any.error());
      port = *any;
      ports[i].Set(arena_, "nodePort", Value::Int(port));
    } else if (!before.contains(port) && !taken_now.contains(port)) {
      if (auto taken = AskedPort(i, port); !taken) return taken;
      taken_now.insert(port);
    }
    const std::string_view protocol = ports[i].GetString("protocol");
    if (!seen.insert({protocol, port}).second) {
      return api::Fail(api::Generic(500, Cat("duplicate nodePort: {", protocol, " ", port, "}")));
    }
  }
  return {};
}

api::Result<> ServiceDraw::HealthCheckPort() {
  if (const int64_t asked = NumberAt(spec(), "healthCheckNodePort"); asked != 0) {
    const Taken taken = TakePort(asked);
    if (taken) return {};
    return api::Fail(
        api::Internal(Cat("failed to allocate requested HealthCheck NodePort ", asked, ": ", taken.error())));
  }
  const auto port = NextPort();
  if (!port) return api::Fail(api::Internal(Cat("failed to allocate a HealthCheck NodePort 0: ", port.error())));
  spec().Set(arena_, "healthCheckNodePort", Value::Int(*port));
  return {};
}

api::Result<> ServiceDraw::ForCreate() {
  auto done = Addresses();
  if (done && MayHaveNodePorts(service_)) done = NewNodePorts();
  if (done && NeedsHealthCheck(service_)) done = HealthCheckPort();
  return done;
}

api::Result<> ServiceDraw::ForUpdate(const Value& old) {
  auto done = ChangedAddresses(old);
  if (done && MayHaveNodePorts(service_)) done = ChangedNodePorts(old);
  if (done && !NeedsHealthCheck(old) && NeedsHealthCheck(service_)) done = HealthCheckPort();
  return done;
}

ServiceAllocator::ServiceAllocator(store::Store& store, store::CollectionId services, const Options& options,
                                   base::Random& random)
    : store_(store),
      services_(services),
      random_(random),
      addresses_(PoolsOf(options.address_ranges)),
      ports_(options.first_port, options.port_count) {}

AddressPool* ServiceAllocator::PoolOf(std::string_view family) {
  const auto pool = std::ranges::find(addresses_, family, FamilyOf);
  return pool == addresses_.end() ? nullptr : &*pool;
}

api::Result<registry::Reservation> ServiceAllocator::Allocate(WriteContext& context, const Value& service,
                                                              const Value* old, bool dry_run) {
  std::vector<std::string_view> families;
  for (const AddressPool& pool : addresses_) families.push_back(FamilyOf(pool));
  NormaliseAddresses(context, service, old);
  if (api::FieldErrors errors = FillFamilies(context, service, old, families); !errors.empty()) {
    return api::Fail(InvalidService(service, errors));
  }
  std::lock_guard lock(mutex_);
  Follow();
  ServiceDraw draw(*this, service, context.arena, dry_run);
  const auto drawn = old == nullptr ? draw.ForCreate() : draw.ForUpdate(*old);
  if (drawn) return draw.Keep();
  draw.GiveBack();
  return std::unexpected(drawn.error());
}

// Brings the index up to everything that is acknowledged.
void ServiceAllocator::Follow() {
  if (events_ == nullptr) return Rebuild();
  while (true) {
    const auto event = events_->Next();
    if (!event) return Rebuild();
    if (*event == nullptr) return;
    Forget((*event)->cell().key());
    if ((*event)->type() != store::EventType::kDeleted) Count((*event)->cell());
  }
}

void ServiceAllocator::Rebuild() {
  while (!stored_.empty()) Forget(std::string(stored_.begin()->first));
  const store::Snapshot snapshot = store_.Latest(services_);
  store::Scan scan = snapshot.Scan();
  while (const store::Cell* cell = scan.Next()) Count(*cell);
  auto events = store_.Watch({.collection = services_, .prefix = "", .index = {}, .after = snapshot.revision()}, [] {});
  events_ = events ? *std::move(events) : nullptr;
}

void ServiceAllocator::Forget(std::string_view key) {
  const auto held = stored_.find(key);
  if (held == stored_.end()) return;
  for (const HeldNumber& number : held->second) number.pool->Release(number.number);
  stored_.erase(held);
}

// Holds what the stored service has.
void ServiceAllocator::Count(const store::Cell& cell) {
  registry::Arena arena;
  const auto service = value::ReadJson(cell.bytes(), arena);
  if (!service) return;
  std::vector<HeldNumber> held;
  const Value addresses = SpecOf(*service).Get("clusterIPs");
  for (uint32_t i = 0; NeedsClusterIp(*service) && i < addresses.size(); ++i) {
    const auto address = api::IpAddress::ParseLoosely(ItemAt(addresses, i));
    for (AddressPool& pool : addresses_) {
      const auto number = address ? pool.NumberOf(*address) : std::nullopt;
      if (number) held.push_back({&pool.numbers(), *number});
    }
  }
  std::set<int64_t> ports = NodePortsOf(*service);
  if (NeedsHealthCheck(*service)) ports.insert(NumberAt(SpecOf(*service), "healthCheckNodePort"));
  for (const int64_t port : ports) {
    if (const auto number = ports_.NumberOf(port)) held.push_back({&ports_.numbers(), *number});
  }
  for (const HeldNumber& number : held) number.pool->Hold(number.number);
  if (!held.empty()) stored_.emplace(cell.key(), std::move(held));
}

}  // namespace resources::core
