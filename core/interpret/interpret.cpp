// Programs from their begin to their end.
#include "core/interpret/machine.h"
#include "core/runtime/registry.h"

namespace rx::interpret {

Options completed(Options options) {
  static const vm::PackedRegistry kBuiltins = vm::PackedRegistry::withBuiltins();
  vm::Surroundings& around = options.around;
  if (!around.memory) around.memory = std::make_shared<StorageArena>(options.maxBytes);
  if (!around.registry) around.registry = &kBuiltins;
  return options;
}

Result<Value> callPacked(std::string_view name, std::span<const Value> args, const vm::Surroundings& around) {
  const Ref<vm::Callable> function = around.registry->find(name);
  if (!function) return fail("vm.missing-function", fmt::format("there is no packed function \"{}\"", name));
  vm::CallContext context(around);
  return function->call(context, vm::ArgumentsOf(args));
}

Result<Value> execute(const Program& program, std::span<const Value> args, const Options& options) {
  const Options whole = completed(options);
  Machine machine(program, args, whole);
  RX_CHECK(machine.begin());
  RX_CHECK(machine.resume<Machine::Halt::Done>());
  return machine.value();
}

Result<Value> runPrimFunc(const tir::PrimFuncRef& function, std::span<const Value> args, const Options& options) {
  RX_TRY(program, compile(function, ir::strAttrOf(function->attrs, "global_symbol", "the kernel")));
  return execute(program, args, options);
}

}  // namespace rx::interpret
