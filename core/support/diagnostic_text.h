// The text of a diagnostic, whether its places are spans of sources or what another process said of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"

namespace rx {

/// What is written of a diagnostic, as it is: `text` escapes what must not reach a terminal.
struct DiagnosticText {
  struct Note {
    std::string place, message, lines;
  };
  std::string place = {};  ///< of placeText; empty: not known
  std::string_view severity, rule, message;
  std::string lines = {};  ///< of the source, with what marks the place in them; escaped, each ended
  std::string_view context = {}, fix = {};
  std::vector<Note> notes = {};

  std::string text() const;
};

/// "note", "warning" or "error".
const char* severityName(Severity severity);

/// "file:line:column: ", escaped.
std::string placeText(std::string_view file, int64_t line, int64_t column);

}  // namespace rx
