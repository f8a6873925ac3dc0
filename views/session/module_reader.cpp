#include "views/session/module_reader.h"

#include <QDir>
#include <QFileInfo>

#include "core/analysis/well_formed.h"
#include "core/import/phase_dumps.h"
#include "core/ir/origin.h"
#include "core/script/parse.h"
#include "core/support/file.h"

namespace rx::views {
namespace {

constexpr uint64_t kMostText = uint64_t{256} << 20;

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

OpenedModule refused(OpenedModule opened, const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  opened.ok = false;
  opened.problems = problemRows(diagnostics, sources, QStringLiteral("reader"));
  for (const ProblemRow& row : opened.problems) {
    if (row.severity != Severity::Error) continue;
    opened.error = row.line > 0
                       ? QStringLiteral("line %1, column %2: %3").arg(row.line).arg(row.column).arg(row.message)
                       : row.message;
    break;
  }
  if (opened.error.isEmpty()) opened.error = QStringLiteral("the file holds no module");
  return opened;
}

OpenedModule readFolder(OpenedModule opened) {
  opened.folder = opened.path;
  opened.title = QFileInfo(opened.path).fileName();
  opened.isHistory = true;
  opened.dialect = QStringLiteral("folder of stages");
  Result<pass::History> history = import::readHistory(opened.path.toStdString());
  if (!history) return refused(std::move(opened), history.diagnostics(), {});
  opened.history = std::move(*history);
  opened.ok = true;
  opened.verdict = checkModule(opened.history.imported);
  opened.problems = problemRows(opened.verdict, *opened.history.imported->sources, QStringLiteral("check"));
  return opened;
}

}  // namespace

std::vector<Diagnostic> checkModule(const ir::Module& module) { return analysis::wellFormed(module); }

OpenedModule readModule(const QString& path, const QString& moduleName, const CancelToken& cancel) {
  OpenedModule opened;
  opened.path = path;
  const QFileInfo info(path);
  opened.file = path;
  if (info.isDir()) {
    const QDir folder(path);
    opened.file = folder.filePath("module.py");
    if (!QFileInfo::exists(opened.file)) {
      if (import::looksLikeHistory(path.toStdString())) return readFolder(std::move(opened));
      return refused(
          std::move(opened),
          {errorAt({}, "file.folder", "the folder holds neither module.py nor dumped stages (NN_PassName.py)")}, {});
    }
  }
  opened.folder = QFileInfo(opened.file).absolutePath();
  const QString name = QFileInfo(opened.file).fileName();
  opened.title = name == "module.py" ? QFileInfo(opened.folder).fileName() + '/' + name : name;
  Result<std::string> text = readFile(opened.file.toStdString(), kMostText);
  if (!text) return refused(std::move(opened), text.diagnostics(), {});
  const Ref<SourceFile> source = make<SourceFile>(opened.file.toStdString(), std::move(*text));
  opened.sourceText = qt(source->text());
  script::ParseOptions options;
  options.cancel = cancel;
  const script::ParsedFile parsed = script::parseSource(source, options);
  opened.dialect = qt(script::eraName(parsed.era)) + QStringLiteral(" text");
  for (const script::ParsedUnit& unit : parsed.units) opened.moduleNames << qt(unit.name);
  std::vector<Diagnostic> diagnostics = parsed.diagnostics;
  const script::ParsedUnit* unit = parsed.find(moduleName.toStdString());
  if (unit) diagnostics.insert(diagnostics.end(), unit->diagnostics.begin(), unit->diagnostics.end());
  const SourceList sources{source};
  if (!unit || !unit->module) return refused(std::move(opened), diagnostics, sources);
  opened.moduleName = qt(unit->name);
  giveOwnOrigins(*unit->module);
  opened.history.imported = unit->module;
  opened.problems = problemRows(diagnostics, sources, QStringLiteral("reader"));
  opened.verdict = checkModule(unit->module);
  const std::vector<ProblemRow> findings = problemRows(opened.verdict, sources, QStringLiteral("check"));
  opened.problems.insert(opened.problems.end(), findings.begin(), findings.end());
  opened.ok = true;
  return opened;
}

}  // namespace rx::views
