#include "views/session/engine_rows.h"

#include <cmath>

#include "views/models/diagnostic_sentence.h"
#include "views/models/value_text.h"
#include "views/session/tensor_rows.h"

namespace rx::views {
namespace {

const QString kBuiltinPrefix = QStringLiteral("vm.builtin.");  // every reader knows it, and a line is short

}  // namespace

QString shapeText(const std::vector<int64_t>& shape) {
  QStringList parts;
  for (const int64_t dim : shape) parts << QString::number(dim);
  return shapeText(parts);
}

QString shortInstruction(const QString& full) {
  constexpr std::pair<const char*, const char*> kShorter[] = {
      {" dst: %void", ""}, {" dst: ", " → "}, {" in: ", " "}, {" in:", ""}};
  QString text = full.simplified().remove(kBuiltinPrefix);
  for (const auto& [words, shorter] : kShorter) text.replace(QString::fromUtf8(words), QString::fromUtf8(shorter));
  return text;
}

ValueSummary summaryOf(const dap::ValueInfo& info, const std::string& variable) {
  ValueSummary value;
  value.known = info.kind != "none" && !info.kind.empty();
  value.isTensor = info.kind == "tensor";
  value.reference = static_cast<int>(info.reference);
  value.variable = qtText(variable);
  value.text = qtText(info.text);
  value.dtype = qtText(info.dtype);
  value.bytes = info.bytes;
  value.count = info.count;
  value.step = static_cast<int>(info.step);
  for (const dap::ValueInfo& item : info.items) value.items.push_back(summaryOf(item, {}));
  if (!value.isTensor) return value;
  value.shape = shapeText(info.shape);
  value.text = value.shape + ' ' + value.dtype;
  value.place = qtText(info.place);
  value.unwritten = info.unwritten;
  if (value.unwritten) value.text += QStringLiteral(", ") + unwrittenText();
  value.nan = info.nanCount;
  value.inf = info.infCount;
  value.finite = info.hasStats ? info.count - info.nanCount - info.infCount : 0;
  value.min = dap::numberFrom(info.min);
  value.max = dap::numberFrom(info.max);
  value.mean = dap::numberFrom(info.mean);
  if (info.firstNonFinite >= 0) value.firstBad = unravel(info.firstNonFinite, {info.shape.begin(), info.shape.end()});
  return value;
}

RegisterRow rowOf(const dap::RegisterInfo& info) {
  return {qtText(info.name), qtText(info.variable), summaryOf(info.value, info.variable), info.changed};
}

HeapRow rowOf(const dap::HeapSlotInfo& info) {
  return {static_cast<int>(info.slot), info.set,    info.value, qtText(info.expression),
          qtText(info.origin),         info.changed};
}

TraceRow rowOf(const dap::StepInfo& info) {
  TraceRow row;
  row.step = static_cast<int>(info.step);
  row.what = qtText(info.what).remove(kBuiltinPrefix);
  row.function = qtText(info.bindingFunction.empty() ? info.function : info.bindingFunction);
  row.variable = qtText(info.variable);
  row.binding = static_cast<int>(info.binding);
  row.instruction = static_cast<int>(info.instruction);
  row.microseconds = std::isfinite(info.microseconds) ? info.microseconds : 0;
  row.compiled = std::isfinite(info.compileMicroseconds) ? info.compileMicroseconds : 0;
  row.builtin = info.builtin;
  row.bad = info.nonFinite;
  row.holdsBad = info.holdsNonFinite || info.nonFinite;
  return row;
}

TimelinePart rowOf(const dap::TimelineBarsBody& body, const QString& error) {
  TimelinePart part;
  part.error = error;
  part.recorded = static_cast<int>(body.recorded);
  part.oldest = static_cast<int>(body.oldest);
  part.length = body.length;
  part.microseconds = body.microseconds;
  part.compiled = body.compileMicroseconds;
  part.place = body.place;
  part.from = body.from;
  part.to = body.to;
  part.more = body.more;
  const size_t count = body.steps.size();
  if (body.places.size() != count + 1 || body.times.size() != count || body.instructions.size() != count ||
      body.marks.size() != count)
    return part;
  for (size_t i = 0; i < count; ++i) {
    TimelineBar bar;
    bar.first = static_cast<int>(body.steps[i]);
    bar.last = static_cast<int>(i + 1 < count ? body.steps[i + 1] - 1 : body.last);
    bar.begin = body.places[i];
    bar.end = body.places[i + 1];
    bar.microseconds = body.times[i];
    bar.instruction = static_cast<int>(body.instructions[i]);
    bar.machine = (body.marks[i] & dap::kBarKernel) == 0;
    bar.bad = (body.marks[i] & dap::kBarMadeNonFinite) != 0;
    bar.holdsBad = (body.marks[i] & dap::kBarHoldsNonFinite) != 0;
    part.bars.push_back(bar);
  }
  return part;
}

InstructionRow rowOf(const dap::InstructionInfo& info) {
  InstructionRow row;
  row.index = static_cast<int>(info.index);
  row.function = qtText(info.function);
  row.full = qtText(info.text).simplified();
  row.text = shortInstruction(row.full);
  row.what = qtText(info.what).remove(kBuiltinPrefix);
  row.writes = qtText(info.writes);
  row.variable = qtText(info.variable);
  row.bindingFunction = qtText(info.bindingFunction);
  row.binding = static_cast<int>(info.binding);
  row.line = static_cast<int>(info.line);
  row.builtin = info.builtin;
  return row;
}

int charactersBefore(const QString& text, int64_t byte) {
  return static_cast<int>(QString::fromUtf8(text.toUtf8().left(static_cast<qsizetype>(byte))).size());
}

QString textOf(const std::vector<Diagnostic>& diagnostics) {
  QStringList parts;
  for (const Diagnostic& diagnostic : diagnostics) parts << sentenceOf(diagnostic);
  return parts.join('\n');
}

}  // namespace rx::views
