// A host of the debug server that serves the programs of small_program.h.
#pragma once

#include <chrono>
#include <thread>

#include "../debug/small_program.h"
#include "core/dap/server/host.h"

namespace rx::test {

/// f(x) that never ends: copies its argument and jumps back.
inline Ref<vm::Executable> spinExecutable() {
  vm::ExecBuilder b;
  (void)b.beginFunction("main", 1, {"x"});
  b.emitCall("vm.builtin.copy", {Arg::reg(0)}, 1);
  vm::Word jump = b.emitGoto();
  b.patch(jump, 0);
  b.emitRet(1);
  b.endFunction();
  auto executable = b.finish();
  RX_ASSERT(executable.ok(), "{}", executable.diagnostics().front().message);
  return *executable;
}

/// f(x) that is in one kernel for longer than anybody waits.
inline Ref<vm::Executable> sleepExecutable() {
  vm::ExecBuilder b;
  (void)b.beginFunction("main", 1, {"x"});
  b.emitCall("sleep", {Arg::reg(0), Arg::reg(0)}, vm::kVoidRegister);
  b.emitRet(0);
  b.endFunction();
  auto executable = b.finish();
  RX_ASSERT(executable.ok(), "{}", executable.diagnostics().front().message);
  return *executable;
}

class SleepyKernels : public SmallKernels {
 public:
  Result<Ref<vm::Callable>> find(std::string_view name) override {
    if (name != "sleep") return SmallKernels::find(name);
    return vm::makeCallable("sleep", [](vm::CallContext&, vm::Arguments) -> Result<Value> {
      std::this_thread::sleep_for(std::chrono::seconds(20));
      return Value();
    });
  }
};

/// Numbers that a program of kindsExecutable gets as memory that it can not write.
inline constexpr float kMapped[] = {1, 3};

/// main(x): a value of every kind, all of them alive until the end.
inline Ref<vm::Executable> kindsExecutable() {
  vm::ExecBuilder b;
  (void)b.beginFunction("main", 1, {"x"});
  const auto copy = [&](Arg value, vm::Word to) { b.emitCall("vm.builtin.copy", {value}, to); };
  b.emitCall("vm.builtin.shape_of", {Arg::reg(0)}, 1);
  copy(Arg::imm(5), 2);
  b.emitCall("vm.builtin.make_tuple", {Arg::reg(2), Arg::reg(0)}, 3);
  b.emitCall("vm.builtin.reshape", {Arg::reg(0), b.constant(Value::shape({2, 1}))}, 4);
  copy(b.constant(Value::of(*HostTensor::fromDoubles({1}, DataType::Float(32), std::vector<double>{9}))), 5);
  copy(b.constant(Value::of(true)), 6);
  copy(b.constant(Value::of(2.5)), 7);
  copy(b.constant(Value::of("text")), 8);
  copy(b.constant(Value::of(DataType::Float(32))), 9);
  emitStorage(b, 10);
  b.emitCall("vm.builtin.alloc_tensor",
             {Arg::reg(10), Arg::imm(0), b.constant(Value::shape({2, 3})), b.constant(Value::of(DataType::UInt(8)))},
             11);
  emitStorage(b, 12);
  emitTensor(b, 12, 13);
  b.emitCall("twice", {Arg::reg(4), Arg::reg(13)}, vm::kVoidRegister);
  std::vector<Arg> all;
  for (vm::Word reg = 0; reg <= 13; ++reg) all.push_back(Arg::reg(reg));
  b.emitCall("vm.builtin.make_tuple", all, 14);
  b.emitRet(14);
  const char* names[] = {"x", "s", "i", "t", "view", "c", "truth", "real", "words", "type", "", "bytes", "", "y"};
  for (vm::Word reg = 0; reg < std::ssize(names); ++reg)
    if (*names[reg]) b.nameRegister(reg, names[reg]);
  b.endFunction();
  auto executable = b.finish();
  RX_ASSERT(executable.ok(), "{}", executable.diagnostics().front().message);
  return *executable;
}

/// "small", "kinds", "wrong rank", "spin", "sleep", and "slow to load"; anything else is refused.
inline dap::Host smallHost() {
  dap::Host host;
  host.load = [](const dap::LaunchArguments& arguments,
                 const CancelToken&) -> Result<std::shared_ptr<dap::LoadedProgram>> {
    auto program = std::make_shared<dap::LoadedProgram>();
    if (arguments.program == "small") program->executable = smallExecutable();
    if (arguments.program == "wrong rank") program->executable = smallExecutable(2);
    if (arguments.program == "kinds") program->executable = kindsExecutable();
    if (arguments.program == "spin") program->executable = spinExecutable();
    if (arguments.program == "sleep") program->executable = sleepExecutable();
    if (arguments.program == "slow to load") {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      program->executable = smallExecutable();
    }
    if (!program->executable) return fail("file.read", "there is no program " + arguments.program);
    program->kernels = std::make_shared<SleepyKernels>();
    program->stages = {smallStage()};
    program->print = [](const ir::Module&) { return std::string("the text of the stage"); };
    program->functions = {"main"};
    return program;
  };
  host.arguments = [](const dap::LoadedProgram&, const dap::LaunchArguments& launch,
                      dap::ArgumentReport*) -> Result<std::vector<vm::Value>> {
    if (launch.program == "kinds") {
      const auto* bytes = reinterpret_cast<const std::byte*>(kMapped);
      const auto memory = Storage::external(bytes, sizeof kMapped, nullptr);
      return std::vector<vm::Value>{vm::Value::of(*HostTensor::view(memory, 0, {2}, DataType::Float(32)))};
    }
    return std::vector<vm::Value>{smallInput()};
  };
  return host;
}

}  // namespace rx::test
