// Diagnostics: what is wrong with an input, as values. Every layer returns them; none throws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/ref.h"
#include "core/support/source.h"

namespace rx {

enum class Severity : uint8_t { Note, Warning, Error };

/// A further place or sentence that explains a diagnostic ("n was bound here").
struct DiagnosticNote {
  std::string message;
  Span span;
};

/// One finding. `rule` is a stable id such as "relax.undefined-var"; `context` says where in the program
/// ("main, block 2, binding lv3"); `fix` is empty or a sentence that says what to write instead.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string rule;
  std::string message;
  Span span = {};
  std::vector<DiagnosticNote> notes = {};
  std::string fix = {};
  std::string context = {};
};

/// The sources that spans index.
using SourceList = std::vector<Ref<SourceFile>>;

Diagnostic errorAt(Span span, std::string rule, std::string message);
Diagnostic warningAt(Span span, std::string rule, std::string message);
bool hasErrors(const std::vector<Diagnostic>& diagnostics);

/// `FILE:LINE:COLUMN: error[RULE]: MESSAGE` (or `error[RULE]: MESSAGE` without a place), the source line with a
/// caret range, then notes and fix. Control characters and escapes of the input are shown escaped.
std::string renderDiagnostic(const Diagnostic& diagnostic, const SourceList& sources);
std::string renderDiagnostics(const std::vector<Diagnostic>& diagnostics, const SourceList& sources);

/// Text from an input made safe for a terminal: controls, ANSI escapes and bidi controls become \xNN or \u{N}.
std::string escapedForDisplay(std::string_view text);

}  // namespace rx
