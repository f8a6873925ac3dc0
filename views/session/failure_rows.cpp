#include "views/session/failure_rows.h"

#include <QFileInfo>
#include <utility>

#include "views/models/numbers.h"
#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

template <class Verdict>
using Words = std::pair<const char*, Verdict>;

constexpr Words<AxisFit::Verdict> kAxisWords[] = {{"open", AxisFit::Verdict::Open},
                                                  {"fits", AxisFit::Verdict::Fits},
                                                  {"binds", AxisFit::Verdict::Binds},
                                                  {"differs", AxisFit::Verdict::Differs}};
constexpr Words<ParameterFit::Verdict> kParameterWords[] = {
    {"fits", ParameterFit::Verdict::Fits}, {"missing", ParameterFit::Verdict::Missing},
    {"extra", ParameterFit::Verdict::Extra}, {"dtype", ParameterFit::Verdict::Type},
    {"rank", ParameterFit::Verdict::Rank}, {"axis", ParameterFit::Verdict::Axis}};

template <class Verdict, size_t count>
Verdict verdictOf(const Words<Verdict> (&words)[count], const std::string& text) {
  for (const auto& [word, verdict] : words)
    if (text == word) return verdict;
  return words[0].second;
}

std::optional<qint64> numberOf(const std::optional<int64_t>& value) {
  return value ? std::optional<qint64>(*value) : std::nullopt;
}

QString fileOf(const std::string& source, const RunConfig& config) {
  if (source == "inputs") return QFileInfo(config.inputsFile).fileName();
  if (source == "params") return QFileInfo(config.paramsFile).fileName();
  return source == "seed" ? QStringLiteral("seed %1").arg(config.seed) : QString();
}

ParameterFit fitOf(const dap::ParameterCheck& check, const RunConfig& config) {
  ParameterFit fit;
  fit.name = qtText(check.name);
  fit.verdict = verdictOf(kParameterWords, check.verdict);
  fit.wants = qtText(check.wants);
  if (!check.wantsDtype.empty()) fit.wants += ' ' + shortDtype(qtText(check.wantsDtype));
  fit.file = fileOf(check.source, config);
  if (!check.givenDtype.empty()) fit.given = givenText(shapeText(check.given), qtText(check.givenDtype), check.bytes);
  for (const dap::AxisCheck& axis : check.axes) {
    fit.axes.push_back({verdictOf(kAxisWords, axis.verdict), qtText(axis.wants), numberOf(axis.needs),
                        numberOf(axis.given), qtText(axis.boundBy)});
  }
  return fit;
}

/// The first thing that does not fit becomes what the sentence speaks of.
void nameFirst(RunFailure* failure) {
  for (const ParameterFit& fit : failure->parameters) {
    const bool whole = fit.verdict == ParameterFit::Verdict::Type || fit.verdict == ParameterFit::Verdict::Rank;
    if (!whole && fit.verdict != ParameterFit::Verdict::Axis) continue;
    failure->parameter = fit.name;
    if (whole) {
      failure->wanted = fit.wants;
      failure->given = fit.given;
      return;
    }
    for (size_t i = 0; i < fit.axes.size(); ++i) {
      const AxisFit& axis = fit.axes[i];
      if (axis.verdict != AxisFit::Verdict::Differs) continue;
      bool number = false;
      axis.wants.toLongLong(&number);
      failure->axis = static_cast<int>(i);
      failure->symbol = number ? QString() : axis.wants;
      failure->boundBy = axis.boundBy;
      failure->wanted = QString::number(axis.needs.value_or(0));
      failure->given = QString::number(axis.given.value_or(0));
      return;
    }
    return;
  }
}

}  // namespace

QString givenText(const QString& shape, const QString& dtype, qint64 bytes) {
  return QStringLiteral("%1 %2, %3").arg(shape, shortDtype(dtype), bytesText(bytes));
}

RunFailure failureOf(RunFailure::When when, const std::vector<Diagnostic>& diagnostics) {
  RunFailure failure;
  failure.when = when;
  if (diagnostics.empty()) return failure;
  const Diagnostic& first = diagnostics.front();
  failure.rule = qtText(first.rule);
  failure.message = qtText(escapedForDisplay(first.message));
  failure.fix = qtText(escapedForDisplay(first.fix));
  for (const DiagnosticNote& note : first.notes) failure.more << qtText(escapedForDisplay(note.message));
  for (size_t i = 1; i < diagnostics.size(); ++i) {
    const Diagnostic& more = diagnostics[i];
    // A note is of another place; what is wrong says by itself where.
    const bool place = more.severity == Severity::Note && !more.context.empty();
    failure.more << qtText(escapedForDisplay(place ? more.message + ": " + more.context : more.message));
  }
  return failure;
}

void addChecks(RunFailure* failure, const std::vector<dap::ParameterCheck>& checks, const RunConfig& config) {
  for (const dap::ParameterCheck& check : checks) failure->parameters.push_back(fitOf(check, config));
  nameFirst(failure);
}

void addMisfit(RunFailure* failure, const dap::MisfitInfo& misfit) {
  failure->parameter = qtText(misfit.parameter);
  failure->axis = static_cast<int>(misfit.axis);
  failure->symbol = qtText(misfit.symbol);
  failure->boundBy = qtText(misfit.boundBy);
  failure->wanted = qtText(misfit.wanted);
  failure->given = qtText(misfit.given);
  if (misfit.what != "rank") return;
  failure->wanted = QStringLiteral("of %1 axes").arg(failure->wanted);
  failure->given = QStringLiteral("of %1").arg(failure->given);
}

}  // namespace rx::views
