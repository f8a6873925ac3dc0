#include "views/panels/inspector/inspection.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/origin_chain.h"
#include "views/models/selection.h"
#include "views/panels/values/selected_value.h"

namespace rx::views {
namespace {

constexpr size_t kMostRows = 40;

QString text(const char* source) { return QCoreApplication::translate("Inspector", source); }

QString badText(const ValueSummary& value) {
  QStringList parts;
  if (value.nan > 0) parts += grouped(value.nan) + QStringLiteral(" NaN");
  if (value.inf > 0) parts += grouped(value.inf) + QStringLiteral(" Inf");
  return parts.join(QStringLiteral(", "));
}

/// Largest finite number of a type whose overflow people meet; 0 for the others.
double largestFinite(const QString& dtype) {
  static const std::pair<const char*, double> kLargest[] = {
      {"float16", 65504}, {"bfloat16", 3.3895313892515355e38}, {"float8_e4m3fn", 448}, {"float8_e5m2", 57344}};
  for (const auto& [name, value] : kLargest)
    if (dtype == QLatin1String(name)) return value;
  return 0;
}

class Inspector {
 public:
  explicit Inspector(const PanelContext& context) : context_(context), place_(context.selection->place()) {
    stage_ = context.document->lastStage() >= 0 ? context.document->stage(place_.stage, false) : nullptr;
    function_ = functionOf(stage_.get(), place_.function);
    binding_ = bindingOf(function_, place_.binding, place_.variable);
  }

  Inspection run() {
    if (!stage_ || !function_) {
      result_.sections.push_back(
          {{},
           {{{},
             {{text("Select a function or a binding: its structure, value and origin stand here."),
               InkRole::Grey,
               {}}}}}});
    } else if (binding_) {
      inspectBinding();
    } else if (const ParamRow* param = selectedParam()) {
      inspectParam(*param);
    } else {
      inspectFunction();
    }
    return std::move(result_);
  }

 private:
  InspectionSection& section(const QString& title) {
    result_.sections.push_back({title, {}});
    return result_.sections.back();
  }
  static void row(InspectionSection& section, const QString& label, std::vector<InspectionPiece> pieces) {
    section.rows.push_back({label, std::move(pieces)});
  }

  const ParamRow* selectedParam() const {
    auto it = std::find_if(function_->params.begin(), function_->params.end(),
                           [&](const ParamRow& p) { return p.name == place_.variable; });
    return it == function_->params.end() || place_.variable.isEmpty() ? nullptr : &*it;
  }

  QString bindingTarget(const QString& name) const {
    return QStringLiteral("binding:%1:%2").arg(function_->name, name);
  }

  QString whereText() const {
    QStringList parts{function_->name};
    if (binding_->block >= 0 && binding_->block < static_cast<int>(function_->blocks.size())) {
      int dataflow = 0;
      for (int b = 0; b <= binding_->block; ++b) dataflow += function_->blocks[static_cast<size_t>(b)].dataflow;
      if (function_->blocks[static_cast<size_t>(binding_->block)].dataflow) parts += text("dataflow %1").arg(dataflow);
    }
    if (binding_->line > 0) parts += text("line %1").arg(binding_->line);
    return parts.join(QStringLiteral(" · "));
  }

  void inspectBinding() {
    result_.name = binding_->name;
    result_.kind = binding_->dataflowVar ? QStringLiteral("DataflowVar") : QStringLiteral("Var");
    result_.where = whereText();
    InspectionSection& head = section({});
    row(head, {}, {{binding_->info, InkRole::Code, {}}});
    const SelectedValue selected = selectedValue(context_);
    addSymbols(head, selected.value);
    addOperation();
    addValue(selected);
    if (selected.value.bad()) addBadOrigin(selected.value);
    addOrigins();
    addUses(binding_->usedBy);
  }

  void inspectParam(const ParamRow& param) {
    result_.name = param.name;
    result_.kind = text("Parameter");
    result_.where = function_->name;
    InspectionSection& head = section({});
    row(head, {}, {{param.info, InkRole::Code, {}}});
    const SelectedValue selected = selectedValue(context_);
    addSymbols(head, selected.value);
    addValue(selected);
    addUses(param.usedBy);
  }

