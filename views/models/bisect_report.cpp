#include "views/models/bisect_report.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <limits>

#include "views/models/numbers.h"
#include "views/models/told_errors.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("BisectReport", source); }

/// A number, or a word that stands for one.
QString numberText(const QJsonValue& value) {
  if (value.isString()) return value.toString();
  return value.isDouble() ? shortNumber(value.toDouble(), 3) : QString();
}

/// A number as JSON has it: infinity is a word there.
double numberOf(const QJsonValue& value) {
  return value.isString() ? std::numeric_limits<double>::infinity() : value.toDouble();
}

std::vector<QString> numberTexts(const QJsonArray& numbers) {
  std::vector<QString> texts;
  for (const QJsonValue& each : numbers) texts.push_back(numberText(each));
  return texts;
}

ComparedValue readValue(const QJsonObject& object) {
  ComparedValue value;
  value.function = object["function"].toString();
  value.binding = object["binding"].toString();
  value.equal = object["equal"].toBool();
  value.within = object["within"].toBool();
  value.absolute = numberText(object["max_absolute"]);
  value.relative = numberText(object["max_relative"]);
  value.scaled = numberOf(object["max_scaled"]);
  value.limit = object["limit"].toDouble();
  value.off = object["off"].toInteger();
  value.count = object["count"].toInteger();
  value.ownAbsolute = numberText(object["own_absolute"]);
  value.cause = object["cause"].toString();
  value.note = object["what"].toString();
  if (const QJsonObject over = object["overwritten"].toObject(); !over.isEmpty()) {
    value.overwritten = {over["binding"].toString(),         over["by"].toString(),
                         over["storage"].toInteger(),        over["offset"].toInteger(),
                         over["bytes"].toInteger(),          over["written"].toInteger(),
                         over["changed"].toInteger(),        over["until"].toInteger(),
                         over["element"].toInteger(),        numberTexts(over["made"].toArray()),
                         numberTexts(over["read"].toArray())};
    value.note = text("%1 is overwritten by %2 before it is read").arg(value.overwritten.binding, value.overwritten.by);
  }
  return value;
}

std::vector<ComparedValue> readValues(const QJsonArray& rows) {
  std::vector<ComparedValue> values;
  for (const QJsonValue& each : rows) values.push_back(readValue(each.toObject()));
  return values;
}

StageOutcome readStage(const QJsonObject& object) {
  return {object["stage"].toInt(),
          object["name"].toString(),
          object["verdict"].toString(),
          object["outcome"].toString(),
          object["run"].toInt(),
          object["milliseconds"].toDouble(),
          readValues(object["bindings"].toArray())};
}

/// Which stage it is, of an answer or of a line that says so.
void readGuilty(const QJsonObject& object, BisectReport* report) {
  const QJsonObject guilty = object["guilty"].toObject();
  report->runs = object["runs"].toInt();
  report->guilty = guilty["stage"].toInt(-1);
  report->outcome = guilty["outcome"].toString();
  report->why = guilty["why"].toString();
}

}  // namespace

bool StageOutcome::isBad() const {
  return verdict == QLatin1String("differs") || verdict == QLatin1String("failed") ||
         verdict == QLatin1String("refused");
}

const ComparedValue* StageOutcome::first() const {
  const auto at = std::find_if(values.begin(), values.end(), [](const ComparedValue& each) { return !each.within; });
  return at == values.end() ? nullptr : &*at;
}

const StageOutcome* BisectReport::stage(int number) const {
  const auto at =
      std::find_if(stages.begin(), stages.end(), [&](const StageOutcome& each) { return each.stage == number; });
  return at == stages.end() ? nullptr : &*at;
}

BisectReport readBisectReport(const QByteArray& output) {
  BisectReport report;
  // Lines of the runs stand before it.
  const qsizetype begin = output.startsWith('{') ? 0 : output.indexOf("\n{") + 1;
  const QJsonObject object = QJsonDocument::fromJson(output.mid(begin)).object();
  if (!object.contains("stages")) {
    report.error = whyNoAnswer(object, output);
    return report;
  }
  report.said = object["said"].toString();
  report.reference = object["reference"].toInt(-1);
  readGuilty(object, &report);
  report.reproducer = object["reproducer"].toString();
  for (const QJsonValue& each : object["stages"].toArray()) report.stages.push_back(readStage(each.toObject()));
  report.total = static_cast<int>(report.stages.size());
  return report;
}

bool addBisectLine(const QByteArray& line, BisectReport* report) {
  const QJsonObject object = QJsonDocument::fromJson(line).object();
  if (!object.contains("of") || !object.contains("stage")) return false;
  StageOutcome stage = readStage(object);
  report->total = object["of"].toInt();
  if (stage.verdict == QLatin1String("reference")) report->reference = stage.stage;
  if (object.contains("guilty")) readGuilty(object, report);
  const auto at = std::lower_bound(report->stages.begin(), report->stages.end(), stage.stage,
                                   [](const StageOutcome& each, int number) { return each.stage < number; });
  if (at != report->stages.end() && at->stage == stage.stage)
    *at = std::move(stage);
  else
    report->stages.insert(at, std::move(stage));
  return true;
}

QString bisectProgressText(const BisectReport& report) {
  const auto last = std::max_element(report.stages.begin(), report.stages.end(),
                                     [](const StageOutcome& a, const StageOutcome& b) { return a.run < b.run; });
  if (last == report.stages.end()) return {};
  return text("%1 of %2 stages looked at; run %3 was of stage %4 %5, %6: %7")
      .arg(report.stages.size())
      .arg(report.total)
      .arg(last->run)
      .arg(last->stage)
      .arg(last->name, durationText(last->milliseconds), last->outcome);
}

QString bisectText(const BisectReport& report) {
  if (!report.error.isEmpty()) return report.error;
  if (!report.said.isEmpty()) return report.said;
  if (report.reference < 0) return text("No stage runs to its end.");
  const StageOutcome* guilty = report.stage(report.guilty);
  if (!guilty) return text("All stages compute what stage %1 does.").arg(report.reference);
  const ComparedValue* first = guilty->first();
  const QString what =
      first && first->off > 0 ? text("%1 is off by up to %2").arg(first->binding, first->absolute) : report.outcome;
  return text("Guilty: %1 %2, found in %3 runs: %4.")
      .arg(QString::number(guilty->stage), guilty->name, QString::number(report.runs), what);
}

QString foundText(const BisectReport& report) {
  double milliseconds = 0;
  int ran = 0;
  for (const StageOutcome& stage : report.stages) {
    ran += stage.run > 0 ? 1 : 0;
    if (stage.run > 0 && stage.run <= report.runs) milliseconds += stage.milliseconds;
  }
  const QString found = text("found in %1 runs, %2").arg(QString::number(report.runs), durationText(milliseconds));
  const int later = ran - report.runs;
  return later > 0 ? text("%1; %2 other stages were run after it").arg(found).arg(later) : found;
}

QString causeText(const ComparedValue& value) {
  if (value.within) return value.equal ? text("equal") : text("within the limit");
  if (value.cause.isEmpty()) return value.note.isEmpty() ? text("differs") : value.note;
  const QString cause = value.cause == QLatin1String("own")         ? text("own")
                        : value.cause == QLatin1String("inherited") ? text("inherited")
                                                                    : text("own or inherited, nobody knows");
  return value.note.isEmpty() ? cause : cause + QStringLiteral(": ") + value.note;
}

}  // namespace rx::views
