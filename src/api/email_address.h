// E-mail addresses as Go's net/mail reads them: what schemas of definitions call the format `email`. More than an
// address passes: one with a name, in comments, or alone in a group. Pure; any thread; linear in the text.
#pragma once

#include <string_view>

namespace api {

// Whether `text`, which is UTF-8, is one mailbox of RFC 5322.
bool IsEmailAddress(std::string_view text);

}  // namespace api
