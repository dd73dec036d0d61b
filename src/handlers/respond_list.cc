#include "handlers/respond_list.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "handlers/list_body.h"
#include "handlers/options.h"
#include "handlers/respond.h"
#include "handlers/views.h"

namespace handlers {

namespace {

// Above this the answer is streamed. The real server compresses from here on, so whoever compresses need not wait for
// the length.
constexpr size_t kWholeLimit = 128 * 1024;

// Gives what was pulled already, then the rest.
class Resumed final : public exchange::BodySource {
 public:
  Resumed(std::vector<base::Slice> begun, std::unique_ptr<exchange::BodySource> rest)
      : begun_(std::move(begun)), rest_(std::move(rest)) {}

  State Pull(size_t max_bytes, std::vector<base::Slice>& out) override {
    if (begun_.empty()) return rest_->Pull(max_bytes, out);
    out.insert(out.end(), std::make_move_iterator(begun_.begin()), std::make_move_iterator(begun_.end()));
    begun_ = {};
    return State::kMore;
  }
  void SetWaker(absl::AnyInvocable<void()> wake) override { rest_->SetWaker(std::move(wake)); }

 private:
  std::vector<base::Slice> begun_;
  std::unique_ptr<exchange::BodySource> rest_;
};

exchange::Response Stream(Encoding encoding, std::unique_ptr<exchange::BodySource> body) {
  exchange::Response response;
  response.headers.Add("content-type", std::string(MediaType(encoding)));
  if (encoding != Encoding::kCbor) response.compression = exchange::Compression::kWhenLarge;
  bool ended = false;
  std::vector<base::Slice> begun = Drain(*body, kWholeLimit, &ended);
  if (ended) {
    response.body = std::move(begun);
  } else {
    response.body = std::make_unique<Resumed>(std::move(begun), std::move(body));
  }
  return response;
}

}  // namespace

api::Result<exchange::Response> RespondList(const Scope& scope, const Output& output, registry::ListView view,
                                            ServedFormsRef forms) {
  if (output.view == View::kPartialObject) return api::Fail(NoListView(scope.resource));
  ListForm form{.output = output, .now = {}, .forms = std::move(forms)};
  if (output.view == View::kTable) {
    auto include = ParseIncludeObject(scope.query());
    if (!include) return std::unexpected(std::move(include.error()));
    form.include = *include;
    form.now = NowText(scope.services.clock);
  }
  if (output.encoding == Encoding::kProtobuf) {
    return Stream(output.encoding, ProtobufListBody(scope.entry(), std::move(view), std::move(form)));
  }
  auto body = JsonListBody(scope.entry(), std::move(view), std::move(form));
  if (output.encoding == Encoding::kJson && !output.pretty) return Stream(output.encoding, std::move(body));

  bool ended = false;
  Document document{.json = Drain(*body, std::numeric_limits<size_t>::max() / 2, &ended)};
  // CBOR tells bytes from text.
  if (output.view == View::kObject) document.type = scope.resource.list_type;
  return Respond(200, output, std::move(document));
}

}  // namespace handlers
