#include "checks.h"

#include <fmt/format.h>

#include <span>

#include "core/analysis/well_formed.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/script/difference.h"
#include "core/script/json.h"
#include "core/script/metadata_read.h"
#include "core/script/parse.h"
#include "core/script/print.h"
#include "core/tensor/tensor_blob.h"

namespace rx::fuzz {

std::string checkDiagnostics(const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  auto inside = [&](Span span) {
    return !span.known() ||
           (span.file < sources.size() && span.begin <= span.end && span.end <= sources[span.file]->text().size());
  };
  for (const Diagnostic& d : diagnostics) {
    if (d.rule.empty() || d.message.empty()) return "a diagnostic without a rule or a message: " + d.rule + d.message;
    if (!inside(d.span))
      return fmt::format("{}: a place {}-{} outside of text {}", d.rule, d.span.begin, d.span.end, d.span.file);
    for (const DiagnosticNote& note : d.notes) {
      if (!inside(note.span)) return d.rule + ": a note with a place outside of the text";
    }
  }
  return {};
}

namespace {

std::string checkUnit(const script::ParsedUnit& unit, const SourceList& sources) {
  if (std::string bad = checkDiagnostics(unit.diagnostics, sources); !bad.empty()) return bad;
  renderDiagnostics(unit.diagnostics, sources);
  if (!unit.module) return hasErrors(unit.diagnostics) ? "" : "a unit is refused without an error";
  std::vector<Diagnostic> findings = analysis::wellFormed(unit.module);
  if (std::string bad = checkDiagnostics(findings, sources); !bad.empty()) return bad;
  renderDiagnostics(findings, sources);
  for (script::Dialect dialect : {script::Dialect::V018, script::Dialect::V025, script::Dialect::V027}) {
    script::PrintOptions options;
    options.dialect = dialect;
    options.wantAnchors = true;
    if (script::printUnit(unit, options).text.empty()) return "a module prints as nothing";
  }
  return {};
}

/// A variable of TIR that is used outside of its scope, or bound twice, has no text that says so, and neither has one
/// of another function, in the type that it has as a value: real TVM refuses such functions when they are read.
bool hasLostVariables(const script::ParsedUnit& unit) {
  for (const Diagnostic& d : analysis::wellFormed(unit.module)) {
    if (d.rule == "tir.undefined-var" || d.rule == "tir.multiple-definition" || d.rule == "relax.undefined-symbol")
      return true;
  }
  bool lost = false;
  auto symbolic = [&](const Node& part) {
    lost |= isa<tir::Var>(&part);
    return !lost;
  };
  auto signatures = [&](const Node& node) {
    const auto* function = as<relax::FuncStructInfo>(&node);
    if (function) walk(*function, Into::All, symbolic);
    return !function && !lost;
  };
  for (const ir::BaseFunc& function : unit.module->functions) {
    const auto* relaxed = as<relax::Function>(function);
    if (relaxed) walk(*relaxed->body, Into::All, signatures);
  }
  return lost;
}

std::string checkPrinted(const script::ParsedUnit& unit) {
  const std::string first = script::printUnit(unit).text;
  Result<script::ParsedUnit> again = script::parseUnit(make<SourceFile>("printed.py", first));
  if (!again) {
    return "the printed text is refused:\n" +
           renderDiagnostics(again.diagnostics(), {make<SourceFile>("printed.py", first)}) + first;
  }
  if (auto difference = script::firstDifference(unit, *again, FreeVars::Map))
    return "the printed text reads differently: " + script::differenceText(*difference) + "\n" + first;
  const std::string second = script::printUnit(*again).text;
  return second == first ? "" : "printing again changes the text:\n" + first + "\n---\n" + second;
}

}  // namespace

std::string checkText(std::string_view text) {
  auto source = make<SourceFile>("fuzz.py", std::string(text));
  const SourceList sources = {source};
  script::ParsedFile file = script::parseSource(source);
  if (std::string bad = checkDiagnostics(file.diagnostics, sources); !bad.empty()) return bad;
  renderDiagnostics(file.diagnostics, sources);
  if (file.units.empty() && !hasErrors(file.diagnostics)) return "nothing is read and nothing is said";
  for (const script::ParsedUnit& unit : file.units) {
    if (std::string bad = checkUnit(unit, sources); !bad.empty()) return bad;
  }
  return {};
}

std::string checkRoundTrip(std::string_view text) {
  script::ParsedFile file = script::parseSource(make<SourceFile>("fuzz.py", std::string(text)));
  for (const script::ParsedUnit& unit : file.units) {
    if (!unit.module) continue;
    if (std::string bad = checkPrinted(unit); !bad.empty() && !hasLostVariables(unit)) return bad;
  }
  return {};
}

std::string checkJson(std::string_view text) {
  Result<ir::Module> module = script::moduleFromJson(text);
  if (!module) return hasErrors(module.diagnostics()) ? "" : "JSON is refused without an error";
  const std::string written = script::moduleToJson(*module);
  Result<ir::Module> again = script::moduleFromJson(written);
  if (!again) return "the written JSON is refused:\n" + renderDiagnostics(again.diagnostics(), {}) + written;
  if (auto difference = firstDifference(*module, *again, FreeVars::Map))
    return "the written JSON reads differently: " + script::differenceText(*difference);
  analysis::wellFormed(*module);
  script::printModule(*module);
  return {};
}

std::string checkMetadata(std::string_view text) {
  auto metadata = script::readMetadata(text);
  if (!metadata && !hasErrors(metadata.diagnostics())) return "metadata is refused without an error";
  if (metadata) {
    for (const auto& [key, values] : *metadata) {
      for (const NodeRef& value : values) {
        if (value) script::printNode(*value);
      }
    }
  }
  ByteReader blob(text);
  const auto tensor = getTensor(blob);
  return (tensor == nullptr) == blob.failed() ? "" : "a tensor is refused without a mark, or given with one";
}

}  // namespace rx::fuzz
