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

/// "small", "wrong rank", "spin", "sleep", and "slow to load"; anything else is refused.
inline dap::Host smallHost() {
  dap::Host host;
  host.load = [](const dap::LaunchArguments& arguments,
                 const CancelToken&) -> Result<std::shared_ptr<dap::LoadedProgram>> {
    auto program = std::make_shared<dap::LoadedProgram>();
    if (arguments.program == "small") program->executable = smallExecutable();
    if (arguments.program == "wrong rank") program->executable = smallExecutable(2);
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
  host.arguments = [](const dap::LoadedProgram&, const dap::LaunchArguments&,
                      dap::ArgumentReport*) -> Result<std::vector<vm::Value>> {
    return std::vector<vm::Value>{smallInput()};
  };
  return host;
}

}  // namespace rx::test
