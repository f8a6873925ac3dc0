#include "checks.h"
#include "core/ir/structural_equal.h"
#include "core/relay/text.h"
#include "core/relay/well_formed.h"

namespace rx::fuzz {

namespace {

std::string checkPrinted(const ir::Module& module) {
  const std::string first = relay::printText(module);
  const auto source = make<SourceFile>("printed.relay", first);
  const Result<relay::ReadText> again = relay::readText(source);
  if (!again) return "the printed text is refused:\n" + renderDiagnostics(again.diagnostics(), {source}) + first;
  if (!structuralEqual(module, again->module, FreeVars::Map)) return "the printed text reads differently:\n" + first;
  const std::string second = relay::printText(again->module);
  return second == first ? "" : "printing again changes the text:\n" + first + "\n---\n" + second;
}

}  // namespace

std::string checkRelay(std::string_view text) {
  const auto source = make<SourceFile>("fuzz.relay", std::string(text));
  const Result<relay::ReadText> read = relay::readText(source);
  const SourceList sources = read ? *read->module->sources : SourceList{source};
  const std::vector<Diagnostic>& said = read ? read->diagnostics : read.diagnostics();
  if (std::string bad = checkDiagnostics(said, sources); !bad.empty()) return bad;
  renderDiagnostics(said, sources);
  if (!read) return hasErrors(said) ? "" : "a text is refused without an error";
  const std::vector<Diagnostic> findings = relay::wellFormed(read->module);
  if (std::string bad = checkDiagnostics(findings, sources); !bad.empty()) return bad;
  renderDiagnostics(findings, sources);
  relay::TextOptions anchored;
  anchored.wantAnchors = true;
  relay::print(read->module, anchored);
  // What is not well typed says by its types which numbers name constructors, and has none.
  return findings.empty() ? checkPrinted(read->module) : "";
}

}  // namespace rx::fuzz
