// The texts that are made of a Command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/manual/command.h"

namespace rx::manual {

/// A page of section 1, in the language of man(7).
std::string manualPage(const Command& program, std::string_view version);

/// The shells that completions are written for.
std::vector<std::string> shells();

/// What a shell reads to complete the verbs, options and known values of a program; everything else is completed as
/// names of files. Nothing for another shell than those.
std::optional<std::string> completion(const Command& program, std::string_view shell);

}  // namespace rx::manual
