// What an operator is, from its row in the operator table.
#include "core/op/op_table.h"
#include "views/panels/inspector/inspector_parts.h"
#include "views/panels/operator_words.h"
#include "views/theme/qt_text.h"

namespace rx::views {

void addOperatorDoc(Inspector& inspector) {
  // Operators of other languages may have names of Relax and mean something else.
  const bool known = inspector.function->kind == FunctionKind::Relax && !inspector.binding->op.isEmpty();
  const op::OpRow* row = known ? op::findOp(inspector.binding->op.toStdString()) : nullptr;
  if (!row) return;
  const auto qt = [](std::string_view text) { return qtText(text); };
  InspectionSection doc{inspectorText("Operator %1").arg(qt(row->name()))};
  const QString key = QStringLiteral("operator");
  const bool open = inspector.wish.unfolded.contains(key);
  addRow(doc, {}, {{qt(row->spec.doc)}});
  if (open)
    for (const OperatorParameter& parameter : operatorParameters(qt(row->spec.signature))) {
      std::vector<InspectionPiece> pieces{{parameter.kind, InkRole::Code}};
      if (!parameter.fallback.isEmpty())
        pieces.push_back({inspectorText("default %1").arg(parameter.fallback), InkRole::Grey});
      addRow(doc, parameter.name, std::move(pieces));
    }
  if (open && !row->pure())
    addRow(doc, {}, {{inspectorText("impure: it may do more than compute its result"), InkRole::Warning}});
  if (open && row->has(op::kDataDependent))
    addRow(doc, {}, {{inspectorText("the shape of its result depends on values"), InkRole::Grey}});
  addRow(doc, {},
         {{open ? inspectorText("hide the parameters") : inspectorText("show the parameters"), InkRole::Plain,
           QStringLiteral("fold:") + key}});
  inspector.keep(std::move(doc));
}

}  // namespace rx::views
