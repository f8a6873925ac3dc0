#include "views/shell/run_arguments.h"

#include <QFileInfo>
#include <algorithm>

#include "core/compile/request/request.h"
#include "views/models/diagnostic_sentence.h"
#include "views/models/document.h"
#include "views/models/near_texts.h"
#include "views/models/run_outcome.h"
#include "views/models/samples.h"
#include "views/shell/run_budgets.h"

namespace rx::views {
namespace {

const QString kPasses = QStringLiteral("--passes");

struct Key {
  const char* name;
  QString (*set)(RunConfig* config, const QString& value);
};

QString setStop(RunConfig* config, const QString& value) {
  if (value != "entry" && value != "nonfinite" && value != "none")
    return QStringLiteral("stop is entry, nonfinite or none");
  config->stopOnEntry = value == "entry";
  if (value != "entry") config->stopOnNonFinite = value == "nonfinite";  // at the entry the setting stands
  return {};
}

QString setSeed(RunConfig* config, const QString& value) {
  bool ok = false;
  config->seed = value.toUInt(&ok);
  config->seeded = true;
  config->inputsFile.clear();
  return ok ? QString() : QStringLiteral("seed is a number from 0");
}

QString setStage(RunConfig* config, const QString& value) {
  bool ok = false;
  config->stage = value.toInt(&ok);
  return ok && config->stage >= 0 ? QString() : QStringLiteral("stage is a number from 0");
}

QString setTarget(RunConfig* config, const QString& value) {
  config->target = value;
  return targetProblem(value);
}

QString setMode(RunConfig* config, const QString& value) {
  config->mode = value;
  const Result<compile::Mode> mode = compile::modeNamed(value.toStdString());
  return mode ? QString() : sentenceOf(mode.diagnostics().front());
}

QString addFile(RunConfig* config, const QString& value) {
  config->files << value;
  return {};
}

QString addPlugin(RunConfig* config, const QString& value) {
  config->plugins << value;
  return {};
}

QString addChoice(RunConfig* config, const QString& value) {
  config->choices << value;
  return value.contains('=') ? QString() : QStringLiteral("map is PARAMETER=ARRAY, @zero or @seed");
}

QString setExtra(RunConfig* config, const QString& value) {
  config->ignoreExtra = value == "ignore";
  return value == "ignore" || value == "refuse" ? QString() : QStringLiteral("extra is ignore or refuse");
}

constexpr Key kKeys[] = {
    {"inputs", [](RunConfig* config, const QString& value) { return config->inputsFile = value, QString(); }},
    {"params", [](RunConfig* config, const QString& value) { return config->paramsFile = value, QString(); }},
    {"file", addFile},
    {"map", addChoice},
    {"extra", setExtra},
    {"target", setTarget},
    {"mode", setMode},
    {"keep", [](RunConfig* config, const QString& value) { return config->keep = value, QString(); }},
    {"plugin", addPlugin},
    {"seed", setSeed},
    {"stage", setStage},
    {"stop", setStop},
};

/// The symbolic variables of a function as it was imported.
QStringList symbolsOf(Document& document, const QString& function) {
  const StageIndexPtr imported = document.stage(0, false);
  const FunctionRow* row = imported ? imported->function(function) : nullptr;
  QStringList names;
  if (!row) return names;
  for (const SymbolRow& symbol : row->symbols) names << symbol.name;
  return names;
}

/// The budget of that name, in the units of the settings; null when it is none.
const BudgetRow* budgetNamed(const QString& name) {
  for (const BudgetRow& row : budgetRows()) {
    if (name == QString::fromLatin1(row.key).section('/', 1)) return &row;
  }
  return nullptr;
}

QString setBudget(const BudgetRow& row, RunConfig* config, const QString& value) {
  bool ok = false;
  const qint64 number = value.toLongLong(&ok);
  if (!ok || number < 0)
    return QStringLiteral("%1 is a number from 0").arg(QString::fromLatin1(row.key).section('/', 1));
  config->budgets.*row.field = number * row.size;
  return {};
}

QString unknownKey(const QString& name, const QStringList& symbols) {
  constexpr size_t kMostNear = 5;
  QStringList keys = symbols;
  for (const Key& key : kKeys) keys << QString::fromLatin1(key.name);
  for (const BudgetRow& row : budgetRows()) keys << QString::fromLatin1(row.key).section('/', 1);
  const QStringList near = nearTexts(name, keys, kMostNear);
  const QString what = QStringLiteral("%1 is neither an option of a run nor one of its symbols").arg(name);
  return near.isEmpty() ? what + QStringLiteral("; there are: ") + keys.join(QStringLiteral(", "))
                        : what + QStringLiteral("; near it: ") + near.join(QStringLiteral(", "));
}

}  // namespace

RunConfig defaultRun(const Document& document, const QString& function, int stage) {
  RunConfig config;
  config.function = function;
  config.stage = stage;
  config.target = document.target();
  config.paramsFile = fileBeside(document.folder(), "params");
  config.inputsFile = fileBeside(document.folder(), "inputs");
  return config;
}

RunConfig runToRepeat(const Desk& desk, const QString& function) {
  const RunConfig& last = desk.debug.config();
  if (!last.function.isEmpty() && (function.isEmpty() || function == last.function)) return last;
  const FunctionRow* selected = selectedFunction(desk);
  const QString name = !function.isEmpty() ? function : selected ? selected->name : QStringLiteral("main");
  return defaultRun(desk.document, name, 0);
}

QString inputsText(const RunConfig& config) {
  QStringList taken;
  for (const QString& file : QStringList{config.inputsFile, config.paramsFile} + config.files)
    if (!file.isEmpty()) taken << QFileInfo(file).fileName();
  if (config.generates()) taken << QStringLiteral("seed %1").arg(config.seed);
  return (taken + config.symbolValues).join(QStringLiteral(", "));
}

bool couldNotStart(const Desk& desk) {
  const RunFailure* failure = desk.debug.failure();
  return failure && failure->when == RunFailure::When::Start;
}

QString targetProblem(const QString& target) {
  if (target.trimmed().isEmpty()) return {};
  const Result<target::TargetRef> read = target::parseTarget(target.toStdString());
  return read ? QString() : sentenceOf(read.diagnostics().front());
}

QString readRunArguments(Document& document, const QStringList& arguments, RunConfig* config) {
  for (const QString& argument : arguments) {
    const QString name = argument.section('=', 0, 0);
    if (!argument.contains('=')) return QStringLiteral("%1: expected NAME=VALUE").arg(argument);
    const QString value = argument.section('=', 1);
    const auto key =
        std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return name == QLatin1String(k.name); });
    if (const BudgetRow* budget = key == std::end(kKeys) ? budgetNamed(name) : nullptr) {
      if (const QString problem = setBudget(*budget, config, value); !problem.isEmpty()) return problem;
      continue;
    }
    if (key == std::end(kKeys)) {
      bool ok = false;
      value.toLongLong(&ok);
      const QStringList symbols = symbolsOf(document, config->function);
      if (!ok || !symbols.contains(name)) return unknownKey(name, symbols);
      config->symbolValues.append(argument);
      continue;
    }
    if (const QString problem = key->set(config, value); !problem.isEmpty()) return problem;
  }
  return {};
}

