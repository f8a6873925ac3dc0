// What compiled modules give, interpreted and as machine code.
#pragma once

#include <cmath>
#include <limits>

#include "compiled_text.h"
#include "core/interpret/interpret.h"
#include "core/interpret/kernels.h"
#include "core/runtime/machine.h"

namespace rx::test {

/// A machine that runs the program: what the kernels compute interpreted, or compiled.
inline Result<std::unique_ptr<vm::Machine>> machineOf(const compile::Program& program, bool interpreted) {
  vm::MachineOptions options;
  if (interpreted) {
    options.kernels = interpret::makeInterpretedKernels(program.module, {});
  } else {
    RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
    options.kernels = kernels;
  }
  return vm::Machine::create(program.executable, std::move(options));
}

/// What main gives for these arguments.
inline Result<Ref<HostTensor>> resultOn(vm::Machine& machine, std::vector<vm::Value> arguments) {
  RX_CHECK(machine.start("main", std::move(arguments)));
  machine.run();
  if (machine.fault()) return fail(machine.fault()->diagnostics);
  return machine.result().tensor().copy();
}

/// The same for numbers of both signs (argumentsOf).
inline Result<Ref<HostTensor>> resultOn(vm::Machine& machine, const compile::Program& program, int64_t size) {
  RX_TRY(arguments, argumentsOf(program, size));
  return resultOn(machine, std::move(arguments));
}

inline Result<Ref<HostTensor>> resultOf(const compile::Program& program, bool interpreted) {
  RX_TRY(machine, machineOf(program, interpreted));
  return resultOn(*machine, program, 1);
}

/// The largest difference, by the largest finite number of `a`. What is not finite is apart without end, but from the
/// same: a NaN from a NaN, an infinity from itself.
inline double apart(const HostTensor& a, const HostTensor& b) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  if (a.count() != b.count()) return kEndless;
  double most = 0, largest = 1e-30;
  for (int64_t i = 0; i < a.count(); ++i) {
    const double x = a.at(i), y = b.at(i);
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    most = std::max(most, std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : kEndless);
  }
  return most / largest;
}

}  // namespace rx::test
