// Modules that rules for processors are tried on, and what these said of them.
#pragma once

#include <QString>

#include "../support/program_result.h"
#include "core/schedule/apply_schedules.h"

namespace rx::test {

/// A module whose main computes `text` of tensors of these shapes.
inline std::string moduleOf(const QString& text, const QString& shapes) {
  std::string params;
  int number = 0;
  for (const QString& shape : shapes.split(';')) {
    params += fmt::format("{}p{}: R.Tensor(({},), dtype=\"float32\")", number ? ", " : "", number, shape.toStdString());
    ++number;
  }
  return fmt::format(
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main({}):\n        with R.dataflow():\n            lv = {}\n            R.output(lv)\n"
      "        return lv\n",
      params, text.toStdString());
}

/// A convolution of p0 by p1, as text, with steps so long and so much nothing at each side.
inline QString convolution(int stride, int pad) {
  return QString("R.nn.conv2d(p0, p1, strides=[%1, %1], padding=[%2, %2, %2, %2])").arg(stride).arg(pad);
}

/// The rules that made the kernels of the program.
inline QString rulesOf(const compile::Program& program) {
  QString said;
  for (const auto& function : program.module->functions) {
    const auto* kernel = as<tir::PrimFunc>(function);
    const NodeRef list = kernel ? ir::attrOf(kernel->attrs, schedule::kRules) : nullptr;
    if (!list) continue;
    for (const NodeRef& one : as<ir::ArrayAttr>(list)->items) {
      said += (said.isEmpty() ? "" : "; ") + QString::fromStdString(as<ir::StrAttr>(one)->value.string());
    }
  }
  return said;
}

}  // namespace rx::test
