// How one of several stages is named from outside: by its number from 0, or by its name.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/support/diagnostic.h"

namespace rx::import {

/// The number that a text is, else none.
inline std::optional<size_t> stageNumber(const std::string& stage) {
  const bool digits = !stage.empty() && stage.size() < 7 && stage.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::optional<size_t>(std::stoul(stage)) : std::nullopt;
}

/// That a path holds no such stage; `names` are those that it holds, each with its number.
inline Diagnostic noStage(const std::string& path, const std::string& stage, const std::string& names) {
  Diagnostic d = errorAt({}, "import.stage", fmt::format("{}: there is no stage '{}'", path, stage));
  d.fix = names.empty() ? "the folder holds no texts" : "its stages are " + names;
  return d;
}

}  // namespace rx::import
