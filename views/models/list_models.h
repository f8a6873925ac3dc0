// The flat lists of the window as item models: pass history, bytecode, registers, shape heap, call stack, breakpoints,
// problems, log. Each is RowModel with a table of columns.
#pragma once

#include <functional>

#include "views/models/debug_rows.h"
#include "views/models/document.h"
#include "views/models/problem.h"
#include "views/models/row_model.h"

namespace rx::views {

/// The stages of a history. Where it goes through several languages, a row over the first stage of each names it, which
/// stands for no stage and can not be selected.
class PassModel : public RowModel<StepRow> {
 public:
  enum : int { kNumber, kLamp, kName, kChanged, kTime };
  explicit PassModel(QObject* parent = nullptr);
  void setSteps(const std::vector<StepRow>& steps);
  bool isHeading(int row) const;
  int rowOfStage(int stage) const;
  /// -1 for a heading and where there is no such row.
  int stageOfRow(int row) const;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<int> rowOf_;  // by stage
};

class BytecodeModel : public RowModel<InstructionRow> {
 public:
  explicit BytecodeModel(QObject* parent = nullptr);
};

class RegisterModel : public RowModel<RegisterRow> {
 public:
  explicit RegisterModel(QObject* parent = nullptr);
};

/// A slot of the shape heap as a row among the registers.
RegisterRow registerRow(const HeapRow& slot);

class StackModel : public RowModel<FrameRow> {
 public:
  explicit StackModel(QObject* parent = nullptr);
};

/// Its first column is a check box: enabled or not.
class BreakpointModel : public RowModel<BreakpointRow> {
 public:
  explicit BreakpointModel(QObject* parent = nullptr);
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  /// Asked when the user clicks a box; the rows change when the debugger says so.
  std::function<void(int id, bool enabled)> onEnable;
};

class ProblemModel : public RowModel<ProblemRow> {
 public:
  static constexpr int kHelp = 5;  // the column of the button that tells what the rule means
  explicit ProblemModel(QObject* parent = nullptr);
};

/// A symbolic variable of the selected function with its value in the frame that is shown.
struct SymbolLine {
  QString name;
  QString boundBy;
  QString binder;
  int line = 0;
  QString bounds;
  QString used;     // "4 places: x, q, k, gv"
  QString usedTip;  // the uses as they are written, the first ones
  bool hasValue = false;
  qint64 value = 0;
};

/// Reads all uses, of which a long function has many: made once for a function, not for every step.
SymbolLine symbolLine(const SymbolRow& symbol);

class SymbolModel : public RowModel<SymbolLine> {
 public:
  explicit SymbolModel(QObject* parent = nullptr);
};

class LogModel : public RowModel<LogLine> {
 public:
  explicit LogModel(QObject* parent = nullptr);
};

/// "main +9, helper -2, 3 new", or "same"; of many functions the first alone: "main +9, 40 more".
QString changeText(const StepRow& step);
/// The same with all of them.
QString changeTip(const StepRow& step);

}  // namespace rx::views
