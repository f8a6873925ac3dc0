// Functions: what they return and weigh, parameters, operators, symbolic variables, callers.
#include <algorithm>

#include "views/models/numbers.h"
#include "views/models/tensor_type.h"
#include "views/models/weights.h"
#include "views/panels/inspector/inspector_parts.h"
#include "views/text/short_types.h"

namespace rx::views {
namespace {

constexpr size_t kFewParams = 12;

QString text(const char* source) { return inspectorText(source); }

/// Elements and bytes; -1 where a size is symbolic.
struct Weight {
  qint64 elements = 0;
  qint64 bytes = 0;
  void add(const Weight& other) {
    const bool known = bytes >= 0 && other.bytes >= 0;
    elements = known ? elements + other.elements : -1;
    bytes = known ? bytes + other.bytes : -1;
  }
};

Weight weightOf(const ParamRow& param) {
  if (param.fields.empty()) {
    const TensorSize size = tensorSize(param.shape, param.dtype);
    return {size.elements, size.bytes};
  }
  Weight all{0, 0};
  for (const FieldRow& field : param.fields) {
    const TensorSize size = tensorSize(field.shape, field.dtype);
    if (size.bytes < 0) return {-1, -1};
    all.elements += size.elements;
    all.bytes += size.bytes;
  }
  return all;
}

QString weightText(const Weight& weight) { return weight.bytes < 0 ? text("symbolic") : bytesText(weight.bytes); }

void addParam(Inspector& inspector, InspectionSection& section, const ParamRow& param) {
  const QString type =
      param.shape.isEmpty() ? shortType(param.info) : param.shape + QLatin1Char(' ') + shortDtype(param.dtype);
  addRow(section, {},
         {{param.name, InkRole::Code, inspector.bindingTarget(param.name)},
          {type, InkRole::Code},
          {weightText(weightOf(param)), InkRole::Number}});
}

/// Parameters by what first uses them: "conv2d 20, 44.7 MB"; few of them one by one, and those that a filter leaves.
void addParams(Inspector& inspector) {
  const FunctionRow& function = *inspector.function;
  if (function.params.empty()) return;
  InspectionSection section{text("Parameters")};
  section.table = true;
  const QString filter = inspector.wish.filter.trimmed();
  const bool few = function.params.size() <= kFewParams;
  if (!few) section.part = InspectionSection::Part::Filter;
  if (few || !filter.isEmpty()) {
    size_t left = 0;
    for (const ParamRow& param : function.params) {
      if (!few && !(param.name + QLatin1Char(' ') + param.info).contains(filter, Qt::CaseInsensitive)) continue;
      if (section.rows.size() < kMostInspected) {
        addParam(inspector, section, param);
      } else {
        ++left;
      }
    }
    if (left > 0) addRow(section, {}, {{text("and %1 more").arg(left), InkRole::Grey}});
    if (section.rows.empty()) addRow(section, {}, {{text("no parameter holds “%1”").arg(filter), InkRole::Grey}});
    return inspector.keep(std::move(section));
  }
  std::vector<std::pair<QString, std::vector<const ParamRow*>>> groups;
  for (const ParamRow& param : function.params) {
    const BindingRow* user = param.usedBy.empty() ? nullptr : function.binding(param.usedBy.front());
    const QString name = user ? text("of %1").arg(user->label) : text("not used");
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == name; });
    (at == groups.end() ? groups.emplace_back(name, std::vector<const ParamRow*>()) : *at).second.push_back(&param);
  }
  for (const auto& [name, params] : groups) {
    if (section.rows.size() >= kMostInspected) break;
    const QString key = QStringLiteral("params ") + name;
    const bool open = inspector.wish.unfolded.contains(key);
    Weight all;
    for (const ParamRow* param : params) all.add(weightOf(*param));
    addRow(section, {},
           {{params.size() == 1 ? params[0]->name + QLatin1Char(' ') + name : name, InkRole::Plain,
             params.size() == 1 ? inspector.bindingTarget(params[0]->name) : QStringLiteral("fold:") + key},
            {grouped(static_cast<qint64>(params.size())), InkRole::Number},
            {weightText(all), InkRole::Number}});
    for (size_t i = 0; open && params.size() > 1 && i < std::min(params.size(), kMostInspected); ++i)
      addParam(inspector, section, *params[i]);
  }
  inspector.keep(std::move(section));
}

/// Which parameters are taken for weights where the text does not say it: the graph and the head of the function show
/// them apart.
void addLikelyWeights(Inspector& inspector, InspectionSection& head) {
  const FunctionRow& function = *inspector.function;
  if (function.numInput >= 0) return;
  QStringList inputs;
  for (size_t p = 0; p < function.params.size(); ++p)
    if (!isWeight(function, static_cast<int>(p))) inputs << function.params[p].name;
  const auto weights = static_cast<qsizetype>(function.params.size()) - inputs.size();
  if (weights == 0) return;
  constexpr qsizetype kMost = 4;
  const QString more = inputs.size() > kMost ? QString(QChar(0x2026)) : QString();
  addRow(
      head, text("inputs"),
      {{inputs.mid(0, kMost).join(QStringLiteral(", ")) + more, InkRole::Code},
       {(weights == 1 ? text("the other one is likely a weight, by its shape: no num_input of the function says it")
                      : text("the other %1 are likely weights, by their shapes: no num_input of the function says it")
                            .arg(grouped(weights))),
        InkRole::Grey}});
}

