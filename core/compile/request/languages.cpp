#include "core/compile/request/languages.h"

#include <algorithm>

#include "core/analysis/well_formed.h"
#include "core/ir/language.h"
#include "core/relay/passes.h"
#include "core/relay/text.h"
#include "core/script/difference.h"

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
};

/// An expression on its own is known by the name of its file alone.
bool isRelay(const SourceFile& source) {
  const std::string_view name = source.name();
  return name.ends_with(".relay") || name.ends_with(".rly") || relay::looksLikeRelay(source.text());
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
  script::PrintResult out;
  out.text = relay::printText(module, {options.showMetadata, options.showAnnotations});
  return out;
}

script::PrintResult printScript(const ir::Module& module, const script::PrintOptions& options) {
  return script::printModule(module, options);
}

std::vector<Diagnostic> scriptWellFormed(const ir::Module& module) { return analysis::wellFormed(module); }

constexpr Forms kForms[] = {
    {"relay", ".relay", isRelay, readRelay, printRelay, relay::wellFormed, relayDifference},
    // TVMScript says itself what it can not read.
    {"relax", ".py", [](const SourceFile&) { return true; }, script::parseUnit, printScript, scriptWellFormed,
     script::differenceText},
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

script::PrintResult printUnit(const script::ParsedUnit& unit, const script::PrintOptions& options) {
  const Forms& forms = formsOf(unit.module);
  return forms.print == &printScript ? script::printUnit(unit, options) : forms.print(unit.module, options);
}

std::string differenceText(const Difference& difference, const ir::Module& module) {
  return formsOf(module).difference(difference);
}

std::string_view endingOf(const ir::Module& module) { return formsOf(module).ending; }

bool isTextName(std::string_view name) {
  return std::any_of(std::begin(kForms), std::end(kForms),
                     [&](const Forms& row) { return name.ends_with(row.ending); });
}

std::string moduleText(const ir::Module& module) { return formsOf(module).print(module, {}).text; }

std::vector<Diagnostic> wellFormed(const ir::Module& module) { return formsOf(module).wellFormed(module); }

}  // namespace rx::compile
