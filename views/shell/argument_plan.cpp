#include "views/shell/argument_plan.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>

#include "views/models/numbers.h"
#include "views/models/value_text.h"

namespace rx::views {
namespace {

CellTone statusTone(const PlanRow& row) {
  struct Tone {
    const char* status;
    CellTone tone;
  };
  static constexpr Tone kTones[] = {{"fits", CellTone::Good},       {"generated", CellTone::Grey},
                                    {"zero", CellTone::Grey},       {"extra", CellTone::Warning},
                                    {"missing", CellTone::Error},   {"wrong type", CellTone::Error},
                                    {"wrong shape", CellTone::Error}};
  for (const Tone& tone : kTones) {
    if (row.status == QLatin1String(tone.status)) return tone.tone;
  }
  return CellTone::Normal;
}

QString whyTip(const PlanRow& row) { return row.why; }
QString roleTip(const PlanRow& row) { return row.roleWhy; }
CellTone roleTone(const PlanRow& row) { return row.role.endsWith('?') ? CellTone::Grey : CellTone::Accent; }

constexpr Column<PlanRow> kColumns[] = {
    {"parameter", [](const PlanRow& r) { return r.parameter.isEmpty() ? QStringLiteral("none") : r.parameter; }},
    {"is", [](const PlanRow& r) { return r.role; }, false, false, roleTone, roleTip},
    {"wants", [](const PlanRow& r) { return r.wants; }, false, true},
    {"takes", [](const PlanRow& r) { return sourceText(r.from); }, false, false,
     [](const PlanRow&) { return CellTone::Accent; }},
    {"given", [](const PlanRow& r) { return r.given; }, false, true},
    {"status", [](const PlanRow& r) { return r.status; }, false, false, statusTone, whyTip},
};

QString text(const QJsonObject& object, const char* key) { return object.value(QLatin1String(key)).toString(); }

/// "(3, 4) f32"
QString typeText(const QJsonArray& shape, const QString& dtype) {
  QStringList dims;
  for (const QJsonValue& dim : shape) dims << QString::number(dim.toInteger());
  return shapeText(dims) + ' ' + shortDtype(dtype);
}

/// Why an array does not fit, from what was checked of each axis.
QString whyOf(const QJsonObject& check) {
  QStringList why;
  const QJsonArray axes = check.value("axes").toArray();
  for (qsizetype i = 0; i < axes.size(); ++i) {
    const QJsonObject axis = axes[i].toObject();
    if (text(axis, "verdict") != "differs") continue;
    const QString by = text(axis, "boundBy");
    why << QStringLiteral("Axis %1 is %2, it has to be %3%4.")
               .arg(i)
               .arg(axis.value("given").toInteger())
               .arg(axis.value("needs").toInteger())
               .arg(by.isEmpty() ? QString() : QStringLiteral(": ") + by + QStringLiteral(" gives it"));
  }
  if (text(check, "verdict") == "dtype")
    why << QStringLiteral("Its elements are %1, they have to be %2.").arg(text(check, "givenDtype"), text(check, "wantsDtype"));
  if (text(check, "verdict") == "rank")
    why << QStringLiteral("It has %1 dimensions.").arg(check.value("given").toArray().size());
  return why.join(' ');
}

/// The word of the table for a verdict of the engine.
QString statusOf(const QString& verdict, const QString& source) {
  if (verdict == "fits") return source == "zero" ? "zero" : source == "seed" ? "generated" : "fits";
  return verdict == "dtype" ? "wrong type" : verdict == "rank" || verdict == "axis" ? "wrong shape" : verdict;
}

PlanRow rowOf(const QJsonObject& check) {
  PlanRow row;
  row.from = text(check, "array");
  row.status = statusOf(text(check, "verdict"), text(check, "source"));
  if (!text(check, "givenDtype").isEmpty()) row.given = typeText(check.value("given").toArray(), text(check, "givenDtype"));
  row.why = whyOf(check);
  if (row.status == "extra") {
    row.from = text(check, "name");
    row.why = QStringLiteral("No parameter takes it.");
    return row;
  }
  row.parameter = text(check, "name");
  const QString wanted = text(check, "wantsDtype");
  row.wants = text(check, "wants") + (wanted.isEmpty() ? QString() : ' ' + shortDtype(wanted));
  return row;
}

}  // namespace

QString sourceText(const QString& from) {
  if (from == "@zero") return QStringLiteral("zeros");
  if (from == "@seed") return QStringLiteral("made from the seed");
  return from.isEmpty() ? QStringLiteral("choose…") : from;
}

ArgumentTable readPlan(bool ok, const QString& output) {
  ArgumentTable table;
  const QStringList lines = output.split('\n', Qt::SkipEmptyParts);
  const auto line = std::find_if(lines.rbegin(), lines.rend(), [](const QString& l) { return l.startsWith('{'); });
  if (!ok || line == lines.rend()) {
    table.error = output.trimmed();
    return table;
  }
  const QJsonObject root = QJsonDocument::fromJson(line->toUtf8()).object();
  QHash<QString, QString> previews;
  for (const QJsonValue& value : root.value("arrays").toArray()) {
    table.arrays << text(value.toObject(), "array");
    previews.insert(table.arrays.last(), text(value.toObject(), "preview"));
  }
  for (const QJsonValue& value : root.value("parameters").toArray()) {
    table.rows.push_back(rowOf(value.toObject()));
    table.rows.back().preview = previews.value(table.rows.back().from);
  }
  for (const QJsonValue& value : root.value("problems").toArray()) table.problems << value.toString();
  return table;
}

QString planSummary(const ArgumentTable& table) {
  QMap<QString, int> counts;
  for (const PlanRow& row : table.rows) ++counts[row.status];
  QStringList parts;
  for (auto it = counts.cbegin(); it != counts.cend(); ++it)
    parts << QStringLiteral("%1 %2").arg(it.value()).arg(it.value() != 1 && it.key() == "fits" ? "fit" : it.key());
  return parts.isEmpty() ? QStringLiteral("The function takes no parameters.") : parts.join(", ") + '.';
}

PlanModel::PlanModel(QObject* parent) : RowModel(kColumns, parent) {}

Qt::ItemFlags PlanModel::flags(const QModelIndex& index) const {
  const PlanRow* found = row(index);
  const bool chosen = found && ((index.column() == kTakes && !found->parameter.isEmpty()) ||
                                (index.column() == kRole && !found->role.isEmpty()));
  return RowModel::flags(index) | (chosen ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
  const PlanRow* found = row(index);
  if (found && role == Qt::EditRole && index.column() == kTakes) return found->from;
  if (found && role == Qt::EditRole && index.column() == kRole) return QString(found->role).remove('?');
  return RowModel::data(index, role);
}

bool PlanModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const PlanRow* found = row(index);
  if (found && role == Qt::EditRole && index.column() == kRole && onRole) {
    onRole(found->parameter, value.toString());
    return true;
  }
  if (!found || role != Qt::EditRole || index.column() != kTakes || !onChoose) return false;
  if (value.toString() != found->from) onChoose(found->parameter, value.toString());
  return true;
}

}  // namespace rx::views