  void inspectFunction() {
    static const char* const kKinds[] = {"Relax function", "TIR function", "External function", "Relay function"};
    result_.name = function_->name;
    result_.kind = text(kKinds[static_cast<size_t>(function_->kind)]);
    result_.where = function_->headLine > 0 ? text("line %1").arg(function_->headLine) : QString();
    InspectionSection& head = section({});
    if (function_->isPrivate) row(head, {}, {{text("private"), InkRole::Grey, {}}});
    if (!function_->pure && function_->kind == FunctionKind::Relax)
      row(head, {}, {{text("impure: it may do more than compute its result"), InkRole::Warning, {}}});
    if (!function_->result.isEmpty()) row(head, text("returns"), {{function_->result, InkRole::Code, {}}});
    if (function_->kind == FunctionKind::Relax)
      row(head, text("bindings"), {{grouped(static_cast<qint64>(function_->bindings.size())), InkRole::Plain, {}}});
    if (!function_->params.empty()) {
      InspectionSection& params = section(text("Parameters"));
      for (const ParamRow& param : function_->params)
        row(params, param.name, {{param.info, InkRole::Code, bindingTarget(param.name)}});
    }
    addSymbolTable();
    addCallers();
  }

  void addSymbolTable() {
    if (function_->symbols.empty()) return;
    InspectionSection& symbols = section(text("Symbolic variables"));
    const auto values = context_.debug->symbols(function_->name);
    for (const SymbolRow& symbol : function_->symbols) {
      std::vector<InspectionPiece> pieces;
      for (const auto& [name, value] : values)
        if (name == symbol.name && runIsHere())
          pieces.push_back({QStringLiteral("%1 = %2").arg(name, grouped(value)), InkRole::Good, {}});
      pieces.push_back({symbol.boundBy.isEmpty() ? text("bound nowhere") : text("bound by %1").arg(symbol.boundBy),
                        InkRole::Grey,
                        {}});
      row(symbols, symbol.name, std::move(pieces));
    }
  }

  void addCallers() {
    InspectionSection callers{text("Called by"), {}};
    for (const FunctionRow& function : stage_->functions) {
      for (const BindingRow& binding : function.bindings) {
        const bool calls =
            std::any_of(binding.operands.begin(), binding.operands.end(), [&](const OperandRow& operand) {
              return operand.kind == OperandRow::Kind::Global && operand.name == function_->name;
            });
        if (!calls) continue;
        if (callers.rows.size() == kMostRows) {
          row(callers, {}, {{text("and more"), InkRole::Grey, {}}});
          return result_.sections.push_back(std::move(callers));
        }
        row(callers, {},
            {{binding.name, InkRole::Plain, QStringLiteral("binding:%1:%2").arg(function.name, binding.name)},
             {text("%1 line %2").arg(function.name).arg(binding.line), InkRole::Grey, {}}});
      }
    }
    if (!callers.rows.empty()) result_.sections.push_back(std::move(callers));
  }

  bool runIsHere() const { return context_.debug->hasTrace() && context_.debug->config().stage == place_.stage; }

  /// "n = 17 → (17, 17), 578 B"
  void addSymbols(InspectionSection& head, const ValueSummary& value) {
    if (!runIsHere()) return;
    std::vector<InspectionPiece> pieces;
    const QString shape = binding_ ? binding_->shape : selectedParam() ? selectedParam()->shape : QString();
    for (const auto& [name, number] : context_.debug->symbols(function_->name)) {
      const QStringList words = shape.split(QRegularExpression(QStringLiteral("[^A-Za-z0-9_]+")));
      if (words.contains(name))
        pieces.push_back({QStringLiteral("%1 = %2").arg(name, grouped(number)), InkRole::Good, {}});
    }
    if (pieces.empty() || !value.known) return;
    pieces.push_back({QStringLiteral("→ %1, %2").arg(value.shape, bytesText(value.bytes)), InkRole::Plain, {}});
    row(head, {}, std::move(pieces));
  }