PackagePasses packagePasses(Document& document) {
  return document.programArguments().contains(kPasses) ? PackagePasses::AsShown : PackagePasses::Usual;
}

QStringList packageArguments(Document& document, const QString& folder, const QString& params, PackagePasses passes,
                             const QString& tuned) {
  QStringList program = document.programArguments();
  const qsizetype said = program.indexOf(kPasses);
  if (passes == PackagePasses::Usual && said >= 0) program.remove(said, 2);
  if (passes == PackagePasses::AsShown && said < 0) program << kPasses << "default";
  QStringList words = QStringList{"build"} + program + QStringList{"-o", folder, "--verify"};
  if (!params.isEmpty()) words << "--params" << params;
  if (!tuned.isEmpty()) words << "--tuned" << tuned;
  // Of several functions without a main one the first is tried.
  const StageIndexPtr stage = document.stage(0, false);
  if (stage && !stage->function(QStringLiteral("main"))) {
    const auto first = std::find_if(stage->functions.begin(), stage->functions.end(),
                                    [](const FunctionRow& f) { return f.binds() && !f.isPrivate; });
    if (first != stage->functions.end()) words << "--func" << first->name;
  }
  if (const QString inputs = fileBeside(document.folder(), "inputs"); !inputs.isEmpty())
    words << "--inputs" << inputs;
  return words;
}

}  // namespace rx::views
