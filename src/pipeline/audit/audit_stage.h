// The stages that audit requests. AuditReception stands before authentication: it makes the request's record, which
// authenticators may annotate, and tells of requests that nobody knows. Audit stands behind it: it asks the policy and
// tells of the request's stages. Both are in the chain only where there is a policy and a log.
//
// Bodies are those that exist: what the handlers noted in the record, and the answer's own bytes. Of an answer that is
// written piece by piece the pieces are kept until its end, kMostCapturedBytes at most: of more the event says that it
// was cut and has no object.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "pipeline/audit/audit_log.h"
#include "pipeline/audit/policy.h"
#include "pipeline/stage.h"

namespace pipeline {

struct AuditParts {
  const AuditPolicy& policy;
  AuditLog& log;
  const base::Clock& clock;
  // An answer's body in a media type other than JSON as the JSON it stands for; nullopt where it stands for no API
  // object. May be empty.
  std::function<std::optional<std::string>(std::string_view media_type, std::string_view body)> as_json;
};

class AuditReception final : public Stage {
 public:
  AuditReception(AuditParts parts, exchange::Handler& next) : Stage(next), parts_(std::move(parts)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  // One event, of a request that was refused before anybody knew who sent it.
  void TellRefusal(exchange::Exchange& exchange, const exchange::Response& response) const;

  const AuditParts parts_;
};

class Audit final : public Stage {
 public:
  static constexpr size_t kMostCapturedBytes = 16 << 20;

  Audit(AuditParts parts, exchange::Handler& next) : Stage(next), parts_(std::move(parts)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  base::Task<exchange::Response> HandleAudited(exchange::Exchange& exchange, AuditPolicy::Choice choice);

  const AuditParts parts_;
};

}  // namespace pipeline
