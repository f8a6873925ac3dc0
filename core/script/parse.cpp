#include "core/script/parse.h"

#include <optional>

#include "core/script/metadata_read.h"
#include "core/script/outline.h"
#include "core/script/reader.h"
#include "core/script/spelling.h"
#include "core/support/nearest.h"
#include "core/support/stack.h"

namespace rx::script {

std::string_view eraName(Era era) {
  static constexpr std::string_view kNames[] = {"2022 (RFC)", "mid 2022", "late 2022",  "v0.16-v0.22",
                                                "v0.24",      "v0.25",    "v0.26-v0.27"};
  return kNames[static_cast<size_t>(era)];
}

const ParsedUnit* ParsedFile::find(std::string_view name) const {
  const ParsedUnit* found = nullptr;
  for (const ParsedUnit& unit : units) {
    if (name.empty() ? (units.size() == 1 || unit.name == "Module") : unit.name == name) found = &unit;
  }
  return found || !name.empty() || units.empty() ? found : &units.back();
}

namespace {

struct Prepared {
  std::string_view text;
  Outline outline;
  std::vector<Diagnostic> diagnostics;
  bool ok = false;
};

/// Why a text holds nothing to read, at the place that comes nearest to something.
Diagnostic nothingFound(const Prepared& p, uint32_t file) {
  for (const Outline::Decorator& decorator : p.outline.others) {
    Nearest nearest(decorator.path);
    for (const char* known : {"I.ir_module", "tvm.script.ir_module", "ir_module", "R.function", "T.prim_func"})
      nearest.offer(known);
    const std::string fix = nearest.fix("@");
    if (fix.empty()) continue;
    const auto end = decorator.begin + static_cast<uint32_t>(decorator.path.size()) + 1;
    Diagnostic d = errorAt({decorator.begin, end, file}, "script.no-module",
                           "'@" + std::string(decorator.path) + "' announces no module and no function of TVMScript");
    d.fix = fix;
    return d;
  }
  Span place{0, p.text.empty() ? 0u : 1u, file};
  Diagnostic d = p.outline.imports.tileLang
                     ? errorAt(place, "script.tilelang", "this is TileLang, another language with the prefix T")
                     : errorAt(place, "script.no-module", "the text holds no module and no function of TVMScript");
  d.fix = "a module is a class behind @I.ir_module, a function stands behind @R.function or @T.prim_func";
  return d;
}

Prepared prepare(const Ref<SourceFile>& source, const ParseOptions& options) {
  Prepared p;
  p.text = source->text();
  if (p.text.size() >= UINT32_MAX - 16) {
    p.diagnostics.push_back(errorAt({}, "script.size", "the text is larger than 4 GB"));
    return p;
  }
  p.diagnostics = checkEncoding(p.text, options.fileIndex);
  if (!p.diagnostics.empty()) return p;
  p.outline = outlineOf(p.text);
  for (uint32_t head : p.outline.nameless)
    p.diagnostics.push_back(errorAt({head, head + 1, options.fileIndex}, "script.syntax", "expected a name here"));
  if (!p.diagnostics.empty()) return p;
  if (p.outline.units.empty()) {
    p.diagnostics.push_back(nothingFound(p, options.fileIndex));
    return p;
  }
  if (p.outline.skipped) {
    Diagnostic note =
        errorAt({p.outline.firstSkipped, p.outline.firstSkipped + 1, options.fileIndex}, "script.skipped",
                std::to_string(p.outline.skipped) + " statements of other code are skipped, the first one here");
    note.severity = Severity::Note;
    p.diagnostics.push_back(note);
  }
  p.ok = true;
  return p;
}

/// Reading nests natively up to kMaxNesting levels: it gets a stack that is large enough, whatever the caller has.
template <class Body>
auto onOwnStack(Body&& body) -> decltype(body()) {
  // What the deepest text takes in a build without optimisation, doubled. Memory that another thread allocates costs
  // more, so the caller's stack is taken where it is as large.
  constexpr size_t kEnough = 4 << 20;
  if (!stackIsLow(kEnough)) return body();
  std::optional<decltype(body())> value;
  runOnNewStack([&] { value.emplace(body()); });
  return std::move(*value);
}

ParsedUnit readUnit(const Prepared& p, const OutlineUnit& outline, const ParseOptions& options) {
  ParsedUnit unit;
  unit.name = outline.name;
  unit.function = outline.function;
  unit.span = {outline.begin, outline.end, options.fileIndex};
  unit.isModule = outline.kind == OutlineUnit::Kind::Module;
  unit.isPrimFunc = outline.kind == OutlineUnit::Kind::PrimFunc;
  Names names;
  internKeywords(names);
  const Spelling spelling = spellingOf(p.text, outline, p.outline.imports, names);
  EraHints hints;
  hints.era = unit.era = spelling.era;
  hints.statementAllocation = hints.era >= Era::V024;
  hints.scalars = spelling.certain && hints.era >= Era::V025;
  hints.saysSTir = spelling.saysSTir;
  hints.printed = p.outline.imports.printed();
  hints.beforePurity = spelling.beforePurity;
  const Outline::Literal metadata = p.outline.metadataOf(outline);
  std::optional<ValueOrder> order;
  do {
    Reader reader(p.text, options.fileIndex, names, hints, options);
    if (metadata.end)
      reader.useMetadata(p.text.substr(metadata.begin, metadata.end - metadata.begin),
                         {metadata.begin, metadata.end, options.fileIndex});
    reader.useTypeVars(p.outline.typeVars);
    reader.useImports(p.outline.imports);
    if (order) reader.useOrder(std::move(*order));
    NameId name = 0;
    unit.module = unit.isModule ? reader.readModule(outline.begin, outline.end, name)
                                : reader.readFunction(outline.begin, outline.end);
    unit.diagnostics = std::move(reader.diagnostics());
    if (reader.failed()) unit.module = nullptr;
    order = reader.betterOrder();
  } while (order);
  if (!unit.module && !hasErrors(unit.diagnostics)) {
    unit.diagnostics.push_back(errorAt(unit.span, "script.refused", "this could not be read"));
  }
  return unit;
}

ir::Module withSource(const ir::Module& module, const Ref<SourceFile>& source, uint32_t index) {
  SourceList sources(index + 1, source);
  auto* copy = new ir::IRModule(module->entries(), module->attrs, module->globalInfos, std::move(sources));
  copy->facts = module->facts;
  return ir::Module(copy);
}

}  // namespace

ParsedFile parseSource(const Ref<SourceFile>& source, const ParseOptions& options) {
  return onOwnStack([&] {
    ParsedFile file;
    file.source = source;
    Prepared p = prepare(source, options);
    file.diagnostics = std::move(p.diagnostics);
    if (!p.ok) return file;
    for (const OutlineUnit& outline : p.outline.units) {
      file.units.push_back(readUnit(p, outline, options));
      ParsedUnit& unit = file.units.back();
      if (unit.module) unit.module = withSource(unit.module, source, options.fileIndex);
    }
    if (const ParsedUnit* unit = file.find({})) file.era = unit->era;
    return file;
  });
}

Result<ir::Module> parseModule(const Ref<SourceFile>& source, const ParseOptions& options) {
  Result<ParsedUnit> unit = parseUnit(source, options);
  if (!unit) return unit.failure();
  return unit->module;
}

Result<ParsedUnit> parseUnit(const Ref<SourceFile>& source, const ParseOptions& options) {
  return onOwnStack([&]() -> Result<ParsedUnit> {
    Prepared p = prepare(source, options);
    if (!p.ok) return fail(std::move(p.diagnostics));
    const OutlineUnit* chosen = nullptr;
    const auto& units = p.outline.units;
    for (const OutlineUnit& unit : units) {
      if (options.name.empty() ? (units.size() == 1 || unit.name == "Module") : unit.name == options.name)
        chosen = &unit;
    }
    if (!chosen && options.name.empty()) chosen = &units.back();
    if (!chosen) {
      std::string known;
      for (const OutlineUnit& unit : units) known += (known.empty() ? "" : ", ") + std::string(unit.name);
      Diagnostic d = errorAt({0, 1, options.fileIndex}, "script.no-module",
                             "the text holds nothing called '" + options.name + "'");
      d.fix = "it holds " + known;
      return fail(d);
    }
    ParsedUnit unit = readUnit(p, *chosen, options);
    if (!unit.module) return fail(std::move(unit.diagnostics));
    unit.module = withSource(unit.module, source, options.fileIndex);
    return unit;
  });
}

}  // namespace rx::script
