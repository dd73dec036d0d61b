// How response header fields go onto the wire, for both protocols. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "exchange/exchange.h"

namespace http {

// "audit-id" as "Audit-Id", the form in which Go writes names in HTTP/1.
void AppendCanonicalName(std::string_view lower_name, std::string& out);

// A value can never break the head: control characters become spaces.
void AppendFieldValue(std::string_view value, std::string& out);

// The same fields with values that AppendFieldValue would write unchanged.
exchange::Headers WithCleanValues(exchange::Headers headers);

// Fields that belong to the connection, which the session writes itself.
bool IsFramingField(std::string_view lower_name);

}  // namespace http
