// How much a binding, or a whole function, computes and moves, as far as shapes are known.
#include <QHash>

#include "core/tensor/dtype.h"
#include "views/models/numbers.h"
#include "views/panels/inspector/inspector_parts.h"
#include "views/panels/inspector/operator_work.h"
#include "views/panels/values/tensor_page.h"

namespace rx::views {
namespace {

QString text(const char* source) { return inspectorText(source); }

struct Tensor {
  Sizes sizes;
  double bytes = 0;
};

/// Tensors by their written types: a function of a hundred thousand calls has few of them.
class Tensors {
 public:
  /// By what the run has there, else by what the module says.
  const std::optional<Tensor>& of(const ValueSummary& value, const QString& shape, const QString& dtype) {
    return value.known && value.isTensor ? of(value.shape, value.dtype) : of(shape, dtype);
  }

 private:
  const std::optional<Tensor>& of(const QString& shape, const QString& dtype) {
    const auto key = std::pair(shape, dtype);
    auto found = known_.find(key);
    if (found == known_.end()) found = known_.insert(key, read(shape, dtype));
    return *found;
  }
  static std::optional<Tensor> read(const QString& shape, const QString& dtype) {
    const auto sizes = shapeOf(shape);
    const auto type = DataType::parse(dtype.toStdString());
    if (!sizes || !type || type->isVoid()) return std::nullopt;
    Tensor tensor{*sizes, static_cast<double>(type->bytes())};
    for (const qint64 size : *sizes) tensor.bytes *= static_cast<double>(size);
    return tensor;
  }
  QHash<std::pair<QString, QString>, std::optional<Tensor>> known_;
};

struct Work {
  double operations = 0;
  double bytes = 0;  ///< of inputs and result, each once
};

std::optional<Work> workOf(const Inspector& inspector, const BindingRow& binding, Tensors* tensors) {
  const FunctionRow& function = *inspector.function;
  const FunctionRow* callee = binding.callee.isEmpty() ? nullptr : inspector.stage->function(binding.callee);
  if (callee && callee->prim) {
    if (callee->prim->flops < 0) return std::nullopt;
    return Work{callee->prim->flops, static_cast<double>(callee->prim->bytesMoved)};
  }
  if (binding.op.isEmpty()) return std::nullopt;
  const bool run = inspector.runIsHere();
  std::vector<Sizes> inputs;
  Work work;
  for (const OperandRow& operand : binding.operands) {
    const BindingRow* made = operand.kind == OperandRow::Kind::Binding ? function.binding(operand.index) : nullptr;
    const bool param = operand.kind == OperandRow::Kind::Param && operand.index >= 0 &&
                       operand.index < static_cast<int>(function.params.size());
    if (!made && !param) continue;
    const ParamRow* given = param ? &function.params[static_cast<size_t>(operand.index)] : nullptr;
    const auto& tensor = tensors->of(run ? inspector.valueOf(operand) : ValueSummary(),
                                     made ? made->shape : given->shape, made ? made->dtype : given->dtype);
    if (!tensor) return std::nullopt;
    inputs.push_back(tensor->sizes);
    work.bytes += tensor->bytes;
  }
  const ValueSummary value = run ? inspector.context.debug->valueOf(function.name, binding.ordinal) : ValueSummary();
  const auto& result = tensors->of(value, binding.shape, binding.dtype);
  if (!result) return std::nullopt;
  const auto operations = operationsOf(binding.op, binding.kind, inputs, result->sizes);
  if (!operations) return std::nullopt;
  work.operations = *operations;
  work.bytes += result->bytes;
  return work;
}

}  // namespace

void addWork(Inspector& inspector, InspectionSection& section, const BindingRow& binding) {
  const FunctionRow* callee = binding.callee.isEmpty() ? nullptr : inspector.stage->function(binding.callee);
  if (callee && callee->prim) {
    if (const QString work = primWorkText(*callee->prim); !work.isEmpty())
      addRow(section, text("computes"), {{work, InkRole::Number}});
    return;
  }
  Tensors tensors;
  const auto work = workOf(inspector, binding, &tensors);
  if (!work || work->operations == 0) return;
  std::vector<InspectionPiece> pieces{{operationsText(work->operations), InkRole::Number}};
  if (work->bytes > 0)
    pieces.push_back(
        {text("%1 a byte read or written").arg(shortNumber(work->operations / work->bytes, 3)), InkRole::Grey});
  addRow(section, text("computes"), std::move(pieces));
}

void addAllWork(Inspector& inspector, InspectionSection& section, const FunctionCalls& all) {
  double operations = 0;
  qint64 known = 0, calls = 0;
  Tensors tensors;
  for (const CallGroup& group : all.groups) {
    calls += group.count;
    std::optional<Work> work;
    for (size_t i = 0; i < group.examples.size() && !work; ++i)
      work = workOf(inspector, *inspector.function->binding(group.examples[i]), &tensors);
    if (!work) continue;
    known += group.count;
    operations += work->operations * static_cast<double>(group.count);
  }
  if (operations == 0) return;
  std::vector<InspectionPiece> pieces{{operationsText(operations), InkRole::Number}};
  if (known < calls)
    pieces.push_back(
        {text("in %1 of %2 calls; the others are not known").arg(grouped(known), grouped(calls)), InkRole::Grey});
  addRow(section, text("computes"), std::move(pieces));
}

}  // namespace rx::views
