// core/device/run: what runs of a program on devices, once its text is made: code as data, which packages hold too, and
// the functions of a machine that are made of it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/runtime/kernel_fault.h"
#include "core/runtime/kernel_signature.h"

namespace rx::device {

/// One place of a kernel that looks at what it does, by its number in the text.
struct FaultSite {
  vm::KernelFault fault = vm::KernelFault::Bounds;
  std::string text;       ///< name of the buffer that is accessed; else what is said
  int64_t dimension = 0;  ///< of the access
  static void parts(auto& io, auto& self) { io(self.fault, self.text, self.dimension); }
};

/// The words of a kernel's last argument, 64 bits each: the number of the site plus one (0: all went well), the index,
/// the extent that it should be below.
constexpr int64_t kFaultWords = 3;

/// Kernels in one text, with what they need before them.
struct DeviceText {
  std::string text;
  std::vector<FaultSite> sites;
  std::vector<int64_t> sharedBytes;  ///< of each kernel: what a launch gives to each group beside what is declared
};

/// One argument of a launch. Numbers are computed from the symbols of the function's signature.
struct PlanArgument {
  enum class From : uint8_t {
    Buffer,     ///< the number of the function's buffer
    Workspace,  ///< the number of memory that the plan takes
    Integer,
    Real,  ///< the number of the function's real argument
    RealConstant,
    BufferMap,  ///< as Buffer and Workspace: a map of what lies there
    WorkspaceMap,
  } from = From::Integer;
  uint64_t number = 0;
  vm::ShapeProgram value;
  double constant = 0;
  int32_t bits = 32;
  device::TileMap map;
  bool isMap() const { return from == From::BufferMap || from == From::WorkspaceMap; }
  static void parts(auto& io, auto& self) {
    io(self.from, self.number);
    if (self.isMap()) io(self.map);
    if (self.from == From::Integer) io(self.value);
    io(self.constant, self.bits);
  }
};

struct PlanLaunch {
  uint64_t kernel = 0;  ///< of the function's kernels
  std::vector<PlanArgument> arguments;
  std::array<vm::ShapeProgram, 3> grid, group;
  static void parts(auto& io, auto& self) { io(self.kernel, self.arguments, self.grid, self.group); }
};

/// What the host does to run a function on a device: which memory it takes, which kernels it starts, with what.
struct DevicePlan {
  std::vector<vm::ShapeProgram> workspaces;  ///< bytes of each
  std::vector<PlanLaunch> launches;          ///< in order
};

/// What was made of one PrimFunc.
struct FunctionCode {
  std::string name;
  vm::KernelSignature signature;
  DevicePlan plan;
  std::vector<uint64_t> kernels;  ///< of the plan, in the text
  static void parts(auto& io, auto& self) {
    io(self.name, self.signature, self.kernels, self.plan.workspaces, self.plan.launches);
    io.check([&] { return self.fits(); });
  }

 private:
  /// Whether the plan, which may come from anywhere, names what is there.
  bool fits() const;
};

/// All functions of a module and their text, for the devices of one architecture.
struct ModuleCode {
  std::string architecture;  ///< as Properties has it; empty: for every device
  std::vector<FunctionCode> functions;
  std::vector<std::string> symbols;  ///< of the kernels
  DeviceText code;

  /// Null where there is none of this name.
  const FunctionCode* find(std::string_view name) const;
  static void parts(auto& io, auto& self) {
    io(self.architecture, self.symbols, self.code.text, self.code.sites, self.code.sharedBytes, self.functions);
    io.check([&] { return self.fits(); });
  }

 private:
  bool fits() const;
};

/// On which devices of a program a function is called, as instructions number them.
struct CalledOn {
  std::string function;
  std::vector<int64_t> devices;
  static void parts(auto& io, auto& self) { io(self.function, self.devices); }
};

/// The code of a program for devices, whose rows are in the order in which instructions number them.
struct ProgramCode {
  static constexpr int64_t kHostRow = -1;
  std::string kind;              ///< of its devices, as in kinds.def
  std::vector<int64_t> rows;     ///< the number of each device, or kHostRow
  std::vector<CalledOn> calls;   ///< of functions whose calls say where
  std::vector<ModuleCode> code;  ///< by architectures

  static void parts(auto& io, auto& self) { io(self.kind, self.rows, self.calls, self.code); }
  std::string bytes() const;
  /// Fails with device.code where the bytes are none.
  static Result<ProgramCode> read(std::string_view bytes);
};

}  // namespace rx::device
