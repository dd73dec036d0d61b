#include <string>
#include <utility>

#include "api/audit_record.h"
#include "api/status.h"
#include "base/text.h"
#include "handlers/audit_bodies.h"
#include "handlers/body.h"
#include "handlers/delete_options.h"
#include "handlers/options.h"
#include "handlers/respond.h"
#include "handlers/stored_object.h"
#include "handlers/verbs.h"
#include "handlers/views.h"
#include "value/quote.h"

namespace handlers {

namespace {

// What answers a deletion that left nothing.
exchange::Response RespondGone(const Scope& scope, const Output& output, const registry::WriteResult& written) {
  std::string_view metadata = FindJsonMember(written.bytes.data, "metadata");
  std::string_view uid = FindJsonMember(metadata, "uid");
  if (uid.size() >= 2) uid = uid.substr(1, uid.size() - 2);  // a uid has nothing to unescape
  api::StatusDetails details{.name = std::string(scope.name),
                             .group = scope.resource.group,
                             .kind = scope.resource.plural,
                             .uid = std::string(uid)};
  static const schema::Type* const status = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  return Respond(200, output, MakeDocument(api::SuccessStatusJson(details), status, "v1", "Status"));
}

// What answers the deletion of an object that nobody could read: nothing is known of it but what the path says.
exchange::Response RespondUnreadableGone(const Scope& scope, const Output& output) {
  const std::string status =
      base::Cat(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":)",
                value::Quote(scope.name), R"(,"kind":)", value::Quote(scope.resource.kind), R"(},"code":200})");
  static const schema::Type* const type = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  return Respond(200, output, MakeDocument(status, type, "v1", "Status"));
}

// Whether the caller may delete without looking.
api::Result<> CheckUnreadableRight(const Scope& scope) {
  constexpr std::string_view kVerb = "unsafe-delete-ignore-read-errors";
  if (!scope.resource.strategy->facts().deletes_unreadable) {
    return api::Fail(
        api::Internal("no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential"));
  }
  std::optional<std::string> refused = "";
  if (scope.services.check_right) refused = scope.services.check_right(scope.context(), kVerb);
  if (!refused) return {};
  return api::Fail(api::Forbidden(base::Cat("not permitted to do ", value::Quote(kVerb), ", reason: ", *refused),
                                  scope.resource.group_resource(), scope.name));
}

}  // namespace

api::Result<registry::DeleteOptions> DeleteOptionsOf(const Scope& scope) {
  if (auto fits = CheckBodySize(scope); !fits) return std::unexpected(std::move(fits.error()));
  const bool unsafe = scope.services.settings.unsafe_deletion;
  if (scope.request().body.empty()) return ParseDeleteParameters(scope.query(), unsafe);
  value::Arena arena;
  auto body = ReadDeleteBody(scope, arena);
  if (!body) return std::unexpected(std::move(body.error()));
  AuditDeleteOptions(scope, *body);
  return ReadDeleteOptions(*body, unsafe);
}

Answer Delete(const Scope& scope) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  auto options = DeleteOptionsOf(scope);
  if (!options) co_return std::unexpected(std::move(options.error()));
  const bool unreadable = options->unreadable;
  if (unreadable) {
    api::AddAuditAnnotation(scope.context(), "apiserver.k8s.io/unsafe-delete-ignore-read-error", "");
    if (auto permitted = CheckUnreadableRight(scope); !permitted) {
      co_return std::unexpected(std::move(permitted.error()));
    }
  }
  bool no_orphans = options->orphan_dependents.has_value() && !*options->orphan_dependents;

  registry::Call call = scope.call();
  auto written = co_await scope.services.registry.DeleteObject(call, scope.resource, scope.key(), std::move(*options));
  if (!written) co_return std::unexpected(std::move(written.error()));
  if (unreadable) co_return RespondUnreadableGone(scope, *output);
  if (written->deleted && !written->blank && !scope.resource.strategy->facts().returns_deleted_object)
    co_return RespondGone(scope, *output, *written);
  auto forms = co_await ConvertFor(scope, written->cell);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  co_return RespondWritten(scope, *output, !written->deleted && no_orphans ? 202 : 200, *written, *std::move(forms));
}

}  // namespace handlers