void addOperators(Inspector& inspector, const FunctionCalls& calls) {
  InspectionSection section{text("Operators")};
  section.part = InspectionSection::Part::Bars;
  section.bars = calls.operators;
  if (section.bars.size() > kMostInspected) section.bars.resize(kMostInspected);
  inspector.keep(std::move(section));
}

void addSymbols(Inspector& inspector) {
  InspectionSection symbols{text("Symbolic variables")};
  const auto values = inspector.context.debug->symbols(inspector.function->name);
  for (const SymbolRow& symbol : inspector.function->symbols) {
    std::vector<InspectionPiece> pieces;
    for (const auto& [name, value] : values)
      if (name == symbol.name && inspector.runIsHere())
        pieces.push_back({QStringLiteral("%1 = %2").arg(name, grouped(value)), InkRole::Good});
    pieces.push_back(
        {symbol.boundBy.isEmpty() ? text("bound nowhere") : text("bound by %1").arg(symbol.boundBy), InkRole::Grey});
    addRow(symbols, symbol.name, std::move(pieces));
  }
  inspector.keep(std::move(symbols));
}

/// The bindings that call the function, of all functions of the stage, with what they give it.
void addCallers(Inspector& inspector, const FunctionCalls& calls) {
  InspectionSection callers{text("Called by")};
  for (const auto& [number, ordinal] : calls.callers) {
    const FunctionRow& function = inspector.stage->functions[static_cast<size_t>(number)];
    const BindingRow& binding = *function.binding(ordinal);
    if (callers.rows.size() == kMostInspected) {
      addRow(callers, {}, {{text("and more"), InkRole::Grey}});
      break;
    }
    QStringList given;
    for (const OperandRow& operand : binding.operands)
      if (operand.kind != OperandRow::Kind::Global && !operand.name.isEmpty()) given += operand.name;
    addRow(callers, {},
           {{binding.called, InkRole::Plain, Inspector::bindingTarget(function, binding.name, binding.ordinal)},
            {QStringLiteral("(%1)").arg(given.join(QStringLiteral(", "))), InkRole::Code},
            {text("%1 line %2").arg(function.name, QString::number(binding.line)), InkRole::Grey}});
  }
  inspector.keep(std::move(callers));
}

}  // namespace

void inspectFunction(Inspector& inspector) {
  const FunctionRow& function = *inspector.function;
  const auto counted = inspector.wish.calls(inspector.stage, function);
  inspector.result.waits = !counted;
  static const FunctionCalls kNone;
  const FunctionCalls& calls = counted ? *counted : kNone;
  inspector.result.name = function.name;
  inspector.result.kind = function.kind == FunctionKind::Extern ? text("External function")
                          : function.kind == FunctionKind::Type ? text("%1 type").arg(function.language)
                                                                : text("%1 function").arg(function.language);
  inspector.result.where = function.headLine > 0 ? text("line %1").arg(function.headLine) : QString();
  InspectionSection& head = inspector.section({});
  if (function.isPrivate) addRow(head, {}, {{text("private"), InkRole::Grey}});
  const bool binds = function.binds();
  if (!function.pure && binds)
    addRow(head, {}, {{text("impure: it may do more than compute its result"), InkRole::Warning}});
  if (!function.result.isEmpty()) addRow(head, text("returns"), {{shortType(function.result), InkRole::Code}});
  if (binds) {
    const auto blocks = std::count_if(function.blocks.begin(), function.blocks.end(),
                                      [](const BlockRow& block) { return block.dataflow; });
    std::vector<InspectionPiece> pieces{{grouped(static_cast<qint64>(function.bindings.size()))}};
    if (blocks > 0)
      pieces.push_back(
          {blocks == 1 ? text("with a dataflow block") : text("with %1 dataflow blocks").arg(blocks), InkRole::Grey});
    addRow(head, text("bindings"), std::move(pieces));
  }
  Weight all;
  qint64 unknown = 0;
  for (const ParamRow& param : function.params) {
    const Weight weight = weightOf(param);
    if (weight.bytes < 0)
      ++unknown;
    else
      all.add(weight);
  }
  if (binds && all.bytes > 0) {
    std::vector<InspectionPiece> pieces{{bytesText(all.bytes), InkRole::Number},
                                        {text("in %1 elements").arg(grouped(all.elements)), InkRole::Grey}};
    if (unknown > 0) pieces.push_back({text("and %1 of unknown size").arg(unknown), InkRole::Grey});
    addRow(head, text("parameters"), std::move(pieces));
  }
  if (binds) addLikelyWeights(inspector, head);
  if (binds) addAllWork(inspector, head, calls);
  addMisfit(inspector);
  if (binds) addPassDeed(inspector);
  if (binds) addPlan(inspector);
  if (binds) addFiles(inspector);
  addParams(inspector);
  addPrimSummary(inspector);
  if (binds) addOperators(inspector, calls);
  addSymbols(inspector);
  addCallers(inspector, calls);
}

}  // namespace rx::views
