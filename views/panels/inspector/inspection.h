// Everything about the selected thing, as sections of rows; no widgets.
#pragma once

#include <QSet>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "views/models/stage_index.h"
#include "views/panels/panel.h"
#include "views/theme/palette.h"

namespace rx::views {

class FilesBeside;
struct FunctionCalls;

enum class InkRole : uint8_t { Plain, Grey, Code, Number, Good, Error, Warning };

/// A piece of a row; with a target it can be followed. Targets: "binding:FUNCTION:NAME[:ORDINAL]", "function:NAME",
/// "stage:N:FUNCTION:NAME:ORDINAL", "element:0,4,0", "fold:KEY", "run:COMMAND ARGUMENT…".
struct InspectionPiece {
  QString text;
  InkRole role = InkRole::Plain;
  QString target = {};
};

struct InspectionRow {
  QString label;  // grey, in the first column; empty: the row is one line
  std::vector<InspectionPiece> pieces;
  std::optional<OpKind> mark = {};  // drawn before the pieces
  const char* icon = nullptr;       // or this one of resources/icons: "check", "cross"
};

/// A bar of a list of counts.
struct InspectionBar {
  QString name;
  qint64 count = 0;
  OpKind kind = OpKind::Other;
  bool operator==(const InspectionBar&) const = default;
};

struct InspectionSection {
  /// What stands below the rows: pictures of the value, the button that leads to the root, bars, a field that filters.
  enum class Part : uint8_t { None, Pictures, Root, Bars, Filter };
  QString title;  // empty for the first
  std::vector<InspectionRow> rows = {};
  Part part = Part::None;
  InspectionPiece link = {};  // beside the title
  std::vector<InspectionBar> bars = {};
  /// Cells instead of rows with labels: the rows' pieces are columns.
  bool table = false;
};

struct Inspection {
  QString name;
  QString kind;   // "DataflowVar", "Parameter", "Function"
  QString where;  // "main · dataflow 1 · line 19"
  std::vector<InspectionSection> sections;
  QString rootTarget;
  QString root;  // the binding that the NaN or Inf comes from; empty where it is the selected one or there is none
  bool waits = false;  // for the calls of the function, which are still being counted
};

/// What the user chose to see: sections that are unfolded, by key, and the text that parameters are filtered by.
struct InspectionWish {
  QSet<QString> unfolded;
  QString filter;
  const FilesBeside* files = nullptr;
  /// The calls of a function of a stage; null while they are counted.
  std::function<std::shared_ptr<const FunctionCalls>(const StageIndexPtr&, const FunctionRow&)> calls;
};

/// Empty name: nothing is selected; then the first row of the first section says what could be.
Inspection inspect(const PanelContext& context, const InspectionWish& wish);
/// As plain text, a row a line.
QString inspectionText(const Inspection& inspection);

}  // namespace rx::views
