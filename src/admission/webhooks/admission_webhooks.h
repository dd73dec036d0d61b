// The plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook: ask the webhooks of the stored configurations.
// Mutating ones are asked one after the other and each sees what those before it made of the object; validating ones
// all at once. Configurations of webhooks and policies are never held against webhooks: nobody can lock themselves out.
//
// Threads: any; while a webhook is waited for, no thread is held. Cost without a configuration: a look at the store.
// What a webhook may do to this server is bounded: exchange/webhook_client.h, admission/webhooks/admission_review.h.
#pragma once

#include <memory>

#include "admission/plugin.h"
#include "admission/plugins.h"
#include "admission/webhooks/webhook_call.h"
#include "admission/webhooks/webhook_metrics.h"
#include "admission/webhooks/webhook_set.h"

namespace admission {

// `document`: the plugin's WebhookAdmissionConfiguration, or null. Null where nothing can be called.
base::Result<std::unique_ptr<const Plugin>> MakeMutatingWebhooks(std::string_view name, const PluginParts& parts,
                                                                 const value::Value& document);
base::Result<std::unique_ptr<const Plugin>> MakeValidatingWebhooks(std::string_view name, const PluginParts& parts,
                                                                   const value::Value& document);

}  // namespace admission