  void addOperation() {
    InspectionSection& operation = section(text("Operation"));
    const std::string_view kind = opKindName(binding_->kind);
    std::vector<InspectionPiece> what{
        {binding_->op.isEmpty() ? binding_->label : binding_->op, InkRole::Code, {}},
        {QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())), InkRole::Grey, {}}};
    if (binding_->impure) what.push_back({text("impure"), InkRole::Error, {}});
    row(operation, {}, std::move(what));
    std::vector<InspectionPiece> inputs;
    for (const OperandRow& operand : binding_->operands) {
      if (inputs.size() == kMostRows) break;
      if (operand.name.isEmpty()) continue;
      if (operand.kind == OperandRow::Kind::Global)
        row(operation, text("calls"),
            {{operand.name, InkRole::Code,
              stage_->function(operand.name) ? QStringLiteral("function:") + operand.name : QString()}});
      else if (operand.kind == OperandRow::Kind::Binding || operand.kind == OperandRow::Kind::Param)
        inputs.push_back({operand.name, InkRole::Code, bindingTarget(operand.name)});
      else
        inputs.push_back({operand.name, InkRole::Grey, {}});
    }
    if (!inputs.empty()) row(operation, text("inputs"), std::move(inputs));
  }

  void addValue(const SelectedValue& selected) {
    const ValueSummary& value = selected.value;
    InspectionSection& values = section(value.step >= 0 ? text("Value after step %1").arg(value.step) : text("Value"));
    if (!value.known) return row(values, {}, {{selected.absent, InkRole::Grey, {}}});
    if (!value.isTensor) return row(values, {}, {{value.text, InkRole::Number, {}}});
    if (value.finite > 0) {
      std::vector<InspectionPiece> ends{{shortNumber(value.min), InkRole::Number, {}},
                                        {QStringLiteral("/"), InkRole::Grey, {}},
                                        {shortNumber(value.max), InkRole::Number, {}}};
      if (value.inf > 0) ends.push_back({text("and Inf"), InkRole::Error, {}});
      row(values, text("min / max"), std::move(ends));
      row(values, value.bad() ? text("mean (finite)") : text("mean"), {{shortNumber(value.mean), InkRole::Number, {}}});
    }
    row(values, text("NaN / Inf"),
        {{QStringLiteral("%1 / %2").arg(grouped(value.nan), grouped(value.inf)),
          value.bad() ? InkRole::Error : InkRole::Number,
          {}},
         {text("of %1").arg(grouped(value.count)), InkRole::Grey, {}}});
    if (!value.firstBad.empty()) {
      QStringList index;
      for (qint64 i : value.firstBad) index += QString::number(i);
      row(values, text("first at"),
          {{QStringLiteral("[%1]").arg(index.join(QStringLiteral(", "))), InkRole::Number, {}}});
    }
    if (const double limit = largestFinite(value.dtype); limit > 0 && value.inf > 0)
      row(values, text("dtype limit"),
          {{text("%1 is the largest %2").arg(shortNumber(limit), value.dtype), InkRole::Plain, {}}});
    row(values, text("size"), {{bytesText(value.bytes), InkRole::Number, {}}});
  }

  /// Whether the NaN or Inf was made here or came in.
  void addBadOrigin(const ValueSummary& value) {
    InspectionSection origin{value.inf > 0 ? text("Origin of the Inf") : text("Origin of the NaN"), {}};
    std::vector<InspectionPiece> finite;
    bool all = true, comesIn = false;
    for (const OperandRow& operand : binding_->operands) {
      if (operand.kind != OperandRow::Kind::Binding && operand.kind != OperandRow::Kind::Param) continue;
      const ValueSummary input = operand.kind == OperandRow::Kind::Binding
                                     ? context_.debug->valueOf(function_->name, operand.index)
                                     : context_.debug->valueOfParam(function_->name, operand.name);
      if (!input.known) {
        all = false;
      } else if (input.bad()) {
        comesIn = true;
        row(origin, {},
            {{text("comes in with"), InkRole::Grey, {}},
             {operand.name, InkRole::Code, bindingTarget(operand.name)},
             {badText(input), InkRole::Error, {}}});
      } else if (input.isTensor && input.finite > 0) {
        if (!finite.empty()) finite.push_back({QStringLiteral("·"), InkRole::Grey, {}});
        finite.push_back({operand.name, InkRole::Code, bindingTarget(operand.name)});
        finite.push_back(
            {text("max %1").arg(shortNumber(std::max(std::abs(input.min), std::abs(input.max)))), InkRole::Plain, {}});
      }
    }
    if (!comesIn)
      row(origin, {},
          {{all ? text("made here: the first value that is not finite; all inputs are finite")
                : text("no input that is known has one"),
            InkRole::Plain,
            {}}});
    if (!finite.empty()) row(origin, text("largest inputs"), std::move(finite));
    result_.sections.push_back(std::move(origin));
  }

