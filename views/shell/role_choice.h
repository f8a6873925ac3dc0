// The choice of the run dialog what each parameter is: an input, which every call brings, or a weight.
#pragma once

#include <QLabel>
#include <QObject>

#include "views/shell/argument_plan.h"
#include "views/shell/desk.h"

class QAbstractItemView;

namespace rx::views {

/// Fills the column "is" of the table, and hands on to the document what is chosen there. The engine takes it as any
/// other number of inputs: `rxs --num-input`.
class RoleChoice : public QObject {
  Q_OBJECT

 public:
  RoleChoice(Desk& desk, QAbstractItemView* table, PlanModel* model, QWidget* parent);
  /// Says of the rows what the parameters of the function are.
  void show(const QString& function);
  /// Makes a weight of the current row's parameter that is an input, and the other way round.
  void turn();
  /// Why the last choice can not be, or who says what the parameters are.
  QLabel* says() const { return says_; }

 Q_SIGNALS:
  /// What is asked of the engine is another question now.
  void changed();

 private:
  void choose(const QString& parameter, const QString& role);
  const FunctionRow* row() const;
  bool chosen() const;
  void say(const QString& text, bool refused);
  void describe();

  Desk& desk_;
  QAbstractItemView* table_;
  PlanModel* model_;
  QLabel* says_;
  QString function_;
  StageIndexPtr stage_;
};

/// Tells the document what is kept of the open module; who is refused is answered in a sentence.
QString bringBackInputs(Desk& desk);
/// Says how many inputs a function has (none below 0) and keeps it with the module.
QString sayInputs(Desk& desk, const QString& function, int count);

}  // namespace rx::views
