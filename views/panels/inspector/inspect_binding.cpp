// Bindings and parameters.
#include <QRegularExpression>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/origin_chain.h"
#include "views/panels/inspector/inspector_parts.h"
#include "views/text/short_types.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

QString text(const char* source) { return inspectorText(source); }

QString whereText(const Inspector& inspector) {
  const FunctionRow& function = *inspector.function;
  const BindingRow& binding = *inspector.binding;
  QStringList parts{function.name};
  if (binding.block >= 0 && binding.block < static_cast<int>(function.blocks.size())) {
    int dataflow = 0;
    for (int b = 0; b <= binding.block; ++b) dataflow += function.blocks[static_cast<size_t>(b)].dataflow;
    if (function.blocks[static_cast<size_t>(binding.block)].dataflow) parts += text("dataflow %1").arg(dataflow);
  }
  if (binding.line > 0) parts += text("line %1").arg(binding.line);
  return parts.join(QStringLiteral(" · "));
}

/// "(4, n, n) f16" with "n = 6" and what it is now: "(4, 6, 6), 288 B".
void addType(Inspector& inspector, const QString& info, const QString& shape, const QString& dtype,
             const ValueSummary& value) {
  InspectionSection& head = inspector.section({});
  std::vector<InspectionPiece> pieces{
      {shape.isEmpty() ? shortType(info) : shape + QLatin1Char(' ') + shortDtype(dtype), InkRole::Code}};
  if (inspector.runIsHere()) {
    static const QRegularExpression kNoName(QStringLiteral("[^A-Za-z0-9_]+"));
    const QStringList words = shape.split(kNoName);
    bool symbolic = false;
    for (const auto& [name, number] : inspector.context.debug->symbols(inspector.function->name)) {
      if (!words.contains(name)) continue;
      symbolic = true;
      pieces.push_back({QStringLiteral("%1 = %2").arg(name, grouped(number)), InkRole::Good});
    }
    if (value.known && value.isTensor)
      pieces.push_back(
          {symbolic ? QStringLiteral("%1, %2").arg(value.shape, bytesText(value.bytes)) : bytesText(value.bytes)});
  }
  addRow(head, {}, std::move(pieces));
}

void addOperation(Inspector& inspector) {
  const BindingRow& binding = *inspector.binding;
  InspectionSection& operation = inspector.section(text("Operation"));
  const std::string_view kind = opKindName(binding.kind);
  std::vector<InspectionPiece> what{{binding.op.isEmpty() ? binding.label : binding.op, InkRole::Code},
                                    {qtText(kind), InkRole::Grey}};
  if (binding.impure) what.push_back({text("impure"), InkRole::Error});
  addRow(operation, {}, std::move(what), binding.kind);
  for (const OperandRow& operand : binding.operands) {
    if (operand.kind != OperandRow::Kind::Global || operand.name.isEmpty()) continue;
    addRow(operation, text("calls"),
           {{operand.name, InkRole::Code,
             inspector.stage->function(operand.name) ? QStringLiteral("function:") + operand.name : QString()}});
  }
  addWork(inspector, operation, binding);
}

/// The layers of the model that the imported bindings of a chain stand in.
QStringList layersOf(Document& document, const OriginChain& chain) {
  QStringList names;
  const StageIndexPtr imported = document.stage(0, false);
  for (const OriginLink& link : chain.links) {
    const FunctionRow* function = imported && link.stage == 0 ? imported->function(link.function) : nullptr;
    const OutlineRow* layer = function ? function->outlineAt(link.binding) : nullptr;
    if (layer && !names.contains(layer->name)) names << layer->name;
  }
  return names;
}

