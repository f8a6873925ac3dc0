// What the run dialog shows of the arguments: one row a parameter with what it wants and takes, as `rxs run --plan` says
// it, which checks them the way the run does.
#pragma once

#include <functional>

#include "views/models/row_model.h"

namespace rx::views {

struct PlanRow {
  QString parameter;  // empty for an array that no parameter takes
  QString wants;
  QString given;
  QString from;    // name of the array, "@seed", "@zero", or empty
  QString status;  // "fits", "generated", "zero", "missing", "wrong type", "wrong shape", "extra"
  QString why;     // in words, where it does not fit
  QString preview;
  QString role;     // "input", "weight", with a "?" where it is a guess; empty where there is no such choice
  QString roleWhy;  // in words
};

/// The rows and what else the tool said.
struct ArgumentTable {
  std::vector<PlanRow> rows;
  QStringList arrays;    // names that a parameter can take
  QStringList problems;  // why a run would be refused; empty when it would not
  QString error;         // why there are no rows
};
/// Reads the answer of `rxs run --plan`; what is written before its line is left out.
ArgumentTable readPlan(bool ok, const QString& output);
/// "5 parameters: 3 fit, 2 generated".
QString planSummary(const ArgumentTable& table);

/// The table; what a parameter takes is chosen from what the files give, and whether it is an
/// input or a weight.
class PlanModel : public RowModel<PlanRow> {
 public:
  enum : int { kParameter, kRole, kWants, kTakes, kGiven, kStatus };
  explicit PlanModel(QObject* parent);
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  /// Asked when the user chooses another array for a parameter.
  std::function<void(const QString& parameter, const QString& from)> onChoose;
  /// Asked when the user says what a parameter is: "input", "weight", or empty for neither.
  std::function<void(const QString& parameter, const QString& role)> onRole;
};

/// What stands on screen for an array, "@zero" or "@seed".
QString sourceText(const QString& from);

}  // namespace rx::views
