// Everything about the selected thing, as sections of rows; no widgets.
#pragma once

#include <QString>
#include <vector>

#include "views/panels/panel.h"

namespace rx::views {

enum class InkRole : uint8_t { Plain, Grey, Code, Number, Good, Error, Warning };

/// A piece of a row; with a target it can be followed. Targets: "binding:FUNCTION:NAME", "function:NAME",
/// "stage:N:FUNCTION:NAME:ORDINAL", "command:ID".
struct InspectionPiece {
  QString text;
  InkRole role = InkRole::Plain;
  QString target;
};

struct InspectionRow {
  QString label;  // grey, in the first column; empty: the row is one line
  std::vector<InspectionPiece> pieces;
};

struct InspectionSection {
  QString title;  // empty for the first
  std::vector<InspectionRow> rows;
};

struct Inspection {
  QString name;
  QString kind;   // "DataflowVar", "Parameter", "Function"
  QString where;  // "main · dataflow 1 · line 19"
  std::vector<InspectionSection> sections;
};

/// Empty name: nothing is selected; then the first row of the first section says what could be.
Inspection inspect(const PanelContext& context);
/// As plain text, a row a line.
QString inspectionText(const Inspection& inspection);

}  // namespace rx::views
