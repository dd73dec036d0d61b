// What jobs must keep, and cron jobs of the jobs they make. Each is a ScopeCheck over the object that its comment
// names. Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::batch {

// Over a JobSpec: all but its selector, which a cron job's jobs get when they are made (job_spec.cc).
void CheckJobSpec(Scope& spec);
// Over a JobSpec: podFailurePolicy, where it is there (job_policies.cc).
void CheckPodFailurePolicy(Scope& spec);
// Over a JobSpec: successPolicy, where it is there (job_policies.cc).
void CheckSuccessPolicy(Scope& spec);

// Over a Job whose status was updated: the status and how it changed (job_status.cc).
void CheckJobStatus(Scope& job);

// Warns of a JobSpec that is hard to keep up with; `path` is where it stands ("spec").
void WarnOfJobSpec(registry::WriteContext& context, std::string_view path, const Value& spec);

}  // namespace resources::batch
