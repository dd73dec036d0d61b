#include "admission/namespace_auto_provision.h"

#include <utility>
#include <vector>

#include "api/names.h"
#include "api/quote.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "registry/errors.h"
#include "registry/stored_form.h"
#include "registry/strategy.h"
#include "store/store.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

std::unexpected<api::Error> Refuse(const AdmissionRequest& request, std::string why) {
  return api::Fail(api::Forbidden(std::move(why), request.resource.group_resource(), request.ShownName()));
}

// What its own rules have against a namespace of that name, which is a label of it, too.
api::FieldErrors CheckName(std::string_view name) {
  api::FieldErrors errors;
  const auto complain = [&](std::string_view field, const api::Complaints& complaints) {
    for (const std::string& complaint : complaints) {
      errors.push_back({api::FieldError::Type::kInvalid, std::string(field), api::Quote(name), complaint});
    }
  };
  complain("metadata.name", api::CheckNameIsDnsLabel(name, false));
  complain("metadata.labels", api::CheckLabelValue(name));
  return errors;
}

// An active namespace of that name, as this server itself would have asked for it.
base::Result<Value> NewNamespace(std::string_view name, value::Arena& arena) {
  const std::string now = registry::TimeText(base::SystemClock().Now());
  return value::ReadJson(
      arena.CopyString(Cat(R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":")", name, R"(","uid":")",
                           base::NewUuid(base::SystemRandom()), R"(","creationTimestamp":")", now,
                           R"(","labels":{"kubernetes.io/metadata.name":")", name,
                           R"("},"managedFields":[{"manager":"kube-apiserver","operation":"Update","apiVersion":"v1",)",
                           R"("time":")", now, R"(","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{)",
                           R"(".":{},"f:kubernetes.io/metadata.name":{}}}}}]},"spec":{"finalizers":["kubernetes"]},)",
                           R"("status":{"phase":"Active"}})")),
      arena);
}

}  // namespace

bool NamespaceAutoProvision::Waits(const AdmissionRequest& request) const {
  const std::string_view name = request.key.namespace_name;
  if (request.operation != Operation::kCreate || request.dry_run || !request.resource.namespaced || name.empty()) {
    return false;
  }
  const registry::Resource* namespaces = request.call.resources.Find("", "v1", "namespaces");
  return namespaces != nullptr && store_.Latest(namespaces->storage->id).Get(name) == nullptr;
}

base::Task<api::Result<>> NamespaceAutoProvision::MutateAsync(AdmissionRequest& request) const {
  const std::string_view name = request.key.namespace_name;
  const registry::Resource* namespaces = request.call.resources.Find("", "v1", "namespaces");
  if (const api::FieldErrors errors = CheckName(name); !errors.empty()) {
    co_return Refuse(request, api::Invalid({"", "Namespace"}, name, errors).message);
  }
  const auto made = NewNamespace(name, request.arena);
  if (!made) co_return Refuse(request, made.error().message);
  auto body = registry::EncodeForStore(*namespaces, *made, request.arena);
  if (!body) co_return Refuse(request, body.error().message);
  std::vector<store::Write> writes(1);
  writes[0] = {namespaces->storage->id, std::string(name), *std::move(body), store::Revision(0)};
  const auto committed = co_await base::Await<base::Result<store::Committed>>(
      request.call.executor, [&](auto done) { store_.Commit(std::move(writes), std::move(done)); });
  // Another may have made it meanwhile.
  if (!committed && committed.error().code != base::Code::kConflict) {
    co_return Refuse(request,
                     registry::FromStore(committed.error(), namespaces->group_resource(), name, "create").message);
  }
  co_return api::Result<>();
}

}  // namespace admission
