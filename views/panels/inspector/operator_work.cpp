#include "views/panels/inspector/operator_work.h"

#include <array>

namespace rx::views {
namespace {

double elements(const Sizes& sizes) {
  double count = 1;
  for (const qint64 size : sizes) count *= static_cast<double>(size);
  return count;
}

/// Every element of the result is a sum over the last axis of the left side.
std::optional<double> ofMatmul(const std::vector<Sizes>& inputs, const Sizes& result) {
  if (inputs.empty() || inputs[0].empty()) return std::nullopt;  // a value times itself is one input
  return 2 * elements(result) * static_cast<double>(inputs[0].back());
}

/// Every element of the result is a sum over the kernel of one output channel. The channels are the axis of the kernel
/// that is as long as that of the result: the first of both (NCHW with OIHW), or the last of both (NHWC with HWIO).
std::optional<double> ofConvolution(const std::vector<Sizes>& inputs, const Sizes& result) {
  if (inputs.size() < 2 || result.size() < 3 || inputs[1].size() != result.size()) return std::nullopt;
  const Sizes& kernel = inputs[1];
  const bool first = kernel.front() == result[1];
  const qint64 channels = first ? kernel.front() : kernel.back();
  if (channels <= 0 || (!first && kernel.back() != result.back())) return std::nullopt;
  return 2 * elements(result) * elements(kernel) / static_cast<double>(channels);
}

std::optional<double> ofReduction(const std::vector<Sizes>& inputs, const Sizes&) {
  return inputs.empty() ? std::nullopt : std::optional(elements(inputs[0]));
}

struct OperationsRow {
  const char* op;
  std::optional<double> (*of)(const std::vector<Sizes>& inputs, const Sizes& result);
};
constexpr OperationsRow kRows[] = {
    {"relax.matmul", ofMatmul},         {"relax.nn.conv1d", ofConvolution}, {"relax.nn.conv2d", ofConvolution},
    {"relax.nn.conv3d", ofConvolution}, {"relax.sum", ofReduction},         {"relax.max", ofReduction},
    {"relax.min", ofReduction},         {"relax.mean", ofReduction},        {"relax.prod", ofReduction},
};

}  // namespace

std::optional<double> operationsOf(const QString& op, OpKind kind, const std::vector<Sizes>& inputs,
                                   const Sizes& result) {
  for (const OperationsRow& row : kRows)
    if (op == QLatin1String(row.op)) return row.of(inputs, result);
  if (kind == OpKind::Elementwise) return elements(result);
  if (kind == OpKind::Movement || kind == OpKind::Tuple || kind == OpKind::Constant) return 0;
  return std::nullopt;
}

QString operationsText(double operations) {
  static constexpr std::array kUnits = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  size_t unit = 0;
  while (operations >= 1000 && unit + 1 < kUnits.size()) {
    operations /= 1000;
    ++unit;
  }
  return QStringLiteral("%1 %2").arg(QString::number(operations, 'g', 3), QString::fromLatin1(kUnits[unit]));
}

}  // namespace rx::views
