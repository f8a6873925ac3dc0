#include "core/device/run/code.h"

#include <algorithm>

namespace rx::device {

bool FunctionCode::fits() const {
  const auto counted = [&](vm::KernelPlace place) {
    return static_cast<uint64_t>(std::count_if(signature.params.begin(), signature.params.end(),
                                               [&](const vm::KernelParam& param) { return param.place == place; }));
  };
  const uint64_t limits[] = {
      counted(vm::KernelPlace::Buffer), plan.workspaces.size(), UINT64_MAX, counted(vm::KernelPlace::Real), UINT64_MAX,
      counted(vm::KernelPlace::Buffer), plan.workspaces.size()};
  const auto isSize = [&](const vm::ShapeProgram& program) { return program.fits(signature.symbols.size()); };
  const auto isArgument = [&](const PlanArgument& argument) {
    const auto from = static_cast<size_t>(argument.from);
    return from < std::size(limits) && argument.number < limits[from] &&
           (argument.from != PlanArgument::From::Integer || isSize(argument.value)) &&
           (!argument.isMap() || argument.map.fits());
  };
  return std::all_of(plan.workspaces.begin(), plan.workspaces.end(), isSize) &&
         std::all_of(plan.launches.begin(), plan.launches.end(), [&](const PlanLaunch& launch) {
           return launch.kernel < kernels.size() && std::all_of(launch.grid.begin(), launch.grid.end(), isSize) &&
                  std::all_of(launch.group.begin(), launch.group.end(), isSize) &&
                  std::all_of(launch.arguments.begin(), launch.arguments.end(), isArgument);
         });
}

bool ModuleCode::fits() const {
  return code.sharedBytes.size() == symbols.size() &&
         std::all_of(functions.begin(), functions.end(), [&](const FunctionCode& function) {
           return std::all_of(function.kernels.begin(), function.kernels.end(),
                              [&](uint64_t kernel) { return kernel < symbols.size(); });
         });
}

const FunctionCode* ModuleCode::find(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const FunctionCode& each) { return each.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::string ProgramCode::bytes() const {
  ByteWriter out;
  out(*this);
  return out.take();
}

Result<ProgramCode> ProgramCode::read(std::string_view bytes) {
  ByteReader in(bytes);
  ProgramCode made;
  in(made);
  if (in.failed() || !in.rest().empty() || made.rows.empty() || made.code.empty())
    return fail("device.code", "what this program holds for devices is damaged");
  return made;
}

}  // namespace rx::device
