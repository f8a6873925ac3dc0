// What a package with code for devices has beside the runtime.
#include "core/device/run/placed.h"
#include "core/export/runtime/session.h"

namespace rx::package {

Result<std::shared_ptr<vm::KernelProvider>> openDevices(std::string_view code,
                                                        std::shared_ptr<const vm::PackedRegistry> functions) {
  RX_TRY(program, device::ProgramCode::read(code));
  const auto onHost = [functions = std::move(functions)](std::string_view name) {
    return Result<Ref<vm::Callable>>(functions->find(name));
  };
  RX_TRY(placed, device::placeCode(std::move(program), {device::keptPrograms(), {}}, onHost));
  return std::shared_ptr<vm::KernelProvider>(std::move(placed));
}

}  // namespace rx::package
