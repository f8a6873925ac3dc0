#include "views/models/run_comparison.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <utility>

#include "views/models/numbers.h"
#include "views/models/told_errors.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("RunComparison", source); }

/// What is said of a difference by where it comes from; %1 is the other target.
struct CauseWords {
  Severity severity;
  const char* rule;
  const char* says;
  const char* brief;
};
constexpr CauseWords kCauses[] = {
    {Severity::Error, "against.own",
     QT_TRANSLATE_NOOP("RunComparison", "its own difference: of the same inputs %1 makes another value"),
     QT_TRANSLATE_NOOP("RunComparison", "own difference")},
    {Severity::Note, "against.inherited",
     QT_TRANSLATE_NOOP("RunComparison", "inherited difference: of the same inputs %1 makes the same value"),
     QT_TRANSLATE_NOOP("RunComparison", "inherited")},
    {Severity::Warning, "against.unknown",
     QT_TRANSLATE_NOOP("RunComparison",
                       "own or inherited, nobody knows: what is before it is not the same on %1 in every bit"),
     QT_TRANSLATE_NOOP("RunComparison", "difference")},
};

const CauseWords& wordsOf(RunComparison::Cause cause) { return kCauses[static_cast<size_t>(cause)]; }

RunComparison::Difference readDifference(const QJsonObject& object, RunComparison::Cause cause) {
  return {object["function"].toString(), object["binding"].toString(), object["callee"].toString(),
          object["what"].toString(), cause};
}

}  // namespace

const RunComparison::Difference* RunComparison::first() const {
  return differences.empty() || differences.back().cause == Cause::Inherited ? nullptr : &differences.back();
}

RunComparison readRunComparison(const QByteArray& json) {
  RunComparison compared;
  // A warning of the system may stand before it.
  const qsizetype begin = json.startsWith('{') ? 0 : json.indexOf("\n{") + 1;
  const QJsonObject object = QJsonDocument::fromJson(json.mid(begin)).object();
  if (!object.contains("agree")) {
    compared.error = whyNoAnswer(object, json);
    return compared;
  }
  compared.agree = object["agree"].toInteger();
  compared.most = object["most"].toDouble();
  for (const QJsonValue& each : object["in_one_run"].toArray()) compared.absent << each.toString();
  for (const QJsonValue& each : object["inherited"].toArray())
    compared.differences.push_back(readDifference(each.toObject(), RunComparison::Cause::Inherited));
  if (const QJsonObject first = object["first"].toObject(); !first.isEmpty())
    compared.differences.push_back(
        readDifference(first, first["own"].toBool() ? RunComparison::Cause::Own : RunComparison::Cause::Unknown));
  return compared;
}

QString runComparisonText(const RunComparison& compared, const QString& other) {
  if (!compared.error.isEmpty()) return compared.error;
  const RunComparison::Difference* first = compared.first();
  const auto inherited = static_cast<int>(compared.differences.size()) - (first ? 1 : 0);
  QString said = first ? text(
                             "%1 of %2 is the first value that %3 does not make as this run does, %4. %5 before it "
                             "are the same")
                             .arg(first->binding, first->function, other, first->what)
                             .arg(compared.agree)
                       : text("%1 values are the same on %2").arg(compared.agree).arg(other);
  if (!first)
    said += compared.most > 0 ? text(", within %1 of 1 + |value|").arg(shortNumber(compared.most, 2))
                              : text(", bit for bit");
  if (inherited > 0) said += text("; %1 differ only because their inputs do").arg(inherited);
  if (!compared.absent.isEmpty())
    said += text("; in one of the runs alone: %1").arg(compared.absent.join(QStringLiteral(", ")));
  return said + '.';
}

std::vector<ProblemRow> runComparisonProblems(const RunComparison& compared, const QString& other,
                                              const QString& source) {
  std::vector<ProblemRow> rows;
  std::map<std::pair<QString, RunComparison::Cause>, size_t> known;  // a loop makes the value of a binding many times
  std::vector<int> times;
  for (const RunComparison::Difference& each : compared.differences) {
    const QString context = each.function + QStringLiteral(", binding ") + each.binding;
    const auto [at, isNew] = known.try_emplace({context, each.cause}, rows.size());
    if (!isNew) {
      ++times[at->second];
      continue;
    }
    const CauseWords& words = wordsOf(each.cause);
    ProblemRow row;
    row.severity = words.severity;
    row.rule = QString::fromLatin1(words.rule);
    row.message = text(words.says).arg(other) + text("; here and on %1: %2").arg(other, each.what);
    if (!each.callee.isEmpty()) row.notes.push_back(text("it is given by %1").arg(each.callee));
    row.context = context;
    row.source = source;
    rows.push_back(std::move(row));
    times.push_back(1);
  }
  for (size_t i = 0; i < rows.size(); ++i)
    if (times[i] > 1) rows[i].notes.push_back(text("so are %1 of its values; this is the first").arg(times[i]));
  return rows;
}

std::optional<RunComparison::Cause> causeOf(const ProblemRow& problem) {
  const auto* words =
      std::ranges::find_if(kCauses, [&](const CauseWords& row) { return problem.rule == QLatin1String(row.rule); });
  if (words == std::end(kCauses)) return std::nullopt;
  return static_cast<RunComparison::Cause>(words - std::begin(kCauses));
}

ComparedBindings comparedIn(const std::vector<ProblemRow>& problems, const QString& function, int stage) {
  ComparedBindings found;
  for (const ProblemRow& problem : problems) {
    if (problem.stage != stage) continue;
    const auto cause = causeOf(problem);
    if (!cause) continue;
    const ProblemPlace place = problemPlace(problem, nullptr);
    if (place.function != function) continue;
    const auto [at, isNew] = found.try_emplace(place.variable, *cause);
    if (!isNew && cause == RunComparison::Cause::Own) at->second = *cause;
  }
  return found;
}

QString causeText(RunComparison::Cause cause) { return text(wordsOf(cause).brief); }

}  // namespace rx::views
