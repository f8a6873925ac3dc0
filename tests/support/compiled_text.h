// A module as text, compiled, and numbers to run it with.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/ir/all_nodes.h"
#include "core/script/parse.h"

namespace rx::test {

inline Result<compile::Program> programOf(const std::string& text, const std::string& target,
                                          const std::string& pipeline = "default") {
  RX_TRY(module, script::parseModule(make<SourceFile>("m.py", text)));
  compile::Request request;
  request.module = module;
  request.passes = pipeline;
  RX_TRY(parsed, target::parseTarget(target));
  request.target = parsed;
  return compile::compile(request, {});
}

/// Numbers of both signs for main, of integers some from 0 on: the same in every run. `size` stands for what only a run
/// knows.
inline Result<std::vector<vm::Value>> argumentsOf(const compile::Program& program, int64_t size) {
  const auto main = refAs<relax::Function>(program.request.module->find("main"));
  std::vector<vm::Value> made;
  uint32_t random = 1;
  for (const relax::VarRef& param : main->params) {
    const auto* info = as<relax::TensorStructInfo>(param->sinfo);
    std::vector<int64_t> shape;
    for (const tir::PrimExpr& extent : as<relax::ShapeExpr>(info->shape)->values)
      shape.push_back(tir::asInt(extent).value_or(size));
    RX_TRY(tensor, HostTensor::allocate(shape, info->dtype));
    for (int64_t i = 0; i < tensor->count(); ++i) {
      random = random * 1664525 + 1013904223;
      const double value = static_cast<double>(random >> 16) / 16384.0 - 2;
      tensor->set(i, info->dtype.isFloat() ? value : std::floor(std::abs(2 * value)));
    }
    made.push_back(vm::Value::of(tensor));
  }
  return made;
}

}  // namespace rx::test
