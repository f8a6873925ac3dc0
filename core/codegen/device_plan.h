// What the host does to run a function on a device, as data: which memory it takes, which kernels it starts, with what.
#pragma once

#include <array>
#include <vector>

#include "core/lower/device_lowering.h"
#include "core/lower/signature.h"

namespace rx::codegen {

/// One argument of a launch. Numbers are computed from the symbols of the function's signature.
struct PlanArgument {
  enum class From : uint8_t {
    Buffer,     ///< the number of the function's buffer
    Workspace,  ///< the number of memory that the plan takes
    Integer,
    Real,  ///< the number of the function's real argument
    RealConstant,
  } from = From::Integer;
  size_t number = 0;
  vm::ShapeProgram value;
  double constant = 0;
  int bits = 32;
};

struct PlanLaunch {
  size_t kernel = 0;  ///< in lower::DeviceForm::kernels
  std::vector<PlanArgument> arguments;
  std::array<vm::ShapeProgram, 3> grid, group;
};

struct DevicePlan {
  std::vector<vm::ShapeProgram> workspaces;  ///< bytes of each
  std::vector<PlanLaunch> launches;          ///< in order
};

/// Fails with codegen.unsupported where the host would have to do more than this.
Result<DevicePlan> devicePlan(const lower::DeviceForm& form, const lower::Signature& signature);

}  // namespace rx::codegen
