// The value of what is selected: statistics, where what is not finite comes from, the inputs, the fields of a tuple.
#include <algorithm>
#include <cmath>

#include "views/models/bad_chain.h"
#include "views/models/list_parts.h"
#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/panels/inspector/inspector_parts.h"
#include "views/panels/values/tensor_page.h"
#include "views/text/short_types.h"

namespace rx::views {
namespace {

QString text(const char* source) { return inspectorText(source); }

/// Largest finite number of a type whose overflow people meet; 0 for the others.
double largestFinite(const QString& dtype) {
  static const std::pair<const char*, double> kLargest[] = {
      {"float16", 65504}, {"bfloat16", 3.3895313892515355e38}, {"float8_e4m3fn", 448}, {"float8_e5m2", 57344}};
  for (const auto& [name, value] : kLargest)
    if (dtype == QLatin1String(name)) return value;
  return 0;
}

QString targetOf(const std::vector<qint64>& index) {
  QStringList parts;
  for (const qint64 i : index) parts += QString::number(i);
  return QStringLiteral("element:") + parts.join(QLatin1Char(','));
}

/// "0 … 1" and what is not finite.
std::vector<InspectionPiece> rangeOf(const ValueSummary& value) {
  if (!value.known) return {{text("no value"), InkRole::Grey}};
  if (!value.isTensor) return {{value.text, InkRole::Number}};
  if (value.unwritten) return {{unwrittenText(), InkRole::Grey}};
  std::vector<InspectionPiece> pieces;
  if (value.finite > 0)
    pieces.push_back({value.min == value.max
                          ? shortNumber(value.min, 4)
                          : QStringLiteral("%1 … %2").arg(shortNumber(value.min, 4), shortNumber(value.max, 4)),
                      InkRole::Number});
  if (value.bad()) pieces.push_back({badText(value), InkRole::Error});
  return pieces;
}

/// Fields of a "R.Tuple(A, B)".
QStringList fieldsOf(const QString& info) {
  constexpr std::string_view kHead = "R.Tuple(";
  const std::string text = info.toStdString();
  if (!text.starts_with(kHead)) return {};
  const ListParts list = listParts(text, kHead.size());
  if (!list.closed) return {};
  QStringList fields;
  for (const auto& [begin, end] : list.parts)
    if (const QString field = QString::fromStdString(text.substr(begin, end - begin)).trimmed(); !field.isEmpty())
      fields << field;
  return fields;
}

/// What each of the buffers got that a call writes.
void addWritten(const Inspector& inspector, InspectionSection* values) {
  for (const int written : inspector.binding->writes) {
    const BindingRow* buffer = inspector.function->binding(written);
    if (!buffer) continue;
    const ValueSummary value = inspector.context.debug->valueOf(inspector.function->name, written);
    std::vector<InspectionPiece> pieces{{buffer->called, InkRole::Code, inspector.bindingTarget(*buffer)}};
    if (value.isTensor) pieces.push_back({value.shape, InkRole::Grey});
    for (InspectionPiece& piece : rangeOf(value)) pieces.push_back(std::move(piece));
    addRow(*values, {}, std::move(pieces));
  }
}

}  // namespace

void addValue(Inspector& inspector, const SelectedValue& selected) {
  const ValueSummary& value = selected.value;
  InspectionSection& values =
      inspector.section(value.step >= 0 ? text("Value made by step %1").arg(value.step) : text("Value"));
  if (!value.known) return addRow(values, {}, {{selected.absent, InkRole::Grey}});
  if (inspector.binding && writesApart(*inspector.binding)) return addWritten(inspector, &values);
  if (!value.isTensor) return addRow(values, {}, {{value.text, InkRole::Number}});
  if (!value.place.isEmpty()) addRow(values, text("lies on"), {{value.place}});
  if (value.unwritten) return addRow(values, {}, {{unwrittenText(), InkRole::Grey}});
  values.part = InspectionSection::Part::Pictures;
  values.link = {text("table"), InkRole::Plain, QStringLiteral("run:view.panel values")};
  if (value.finite > 0) {
    std::vector<InspectionPiece> ends{{shortNumber(value.min), InkRole::Number},
                                      {QStringLiteral("/"), InkRole::Grey},
                                      {shortNumber(value.max), InkRole::Number}};
    if (value.inf > 0) ends.push_back({text("and Inf"), InkRole::Error});
    addRow(values, text("min / max"), std::move(ends));
    addRow(values, value.bad() ? text("mean (finite)") : text("mean"), {{shortNumber(value.mean), InkRole::Number}});
  }
  std::vector<InspectionPiece> bad{{QStringLiteral("%1 / %2").arg(grouped(value.nan), grouped(value.inf)),
                                    value.bad() ? InkRole::Error : InkRole::Number},
                                   {text("of %1").arg(grouped(value.count)), InkRole::Grey}};
  if (!value.firstBad.empty()) {
    bad.push_back({text("first at"), InkRole::Grey});
    bad.push_back({indexText(value.firstBad), InkRole::Number, targetOf(value.firstBad)});
  }
  addRow(values, text("NaN / Inf"), std::move(bad));
  if (const double limit = largestFinite(value.dtype); limit > 0 && value.inf > 0)
    addRow(values, text("dtype limit"), {{text("%1 is the largest %2").arg(shortNumber(limit), value.dtype)}});
}

void addBadChain(Inspector& inspector, const ValueSummary& value) {
  const BadChain found =
      badChain(*inspector.context.debug, *inspector.function, inspector.binding->ordinal, kMostInspected);
  const std::vector<BadLink>& links = found.links;
  InspectionSection chain{value.nan > 0 ? text("Where the NaN comes from") : text("Where the Inf comes from")};
  for (const BadLink& link : links) {
    if (chain.rows.size() == kMostInspected) break;
    addRow(chain, {},
           {{link.name, InkRole::Code, inspector.bindingTarget(link.variable, link.binding)},
            {badText(link.value), InkRole::Error},
            {link.reason, InkRole::Grey}},
           link.kind);
  }
  if (found.count > chain.rows.size())
    addRow(chain, {},
           {{text("and %1 more").arg(grouped(static_cast<qint64>(found.count - chain.rows.size()))), InkRole::Grey}});
  const auto root = std::find_if(links.begin(), links.end(), [](const BadLink& link) { return link.made; });
  if (root != links.end() && root->binding != inspector.binding->ordinal) {
    inspector.result.root = root->name;
    inspector.result.rootTarget = inspector.bindingTarget(root->variable, root->binding);
    chain.part = InspectionSection::Part::Root;
  }
  std::vector<InspectionPiece> largest;
  for (const OperandRow& operand : inspector.binding->operands) {
    const ValueSummary input = inspector.valueOf(operand);
    if (root == links.end() || root->binding != inspector.binding->ordinal) break;
    if (!input.isTensor || input.finite == 0) continue;
    if (!largest.empty()) largest.push_back({QStringLiteral("·"), InkRole::Grey});
    largest.push_back({operand.name, InkRole::Code, inspector.bindingTarget(operand.name)});
    // With its sign, which matters as much to a root or a logarithm as the size does to a power.
    largest.push_back({shortNumber(std::abs(input.min) > std::abs(input.max) ? input.min : input.max)});
  }
  if (!largest.empty()) addRow(chain, text("largest inputs"), std::move(largest));
  inspector.keep(std::move(chain));
}

void addInputs(Inspector& inspector) {
  InspectionSection inputs{text("Inputs")};
  const bool run = inspector.runIsHere();
  for (const OperandRow& operand : inspector.binding->operands) {
    if (operand.name.isEmpty() || operand.kind == OperandRow::Kind::Global) continue;
    // Constants have a section of their own.
    if (operand.kind == OperandRow::Kind::Constant && !inspector.binding->constants.empty()) continue;
    if (inputs.rows.size() == kMostInspected) {
      addRow(inputs, {}, {{text("and more"), InkRole::Grey}});
      break;
    }
    const bool known = operand.kind == OperandRow::Kind::Binding || operand.kind == OperandRow::Kind::Param;
    const ValueSummary value = known ? inspector.valueOf(operand) : ValueSummary();
    std::vector<InspectionPiece> pieces{{operand.name, known ? InkRole::Code : InkRole::Grey,
                                         known ? inspector.bindingTarget(operand.name) : QString()}};
    if (value.isTensor) pieces.push_back({value.shape, InkRole::Grey});
    const BindingRow* maker =
        operand.kind == OperandRow::Kind::Binding ? inspector.function->binding(operand.index) : nullptr;
    if (run && maker && maker->role == FlowRole::Buffer && !value.known) {
      pieces.push_back({unwrittenText(), InkRole::Grey});
    } else if (run && known && !(maker && maker->role == FlowRole::Machine)) {
      for (InspectionPiece& piece : rangeOf(value)) pieces.push_back(std::move(piece));
    }
    addRow(inputs, {}, std::move(pieces));
  }
  inspector.keep(std::move(inputs));
}

void addConstants(Inspector& inspector) {
  InspectionSection section{text("Constants")};
  section.table = true;
  for (const ConstantRow& row : inspector.binding->constants) {
    std::vector<InspectionPiece> cells{{shortType(row.info), InkRole::Code}};
    const qint64 finite = row.looked - row.nan - row.inf;
    if (row.looked == 0 && row.count == 0) {
      cells.push_back({text("its data is not in the text"), InkRole::Grey});
    } else if (finite > 0 && row.min == row.max) {
      cells.push_back(
          {row.count == 1 ? shortNumber(row.min) : text("all %1").arg(shortNumber(row.min)), InkRole::Number});
    } else if (finite > 0) {
      cells.push_back(
          {QStringLiteral("%1 … %2").arg(shortNumber(row.min, 4), shortNumber(row.max, 4)), InkRole::Number});
      cells.push_back({text("mean %1").arg(shortNumber(row.mean, 4)), InkRole::Grey});
    }
    ValueSummary bad;
    bad.nan = row.nan;
    bad.inf = row.inf;
    if (bad.bad()) cells.push_back({badText(bad), InkRole::Error});
    if (row.looked < row.count)
      cells.push_back({text("of a sample of %1 of %2").arg(grouped(row.looked), grouped(row.count)), InkRole::Grey});
    addRow(section, {}, std::move(cells));
  }
  inspector.keep(std::move(section));
}

/// The binding that takes a field of the tuple that is inspected; null where there is none.
const BindingRow* takerOf(const Inspector& inspector, qsizetype field) {
  for (const BindingRow& user : inspector.function->bindings)
    if (user.label == QLatin1String("item") && user.item == field && user.operands.size() == 1 &&
        user.operands[0].name == inspector.result.name)
      return &user;
  return nullptr;
}

/// The fields of a tuple, with the bindings that take them and their values: those of the tuple itself while it is
/// there, also of fields that nobody takes.
void addTuple(Inspector& inspector, const QString& info, const ValueSummary& value) {
  const QStringList fields = fieldsOf(info);
  const bool run = inspector.runIsHere();
  const auto held = run ? static_cast<qsizetype>(value.items.size()) : 0;
  // What a type says nothing about has the items of its value.
  const qsizetype count = std::max(fields.size(), held);
  if (count == 0) return;
  constexpr qsizetype kFolded = 6;
  InspectionSection table{text("Fields of the tuple")};
  table.table = true;
  const bool all = inspector.wish.unfolded.contains(QStringLiteral("tuple"));
  for (qsizetype i = 0; i < count && (all || i < kFolded); ++i) {
    std::vector<InspectionPiece> cells{{QString::number(i), InkRole::Grey}};
    if (i < held || (run && i < value.count)) cells.front().target = QStringLiteral("run:values.item %1").arg(i);
    if (i < fields.size()) cells.push_back({shortType(fields[i]), InkRole::Code});
    const BindingRow* user = takerOf(inspector, i);
    if (user) cells.push_back({user->called, InkRole::Code, inspector.bindingTarget(*user)});
    if (run && (user || i < held)) {
      const ValueSummary field = i < held ? value.items[static_cast<size_t>(i)]
                                          : inspector.context.debug->valueOf(inspector.function->name, user->ordinal);
      std::vector<InspectionPiece> range = rangeOf(field);
      // What is wrong comes first: a narrow panel has room for the one or the other.
      if (range.size() > 1) std::rotate(range.begin(), range.end() - 1, range.end());
      for (InspectionPiece& piece : range) cells.push_back(std::move(piece));
    }
    addRow(table, {}, std::move(cells));
  }
  if (count > kFolded)
    addRow(table, {}, {{all ? text("show fewer") : text("show all %1").arg(count), InkRole::Plain, "fold:tuple"}});
  inspector.keep(std::move(table));
}

}  // namespace rx::views
