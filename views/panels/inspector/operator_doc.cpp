// What an operator is, from its row in the operator table of the function's language.
#include "core/compile/request/operator_doc.h"

#include "views/panels/inspector/inspector_parts.h"
#include "views/panels/operator_words.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

void addParameters(InspectionSection& section, const compile::OperatorDoc& doc) {
  for (const OperatorParameter& parameter : operatorParameters(qtText(doc.signature))) {
    std::vector<InspectionPiece> pieces{{parameter.kind, InkRole::Code}};
    if (!parameter.fallback.isEmpty())
      pieces.push_back({inspectorText("default %1").arg(parameter.fallback), InkRole::Grey});
    addRow(section, parameter.name, std::move(pieces));
  }
  if (!doc.fusion.empty()) addRow(section, {}, {{qtText(doc.fusion), InkRole::Grey}});
  if (!doc.pure)
    addRow(section, {}, {{inspectorText("impure: it may do more than compute its result"), InkRole::Warning}});
  if (doc.dataDependent)
    addRow(section, {}, {{inspectorText("the shape of its result depends on values"), InkRole::Grey}});
}

}  // namespace

void addOperatorDoc(Inspector& inspector) {
  // Operators of several languages may have one name and mean different things.
  if (inspector.binding->op.isEmpty()) return;
  const auto doc =
      compile::operatorDoc(inspector.function->language.toStdString(), inspector.binding->op.toStdString());
  if (!doc) return;
  InspectionSection section{inspectorText("Operator %1").arg(qtText(doc->name))};
  const QString key = QStringLiteral("operator");
  const bool open = inspector.wish.unfolded.contains(key);
  if (!doc->doc.empty()) addRow(section, {}, {{qtText(doc->doc)}});
  if (!doc->counterpart.empty())
    addRow(section, inspectorText("translated to"), {{qtText(doc->counterpart), InkRole::Code}});
  if (open) addParameters(section, *doc);
  addRow(section, {},
         {{open ? inspectorText("hide the parameters") : inspectorText("show the parameters"), InkRole::Plain,
           QStringLiteral("fold:") + key}});
  inspector.keep(std::move(section));
}

}  // namespace rx::views
