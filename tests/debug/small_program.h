// A program of two functions made by hand, with kernels written in C++, for the tests of the debugger:
//
//   def main(x):                      def helper(a):
//     lv = twice(x)                     r = twice(a)
//     h = helper(lv)                    return r
//     lv1 = over(h)    # x / 0
//     lv2 = twice(lv1) # in lv's memory
//     return lv2
#pragma once

#include <limits>

#include "core/debug/machine_history.h"
#include "core/vm/builder.h"

namespace rx::test {

using vm::Arg;
using vm::Value;

class SmallKernels : public vm::KernelProvider {
 public:
  Result<Ref<vm::Callable>> find(std::string_view name) override {
    if (name == "twice") return kernel("twice", [](double x) { return 2 * x; });
    if (name == "over") return kernel("over", [](double x) { return x / 0.0; });
    return Ref<vm::Callable>();
  }

 private:
  static Ref<vm::Callable> kernel(std::string name, double (*f)(double)) {
    return vm::makeCallable(std::move(name), [f](vm::CallContext&, vm::Arguments args) -> Result<Value> {
      if (args.size() != 2 || !args[0].is(vm::ValueKind::Tensor) || !args[1].is(vm::ValueKind::Tensor) ||
          args[0].tensor().count() != args[1].tensor().count())
        return fail("test.arguments", "two tensors of one size are needed");
      for (int64_t i = 0; i < args[0].tensor().count(); ++i) args[1].tensor().set(i, f(args[0].tensor().at(i)));
      return Value();
    });
  }
};

inline vm::DebugSite site(const char* function, uint32_t binding, const char* variable) {
  vm::DebugSite s;
  s.known = true;
  s.binding = binding;
  s.variable = variable;
  s.origin = make<Origin>(Array<OriginSite>{{function, 0, binding, variable, {}}}, Str());
  return s;
}

inline void emitTensor(vm::ExecBuilder& b, vm::Word storage, vm::Word dst) {
  b.emitCall(
      "vm.builtin.alloc_tensor",
      {Arg::reg(storage), Arg::imm(0), b.constant(Value::shape({2})), b.constant(Value::of(DataType::Float(32)))}, dst);
}
inline void emitStorage(vm::ExecBuilder& b, vm::Word dst) {
  b.emitCall("vm.builtin.alloc_storage",
             {Arg::machine(), b.constant(Value::shape({8})), Arg::imm(0), b.constant(Value::of(DataType::UInt(8))),
              b.constant(Value::of("global"))},
             dst);
}

/// `rank` is what main's check of x asks for; 1 is right.
inline Ref<vm::Executable> smallExecutable(int64_t rank = 1) {
  vm::ExecBuilder b;
  b.declareFunction("helper", vm::FunctionKind::Bytecode);
  (void)b.beginFunction("main", 1, {"x"});
  b.emitCall("vm.builtin.alloc_shape_heap", {Arg::machine(), Arg::imm(1)}, 1);
  std::vector<Arg> match{Arg::reg(0), Arg::reg(1), Arg::imm(rank)};
  for (int64_t i = 0; i < rank; ++i) match.insert(match.end(), {Arg::imm(1), Arg::imm(0)});
  match.push_back(b.constant(Value::of("main, parameter x")));
  b.emitCall("vm.builtin.match_shape", match, vm::kVoidRegister);
  b.setSite(site("main", 0, "lv"));
  emitStorage(b, 2);
  emitTensor(b, 2, 3);
  b.emitCall("twice", {Arg::reg(0), Arg::reg(3)}, vm::kVoidRegister);
  b.setSite(site("main", 1, "h"));
  b.emitCall("helper", {Arg::reg(3)}, 4);
  b.setSite(site("main", 2, "lv1"));
  emitStorage(b, 5);
  emitTensor(b, 5, 6);
  b.emitCall("over", {Arg::reg(4), Arg::reg(6)}, vm::kVoidRegister);
  b.setSite(site("main", 3, "lv2"));
  emitTensor(b, 2, 7);
  b.emitCall("twice", {Arg::reg(6), Arg::reg(7)}, vm::kVoidRegister);
  b.setSite({});
  b.emitRet(7);
  b.nameRegister(0, "x");
  b.nameHeapSlot(0, "n");
  b.endFunction();
  (void)b.beginFunction("helper", 1, {"a"});
  b.setSite(site("helper", 0, "r"));
  emitStorage(b, 1);
  emitTensor(b, 1, 2);
  b.emitCall("twice", {Arg::reg(0), Arg::reg(2)}, vm::kVoidRegister);
  b.setSite({});
  b.emitRet(2);
  b.nameRegister(0, "a");
  b.endFunction();
  auto executable = b.finish();
  RX_ASSERT(executable.ok(), "{}", executable.diagnostics().front().message);
  return *executable;
}

inline std::shared_ptr<const debug::Stage> smallStage() {
  auto function = [](const char* name, const char* param, std::vector<const char*> variables, uint32_t line) {
    debug::StageFunction f{name, {param}, {}};
    for (const char* variable : variables) {
      debug::StageBinding b;
      b.ordinal = static_cast<int>(f.bindings.size());
      b.variable = variable;
      b.file = 0;
      b.line = b.lastLine = line++;
      b.sites = Array<OriginSite>{{name, 0, static_cast<uint32_t>(b.ordinal), variable, {}}};
      f.bindings.push_back(b);
    }
    return f;
  };
  return std::make_shared<debug::Stage>(
      "imported", std::vector{function("main", "x", {"lv", "h", "lv1", "lv2"}, 2), function("helper", "a", {"r"}, 8)},
      std::vector<std::string>{"/somewhere/small.py"});
}

inline Value smallInput(std::vector<double> values = {1, 3}) {
  auto size = static_cast<int64_t>(values.size());
  return Value::of(*HostTensor::fromDoubles({size}, DataType::Float(32), values));
}

inline std::unique_ptr<debug::MachineHistory> smallRun(const std::string& trace = {}, int64_t rank = 1) {
  auto executable = smallExecutable(rank);
  vm::MachineOptions options;
  options.kernels = std::make_shared<SmallKernels>();
  options.record = true;
  auto machine = vm::Machine::create(executable, options);
  RX_ASSERT(machine.ok(), "{}", machine.diagnostics().front().message);
  auto started = (*machine)->start("main", {smallInput()});
  RX_ASSERT(started.ok(), "{}", started.diagnostics().front().message);
  debug::Program program = debug::programOf(*executable, {smallStage()});
  return std::move(*debug::MachineHistory::create(std::move(*machine), std::move(program), {trace}));
}

}  // namespace rx::test
