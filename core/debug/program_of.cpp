// The rows of an executable for the debugger.
#include <fmt/format.h>

#include <algorithm>

#include "core/debug/machine_history.h"
#include "core/ir/constructors.h"
#include "core/ir/relay.h"
#include "core/vm/site_origin.h"

namespace rx::debug {

namespace {

/// Calls that manage memory and registers, which nobody wrote: stepping by bindings passes over them.
constexpr std::string_view kHousekeeping[] = {
    Instruction::kAllocatesShapeHeap,
    "vm.builtin.alloc_storage",
    "vm.builtin.alloc_tensor",
    "vm.builtin.null_value",
};
/// Functions with these prefixes belong to the runtime; anything else is a kernel of the program.
constexpr std::string_view kRuntimePrefixes[] = {"vm.builtin.", "relax.run.", "runtime.", "tvm.contrib."};

constexpr std::string_view kMatchShape = "vm.builtin.match_shape";
/// Code of match_shape: store the dimension in the slot.
constexpr vm::Word kStoreToHeap = 1;

/// Those of the last stage that has types: the one that is translated, which gives them their numbers.
std::vector<std::string> constructorNames(const std::vector<std::shared_ptr<const Stage>>& stages) {
  const auto typed = std::find_if(stages.rbegin(), stages.rend(), [](const std::shared_ptr<const Stage>& stage) {
    return stage->module() && stage->module()->types;
  });
  std::vector<std::string> names;
  if (typed != stages.rend())
    for (const relay::Constructor* one : ir::constructorsOf(*(*typed)->module())) names.push_back(one->name.string());
  return names;
}

std::vector<int> registersOf(const vm::Instruction& instruction) {
  std::vector<int> registers;
  auto add = [&](vm::Arg arg) {
    if (arg.kind == vm::ArgKind::Register && arg.value >= 0 && arg.value < vm::kRegisterLimit)
      registers.push_back(static_cast<int>(arg.value));
  };
  if (instruction.op == vm::Opcode::Call) {
    for (size_t i = 0; i < instruction.args.size(); ++i) add(instruction.arg(i));
  } else if (instruction.op != vm::Opcode::Goto) {
    add(vm::Arg::reg(instruction.dst));
  }
  return registers;
}

OpKind opOf(vm::Opcode op) {
  switch (op) {
    case vm::Opcode::Call:
      return OpKind::Call;
    case vm::Opcode::Ret:
      return OpKind::Ret;
    case vm::Opcode::Goto:
      return OpKind::Goto;
    case vm::Opcode::If:
      return OpKind::If;
  }
  return OpKind::Call;
}

/// Where origins are carried, an instruction without one was added by a pass (the checks of parameters, say) and
/// belongs to no source binding; only a program without any origins names its own bindings.
void setSite(Instruction& row, const vm::DebugSite& site, const std::string& function, bool originsCarried) {
  row.variable = site.variable;
  if (const Origin* origin = vm::originOf(site)) {
    row.sites = origin->sites.vector();
  } else if (site.known && !originsCarried) {
    row.sites = {{function, site.block, site.binding, site.variable, site.span}};
  }
}

/// Fills what the instructions say of a function's shape heap: where it is and who stores each slot.
void findHeap(VmFunction& function, const vm::Executable& executable, size_t index) {
  auto slot = [&](int64_t number) -> HeapSlot& {
    if (static_cast<size_t>(number) >= function.heap.size()) function.heap.resize(static_cast<size_t>(number) + 1);
    return function.heap[static_cast<size_t>(number)];
  };
  constexpr vm::Word kMaxSlots = 1 << 20;
  for (int64_t pc = function.begin; pc < function.end; ++pc) {
    const vm::Instruction& instruction = executable.instruction(static_cast<size_t>(pc));
    if (instruction.op != vm::Opcode::Call) continue;
    const std::string& callee = executable.function(static_cast<size_t>(instruction.function)).name;
    if (callee == Instruction::kAllocatesShapeHeap && instruction.dst < vm::kRegisterLimit)
      function.heapRegister = static_cast<int>(instruction.dst);
    // match_shape(value, heap, rank, (code, slot or number) for each axis, context)
    if (callee != kMatchShape || instruction.args.size() < 3) continue;
    vm::Arg value = instruction.arg(0);
    vm::Word rank = instruction.arg(2).value;
    for (vm::Word axis = 0; axis < rank && static_cast<size_t>(4 + 2 * axis) < instruction.args.size(); ++axis) {
      auto at = static_cast<size_t>(3 + 2 * axis);
      vm::Word number = instruction.arg(at + 1).value;
      if (instruction.arg(at).value != kStoreToHeap || number < 0 || number >= kMaxSlots) continue;
      std::string name = value.kind == vm::ArgKind::Register ? executable.registerName(index, value.value) : "";
      slot(number).origin = fmt::format("{} axis {}", name.empty() ? fmt::format("%{}", value.value) : name, axis);
    }
  }
  if (index < executable.parts().debug.functions.size())
    for (const auto& [number, text] : executable.parts().debug.functions[index].heapSlots)
      if (number >= 0 && number < kMaxSlots) slot(number).expression = text;
}

}  // namespace

std::vector<std::string> deviceNames(const vm::Machine& machine) {
  std::vector<std::string> names;
  for (const vm::RunDevice& row : machine.devices()) names.push_back(row.memory ? row.memory->device().name() : "host");
  return names;
}

Program programOf(const vm::Executable& executable, std::vector<std::shared_ptr<const Stage>> stages) {
  Program program;
  program.stages = std::move(stages);
  program.constructors = constructorNames(program.stages);
  std::vector<int> rowOf(executable.functions().size(), -1);
  for (size_t i = 0; i < rowOf.size(); ++i) {
    const vm::FunctionInfo& info = executable.function(i);
    if (info.kind != vm::FunctionKind::Bytecode) continue;
    rowOf[i] = static_cast<int>(program.functions.size());
    VmFunction function;
    function.name = info.name;
    function.begin = info.start;
    function.end = info.end;
    function.arguments = static_cast<int>(info.numArgs);
    function.registers = static_cast<int>(info.registerCount);
    for (vm::Word reg = 0; reg < info.registerCount; ++reg) {
      std::string name = executable.registerName(i, reg);
      if (name.empty() && reg < static_cast<vm::Word>(info.paramNames.size()))
        name = info.paramNames[static_cast<size_t>(reg)];
      function.registerNames.push_back(std::move(name));
    }
    findHeap(function, executable, i);
    program.functions.push_back(std::move(function));
  }
  const auto& sites = executable.parts().debug.instructions;
  const bool originsCarried =
      std::any_of(sites.begin(), sites.end(), [](const vm::DebugSite& site) { return site.origin != nullptr; });
  for (size_t pc = 0; pc < executable.instructionCount(); ++pc) {
    const vm::Instruction& instruction = executable.instruction(pc);
    Instruction row;
    row.op = opOf(instruction.op);
    auto holder = executable.functionAt(pc);
    row.function = holder ? rowOf[*holder] : 0;
    row.text = executable.instructionText(pc);
    row.arguments = registersOf(instruction);
    if (const vm::DebugSite* site = executable.site(pc))
      setSite(row, *site, program.functions[static_cast<size_t>(row.function)].name, originsCarried);
    if (instruction.op == vm::Opcode::Call) {
      const vm::FunctionInfo& callee = executable.function(static_cast<size_t>(instruction.function));
      row.callee = callee.name;
      row.calledFunction = rowOf[static_cast<size_t>(instruction.function)];
      if (instruction.dst < vm::kRegisterLimit) row.dst = static_cast<int>(instruction.dst);
      row.builtin = std::any_of(std::begin(kRuntimePrefixes), std::end(kRuntimePrefixes),
                                [&](std::string_view prefix) { return callee.name.starts_with(prefix); });
      row.housekeeping =
          std::find(std::begin(kHousekeeping), std::end(kHousekeeping), callee.name) != std::end(kHousekeeping);
    }
    program.instructions.push_back(std::move(row));
  }
  return program;
}

}  // namespace rx::debug
