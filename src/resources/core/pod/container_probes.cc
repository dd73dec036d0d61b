#include "base/text.h"
#include "resources/core/pod/container_rules.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kSchemes[] = {"HTTP", "HTTPS"};

void CheckExec(Errors& errors, const FieldPath& path, const Value& exec) {
  if (exec.Get("command").empty()) errors.Required(path.Child("command"));
}

void CheckHttpGet(Errors& errors, const FieldPath& path, const Value& get) {
  if (get.GetString("path").empty()) errors.Required(path.Child("path"));
  CheckPortNumberOrName(errors, path.Child("port"), get.Get("port"));
  const std::string_view scheme = get.GetString("scheme");
  if (scheme != "HTTP" && scheme != "HTTPS") errors.NotSupported(path.Child("scheme"), scheme, kSchemes);
  for (const Value& header : get.Get("httpHeaders").items()) {
    const std::string_view name = header.GetString("name");
    PutComplaints(errors, path.Child("httpHeaders"), name, api::CheckHttpHeaderName(name));
  }
}

void CheckPort(Errors& errors, const FieldPath& path, const Value& action) {
  CheckPortNumberOrName(errors, path.Child("port"), action.Get("port"));
}

// A sleep ends before the pod's grace does.
void CheckSleep(Errors& errors, const FieldPath& path, const Value& sleep, const ContainerSurroundings& surroundings) {
  if (!surroundings.grace_seconds) return;
  const int64_t grace = *surroundings.grace_seconds;
  const Value found = sleep.Get("seconds");
  const int64_t seconds = found.is_int() ? found.AsInt() : 0;
  if (seconds >= (surroundings.allow_zero_sleep ? 0 : 1) && seconds <= grace) return;
  errors.Invalid(path, seconds,
                 surroundings.allow_zero_sleep
                     ? base::Cat("must be non-negative and less than terminationGracePeriodSeconds (", grace, ")")
                     : base::Cat("must be greater than 0 and less than terminationGracePeriodSeconds (", grace,
                                 "). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."));
}

// What a probe or a hook does, of which there is one.
void CheckHandler(Errors& errors, const FieldPath& path, const Value& handler,
                  const ContainerSurroundings& surroundings) {
  bool found = false;
  for (std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Value* action = handler.Find(kind);
    if (action == nullptr) continue;
    const FieldPath at = path.Child(kind);
    if (found) {
      errors.Forbidden(at, "may not specify more than 1 handler type");
      continue;
    }
    found = true;
    if (kind == "exec") CheckExec(errors, at, *action);
    if (kind == "httpGet") CheckHttpGet(errors, at, *action);
    if (kind == "tcpSocket" || kind == "grpc") CheckPort(errors, at, *action);
    if (kind == "sleep") CheckSleep(errors, at, *action, surroundings);
  }
  if (!found) errors.Required(path, "must specify a handler type");
}

int64_t NumberOf(const Value& object, std::string_view field) {
  const Value found = object.Get(field);
  return found.is_int() ? found.AsInt() : 0;
}

void CheckProbe(Errors& errors, const FieldPath& path, const Value& probe, const ContainerSurroundings& surroundings) {
  CheckHandler(errors, path, probe, surroundings);
  for (std::string_view field :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    CheckNonNegative(errors, path.Child(field), NumberOf(probe, field));
  }
  const Value grace = probe.Get("terminationGracePeriodSeconds");
  if (grace.is_int() && grace.AsInt() <= 0) {
    errors.Invalid(path.Child("terminationGracePeriodSeconds"), grace.AsInt(), "must be greater than 0");
  }
}

// One success tells that a container lives or has started; readiness may ask for more, but ends nothing.
void CheckKindOfProbe(Errors& errors, const FieldPath& path, const Value& probe, bool readiness) {
  if (readiness) {
    const Value grace = probe.Get("terminationGracePeriodSeconds");
    if (!grace.is_int()) return;
    errors.Invalid(path.Child("terminationGracePeriodSeconds"), grace.AsInt(), "must not be set for readinessProbes");
  } else if (const int64_t threshold = NumberOf(probe, "successThreshold"); threshold != 1) {
    errors.Invalid(path.Child("successThreshold"), threshold, "must be 1");
  }
}

}  // namespace

void CheckLifecycle(Scope& container, const ContainerSurroundings& surroundings) {
  const FieldPath lifecycle = container.At("lifecycle");
  for (std::string_view hook : {"postStart", "preStop"}) {
    const Value* handler = container.Get("lifecycle").Find(hook);
    if (handler != nullptr) CheckHandler(container.errors, lifecycle.Child(hook), *handler, surroundings);
  }
}

void CheckProbes(Scope& container, const ContainerSurroundings& surroundings) {
  for (std::string_view field : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const Value* probe = container.object.Find(field);
    if (probe == nullptr) continue;
    const FieldPath path = container.At(field);
    CheckProbe(container.errors, path, *probe, surroundings);
    CheckKindOfProbe(container.errors, path, *probe, field == "readinessProbe");
  }
}

}  // namespace resources::core
