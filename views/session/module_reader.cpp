#include "views/session/module_reader.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "core/compile/request/languages.h"
#include "core/import/match_origins.h"
#include "core/ir/language.h"
#include "core/ir/origin.h"
#include "core/script/parse.h"
#include "core/support/file.h"
#include "core/support/text_names.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

constexpr uint64_t kMostText = uint64_t{256} << 20;

OpenedModule refused(OpenedModule opened, const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  opened.ok = false;
  opened.problems = problemRows(diagnostics, sources, QStringLiteral("reader"));
  opened.error = firstError(opened.problems);
  return opened;
}

OpenedModule readHistory(OpenedModule opened, const CancelToken& cancel) {
  const QFileInfo info(opened.path);
  opened.file.clear();
  opened.folder = info.isDir() ? opened.path : info.absolutePath();
  opened.title = info.fileName();
  opened.isHistory = true;
  opened.stamps = stampsOf(opened.path);
  opened.dialect = info.isDir() ? QStringLiteral("folder of stages") : QStringLiteral("log of stages");
  Result<std::vector<import::DumpedStage>> stages = import::readStages(opened.path.toStdString(), cancel);
  if (!stages) return refused(std::move(opened), stages.diagnostics(), {});
  opened.stages = std::move(*stages);
  import::matchOrigins(opened.stages);
  for (size_t i = 0; i < opened.stages.size(); ++i) {
    const import::DumpedStage& stage = opened.stages[i];
    if (!opened.imported && stage.module) {
      opened.imported = stage.module;
      opened.file = qtText(stage.file);
      opened.sourceText = qtText(stage.source->text());
    }
    const std::vector<ProblemRow> said =
        problemRows(stage.diagnostics, {stage.source}, QStringLiteral("reader"), static_cast<int>(i));
    opened.problems.insert(opened.problems.end(), said.begin(), said.end());
  }
  opened.ok = opened.imported != nullptr;
  if (opened.ok) return opened;
  const auto first = std::find_if(opened.stages.begin(), opened.stages.end(),
                                  [](const import::DumpedStage& stage) { return stage.source != nullptr; });
  if (first != opened.stages.end()) {
    opened.file = qtText(first->file);
    opened.sourceText = qtText(first->source->text());
  }
  opened.error = QStringLiteral("none of the %1 stages can be read: %2")
                     .arg(opened.stages.size())
                     .arg(firstError(opened.problems));
  return opened;
}

}  // namespace

QString firstError(const std::vector<ProblemRow>& problems) {
  for (const ProblemRow& row : problems) {
    if (row.severity != Severity::Error) continue;
    return row.line > 0 ? QStringLiteral("line %1, column %2: %3").arg(row.line).arg(row.column).arg(row.message)
                        : row.message;
  }
  return QStringLiteral("the file holds no module");
}

std::vector<Diagnostic> checkModule(const ir::Module& module) { return compile::wellFormed(module); }

OpenedModule readModule(const QString& path, const QString& moduleName, const CancelToken& cancel,
                        const std::optional<QString>& instead) {
  OpenedModule opened;
  opened.path = path;
  const QFileInfo info(path);
  opened.file = path;
  if (info.isDir()) {
    const std::optional<std::string> module = moduleIn(path.toStdString());
    if (module) opened.file = qtText(*module);
    if (!module) {
      if (import::looksLikeHistory(path.toStdString())) return readHistory(std::move(opened), cancel);
      return refused(std::move(opened),
                     {errorAt({}, "file.folder",
                              "the folder holds neither a module (module.*) nor dumped stages (NN_PassName.py)")},
                     {});
    }
  }
  if (!info.isDir() && !instead && moduleName.isEmpty() && import::looksLikeHistory(path.toStdString()))
    return readHistory(std::move(opened), cancel);
  opened.folder = QFileInfo(opened.file).absolutePath();
  opened.stamps = stampsOf(opened.file);
  const QString name = QFileInfo(opened.file).fileName();
  opened.title = name.startsWith("module.") ? QFileInfo(opened.folder).fileName() + '/' + name : name;
  Result<std::string> text =
      instead ? Result<std::string>(instead->toStdString()) : readFile(opened.file.toStdString(), kMostText);
  if (!text) return refused(std::move(opened), text.diagnostics(), {});
  const Ref<SourceFile> source = make<SourceFile>(opened.file.toStdString(), std::move(*text));
  opened.sourceText = qtText(source->text());
  script::ParseOptions options;
  options.cancel = cancel;
  const script::ParsedFile parsed = compile::readSource(source, options);
  for (const script::ParsedUnit& unit : parsed.units) opened.moduleNames << qtText(unit.name);
  std::vector<Diagnostic> diagnostics = parsed.diagnostics;
  const script::ParsedUnit* unit = parsed.find(moduleName.toStdString());
  const ir::Language* own = unit && unit->module ? &ir::languageOf(*unit->module) : nullptr;
  const bool script = !own || !own->value;
  opened.dialect =
      qtText(script ? script::eraName(unit ? unit->era : parsed.era) : own->title) + QStringLiteral(" text");
  if (unit) diagnostics.insert(diagnostics.end(), unit->diagnostics.begin(), unit->diagnostics.end());
  const SourceList sources{source};
  if (!unit || !unit->module) return refused(std::move(opened), diagnostics, sources);
  opened.moduleName = qtText(unit->name);
  giveOwnOrigins(*unit->module);
  opened.imported = unit->module;
  opened.problems = problemRows(diagnostics, sources, QStringLiteral("reader"));
  opened.verdict = checkModule(unit->module);
  const std::vector<ProblemRow> findings = problemRows(opened.verdict, sources, QStringLiteral("check"));
  opened.problems.insert(opened.problems.end(), findings.begin(), findings.end());
  opened.ok = true;
  return opened;
}

}  // namespace rx::views
