// Status: how an answer that carries no object looks: every error, and the success of a deletion. Made by handlers and
// by the stages of the pipeline; any thread.
#pragma once

#include <string>

#include "api/error.h"
#include "value/arena.h"
#include "value/value.h"

namespace api {

// The Status object in the order its members have on the wire. The tree borrows the texts of `error`.
value::Value StatusValue(value::Arena& arena, const Error& error);

// The same as JSON, without a final line feed.
std::string StatusJson(const Error& error);

// The Status of a success (`status: Success`, no code) with these details.
std::string SuccessStatusJson(const StatusDetails& details);

}  // namespace api