/// The way from the imported line, a row a pass that made or changed what computes the value.
void addOrigins(Inspector& inspector) {
  const OriginChain chain = originChain(*inspector.context.document, inspector.place.stage, inspector.function->name,
                                        inspector.binding->ordinal, true);
  InspectionSection from{text("From")};
  constexpr qsizetype kMostLayers = 4;
  const QStringList layers = layersOf(*inspector.context.document, chain);
  if (!layers.isEmpty())
    addRow(from, text("layer"),
           {{layers.mid(0, kMostLayers).join(QStringLiteral(", ")) +
             (layers.size() > kMostLayers ? QStringLiteral(", …") : QString())}});
  for (const OriginLink& link : chain.links) {
    if (from.rows.size() == kMostInspected) {
      addRow(from, {}, {{text("and %1 more").arg(chain.links.size() - kMostInspected), InkRole::Grey}});
      break;
    }
    const bool here = link.stage == inspector.place.stage;
    const QString target =
        QStringLiteral("stage:%1:%2:%3:%4")
            .arg(QString::number(link.stage), link.function, link.variable, QString::number(link.binding));
    std::vector<InspectionPiece> pieces{{QString::number(link.stage), InkRole::Grey}};
    if (link.stage > 0) pieces.push_back({link.pass});
    pieces.push_back({link.text, InkRole::Code});
    pieces.push_back({text("line %1").arg(link.line), InkRole::Grey, here ? QString() : target});
    if (link.fileLine > 0 && link.fileLine != link.line)
      pieces.push_back({text("%1 line %2").arg(link.file.section(QLatin1Char('/'), -1), QString::number(link.fileLine)),
                        InkRole::Grey});
    addRow(from, {}, std::move(pieces));
  }
  const bool later = !chain.links.empty() && chain.links.back().stage > 0;
  if (later && !inspector.context.document->canRunPasses())
    addRow(from, {}, {{text("matched by name and position: the files do not tell it"), InkRole::Grey}});
  if (!chain.complete) addRow(from, {}, {{text("the stages between are being made"), InkRole::Grey}});
  inspector.keep(std::move(from));
}

/// What a binding gives is in the buffer that it writes, where it binds nothing itself.
const BindingRow& givenBy(const FunctionRow& function, const BindingRow& binding) {
  const bool writes = binding.writes.size() == 1 && binding.shape.isEmpty();
  const BindingRow* buffer = writes ? function.binding(binding.writes.front()) : nullptr;
  return buffer && !buffer->shape.isEmpty() ? *buffer : binding;
}

}  // namespace

void addUses(Inspector& inspector, const std::vector<int>& usedBy) {
  InspectionSection& uses = inspector.section(text("Used by"));
  const int next = inspector.runIsHere() ? inspector.context.debug->stop().nextBinding : -1;
  const bool here = inspector.context.debug->stop().nextFunction == inspector.function->name;
  for (const int ordinal : usedBy) {
    const BindingRow* user = inspector.function->binding(ordinal);
    if (!user) continue;
    if (uses.rows.size() == kMostInspected) {
      addRow(uses, {}, {{text("and %1 more").arg(usedBy.size() - kMostInspected), InkRole::Grey}});
      break;
    }
    std::vector<InspectionPiece> pieces{{user->called, InkRole::Code, inspector.bindingTarget(*user)},
                                        {user->called == user->label ? user->name : user->label},
                                        {text("line %1").arg(user->line), InkRole::Grey}};
    if (here && ordinal == next) pieces.push_back({text("runs next"), InkRole::Grey});
    addRow(uses, {}, std::move(pieces), user->kind);
  }
  for (const OperandRow& operand : inspector.function->results)
    if (operand.name == inspector.result.name) addRow(uses, {}, {{text("the function's result")}});
  if (uses.rows.empty()) addRow(uses, {}, {{text("nothing"), InkRole::Grey}});
}

void inspectBinding(Inspector& inspector) {
  const BindingRow& binding = *inspector.binding;
  const BindingRow& given = givenBy(*inspector.function, binding);
  const SelectedValue selected = selectedValue(inspector.context);
  inspector.result.name = binding.called;
  inspector.result.kind = binding.dataflowVar ? QStringLiteral("DataflowVar") : QStringLiteral("Var");
  inspector.result.where = whereText(inspector);
  inspector.ofRun([&] {
    addType(inspector, given.info, given.shape, given.dtype, selected.value);
    addValue(inspector, selected);
    if (selected.value.bad()) addBadChain(inspector, selected.value);
  });
  addProblems(inspector);
  addMisfit(inspector);
  addOperation(inspector);
  addScope(inspector);
  inspector.ofRun([&] { addInputs(inspector); });
  addConstants(inspector);
  addMemory(inspector);
  addTuple(inspector, binding.info, selected.value);
  addRemarks(inspector);
  addOrigins(inspector);
  addUses(inspector, binding.usedBy);
  addOperatorDoc(inspector);
}

void inspectParam(Inspector& inspector, const ParamRow& param) {
  const SelectedValue selected = selectedValue(inspector.context);
  inspector.result.name = param.name;
  inspector.result.kind = text("Parameter");
  inspector.result.where = inspector.function->name;
  inspector.ofRun([&] {
    addType(inspector, param.info, param.shape, param.dtype, selected.value);
    addValue(inspector, selected);
  });
  addMisfit(inspector);
  addTuple(inspector, param.info, selected.value);
  addUses(inspector, param.usedBy);
}

}  // namespace rx::views
