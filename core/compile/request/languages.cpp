#include "core/compile/request/languages.h"

#include "core/analysis/well_formed.h"
#include "core/compile/request/passes.h"
#include "core/ir/language.h"
#include "core/lower/visible_faults.h"
#include "core/pass/runner.h"
#include "core/relay/infer.h"
#include "core/relay/text.h"
#include "core/relay/text_scopes.h"
#include "core/relay/well_formed.h"
#include "core/script/difference.h"
#include "core/support/text_names.h"

namespace rx::compile {

namespace {

/// How one language does it. `looksLike` says whether a source is of it.
struct Forms {
  std::string_view language;
  std::string_view ending;
  bool (*looksLike)(const SourceFile& source);
  Result<script::ParsedUnit> (*read)(const Ref<SourceFile>& source, const script::ParseOptions& options);
  script::PrintResult (*print)(const ir::Module& module, const script::PrintOptions& options);
  std::vector<Diagnostic> (*wellFormed)(const ir::Module& module);
  std::string (*difference)(const Difference& difference);
  ir::Module (*typed)(const ir::Module& module, const CancelToken& cancel);
  std::optional<TypeText> (*type)(const relax::StructInfoNode& type);
  ir::TextScopes (*scopes)(const ir::BaseFunc& function, const ir::TextFunction& text);
  std::string_view scopedForm;
};

/// An expression on its own is known by the name of its file alone.
bool isRelay(const SourceFile& source) {
  const std::string_view name = source.name();
  return name.ends_with(kRelayEnding) || name.ends_with(".rly") || relay::looksLikeRelay(source.text());
}

std::string relayDifference(const Difference& difference) {
  auto shown = [](const NodeRef& node, const std::string& plain) {
    return !plain.empty() ? plain : node ? relay::nodeText(node) : std::string("nothing");
  };
  return (difference.path.empty() ? "the whole" : difference.path) +
         ":\n  left:  " + shown(difference.lhs, difference.lhsText) +
         "\n  right: " + shown(difference.rhs, difference.rhsText);
}

Result<script::ParsedUnit> readRelay(const Ref<SourceFile>& source, const script::ParseOptions& options) {
  RX_TRY(read, relay::readText(source, options.cancel));
  script::ParsedUnit unit;
  unit.name = source->name();
  unit.isModule = true;
  unit.era = script::Era::V016;
  unit.module = std::move(read.module);
  unit.diagnostics = std::move(read.diagnostics);
  return unit;
}

script::PrintResult printRelay(const ir::Module& module, const script::PrintOptions& options) {
  return relay::print(module, {options.showMetadata, options.showAnnotations, options.wantAnchors});
}

ir::Module typedRelay(const ir::Module& module, const CancelToken& cancel) {
  const Result<ir::Module> typed = relay::inferTypes(module, cancel, relay::Declare::No);
  return typed ? *typed : module;
}

std::optional<TypeText> relayType(const relax::StructInfoNode& type) {
  if (!isa<relay::TypeNode>(&type)) return std::nullopt;
  TypeText out;
  out.text = relay::typeText(NodeRef(&type));
  const auto* tensor = as<relay::TensorType>(&type);
  out.isTensor = tensor != nullptr;
  if (!tensor) return out;
  out.dtype = tensor->dtype;
  for (const tir::PrimExpr& dim : tensor->shape) out.dims.push_back(dim ? script::printPrimExpr(dim) : "?");
  return out;
}

ir::TextScopes relayScopes(const ir::BaseFunc& function, const ir::TextFunction& text) {
  const auto graph = refAs<relay::Function>(function);
  return graph ? relay::textScopes(graph, text) : ir::TextScopes();
}

script::PrintResult printScript(const ir::Module& module, const script::PrintOptions& options) {
  return script::printModule(module, options);
}

std::vector<Diagnostic> scriptWellFormed(const ir::Module& module) { return analysis::wellFormed(module); }

constexpr Forms kForms[] = {
    {"relay", kRelayEnding, isRelay, readRelay, printRelay, relay::wellFormed, relayDifference, typedRelay, relayType,
     relayScopes, "ToBasicBlockNormalForm()"},
    // TVMScript says itself what it can not read.
    {"relax", kScriptEnding, [](const SourceFile&) { return true; }, script::parseUnit, printScript, scriptWellFormed,
     script::differenceText, [](const ir::Module& module, const CancelToken&) { return module; },
     [](const relax::StructInfoNode&) { return std::optional<TypeText>(); },
     [](const ir::BaseFunc&, const ir::TextFunction&) { return ir::TextScopes(); }, ""},
};

const Forms& formsOf(const ir::Module& module) {
  for (const Forms& forms : kForms) {
    if (forms.language == ir::languageOf(*module).name) return forms;
  }
  return kForms[1];
}

}  // namespace

Result<script::ParsedUnit> readUnit(const Ref<SourceFile>& source, const script::ParseOptions& options) {
  const Forms* forms = kForms;
  while (!forms->looksLike(*source)) ++forms;
  return forms->read(source, options);
}

script::ParsedFile readSource(const Ref<SourceFile>& source, const script::ParseOptions& options) {
  const Forms* forms = kForms;
  while (!forms->looksLike(*source)) ++forms;
  if (forms->read == &script::parseUnit) return script::parseSource(source, options);
  script::ParsedFile file;
  file.source = source;
  Result<script::ParsedUnit> unit = forms->read(source, options);
  if (unit) {
    file.era = unit->era;
    file.units.push_back(std::move(*unit));
  } else {
    file.diagnostics = unit.diagnostics();
  }
  return file;
}

script::PrintResult printUnit(const script::ParsedUnit& unit, const script::PrintOptions& options) {
  const Forms& forms = formsOf(unit.module);
  return forms.print == &printScript ? script::printUnit(unit, options) : forms.print(unit.module, options);
}

std::string differenceText(const Difference& difference, const ir::Module& module) {
  return formsOf(module).difference(difference);
}

std::string_view endingOf(const ir::Module& module) { return formsOf(module).ending; }

script::PrintResult printModule(const ir::Module& module, const script::PrintOptions& options) {
  return formsOf(module).print(module, options);
}

script::PrintResult printAgain(const ir::Module& module, const script::PrintOptions& options,
                               const script::PrintedBefore& before, std::vector<script::PrintedBody>* bodies) {
  const bool canCopy = formsOf(module).print == &printScript;
  return canCopy ? script::printAgain(module, options, before, bodies) : compile::printModule(module, options);
}

std::string moduleText(const ir::Module& module) { return printModule(module).text; }

Result<ir::Module> compiledForm(const ir::Module& module, const CancelToken& cancel) {
  RX_TRY(steps, stepsFor(*module, ""));
  pass::RunOptions run;
  run.context.cancel = cancel;
  run.keepStages = false;
  const pass::History history = pass::runPipeline(module, steps, run);
  if (!history.steps.empty() && history.steps.back().failed()) return fail(history.steps.back().messages);
  return history.stage(history.steps.size());
}

ir::Module typedForm(const ir::Module& module, const CancelToken& cancel) {
  return formsOf(module).typed(module, cancel);
}

std::optional<TypeText> typeText(const relax::StructInfoNode& type) {
  for (const Forms& forms : kForms) {
    if (std::optional<TypeText> text = forms.type(type)) return text;
  }
  return std::nullopt;
}

ir::TextScopes scopesOf(const ir::BaseFunc& function, const ir::TextFunction& text) {
  for (const Forms& forms : kForms) {
    if (forms.language == ir::languageOf(*function).name) return forms.scopes(function, text);
  }
  return {};
}

std::string_view scopedForm(std::string_view language) {
  for (const Forms& forms : kForms) {
    if (forms.language == language) return forms.scopedForm;
  }
  return {};
}

std::vector<Diagnostic> wellFormed(const ir::Module& module) { return formsOf(module).wellFormed(module); }

std::vector<Diagnostic> visibleFaults(const ir::Module& module) {
  std::vector<Diagnostic> all;
  for (const ir::BaseFunc& function : module->functions) {
    const auto kernel = refAs<tir::PrimFunc>(function);
    if (!kernel) continue;
    for (Diagnostic& fault : lower::visibleFaults(kernel)) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace rx::compile