  /// The way from the imported line, a row a pass that made or changed what computes the value.
  void addOrigins() {
    const OriginChain chain =
        originChain(*context_.document, place_.stage, function_->name, binding_->ordinal, true);
    InspectionSection from{text("From"), {}};
    for (const OriginLink& link : chain.links) {
      if (from.rows.size() == kMostRows) {
        row(from, {}, {{text("and %1 more").arg(chain.links.size() - kMostRows), InkRole::Grey, {}}});
        break;
      }
      const bool here = link.stage == place_.stage;
      const QString target = QStringLiteral("stage:%1:%2:%3:%4")
                                 .arg(QString::number(link.stage), link.function, link.variable)
                                 .arg(link.binding);
      std::vector<InspectionPiece> pieces{{QString::number(link.stage), InkRole::Grey, {}}};
      if (link.stage > 0) pieces.push_back({link.pass, InkRole::Plain, {}});
      pieces.push_back({link.text, InkRole::Code, {}});
      pieces.push_back({text("line %1").arg(link.line), InkRole::Grey, here ? QString() : target});
      if (link.fileLine > 0 && link.fileLine != link.line)
        pieces.push_back(
            {text("%1 line %2").arg(link.file.section(QLatin1Char('/'), -1)).arg(link.fileLine), InkRole::Grey, {}});
      row(from, {}, std::move(pieces));
    }
    if (!chain.complete) row(from, {}, {{text("the stages between are being made"), InkRole::Grey, {}}});
    if (!from.rows.empty()) result_.sections.push_back(std::move(from));
  }

  void addUses(const std::vector<int>& usedBy) {
    InspectionSection& uses = section(text("Used by"));
    for (int ordinal : usedBy) {
      const BindingRow* user = function_->binding(ordinal);
      if (!user) continue;
      if (uses.rows.size() == kMostRows) {
        row(uses, {}, {{text("and %1 more").arg(usedBy.size() - kMostRows), InkRole::Grey, {}}});
        break;
      }
      row(uses, {},
          {{user->name, InkRole::Code, bindingTarget(user->name)},
           {user->label, InkRole::Plain, {}},
           {text("line %1").arg(user->line), InkRole::Grey, {}}});
    }
    for (const OperandRow& operand : function_->results)
      if (operand.name == result_.name) row(uses, {}, {{text("the function's result"), InkRole::Plain, {}}});
    if (uses.rows.empty()) row(uses, {}, {{text("nothing"), InkRole::Grey, {}}});
  }

  const PanelContext& context_;
  const Place place_;
  StageIndexPtr stage_;
  const FunctionRow* function_ = nullptr;
  const BindingRow* binding_ = nullptr;
  Inspection result_;
};

}  // namespace

Inspection inspect(const PanelContext& context) { return Inspector(context).run(); }

QString inspectionText(const Inspection& inspection) {
  QStringList head{inspection.name, inspection.kind, inspection.where};
  head.removeAll(QString());
  QString all = head.isEmpty() ? QString() : head.join(QStringLiteral("  ")) + QLatin1Char('\n');
  for (const InspectionSection& section : inspection.sections) {
    if (!section.title.isEmpty()) all += section.title + QLatin1Char('\n');
    for (const InspectionRow& row : section.rows) {
      QStringList parts;
      if (!row.label.isEmpty()) parts += row.label + QLatin1Char(':');
      for (const InspectionPiece& piece : row.pieces) parts += piece.text;
      all += (section.title.isEmpty() ? QString() : QStringLiteral("  ")) + parts.join(QLatin1Char(' ')) +
             QLatin1Char('\n');
    }
  }
  return all;
}

}  // namespace rx::views
