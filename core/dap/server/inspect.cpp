// Frames, scopes, variables, expressions, instructions and memory, as DAP asks for them.
#include <fmt/format.h>

#include <algorithm>

#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"
#include "core/dap/server/rows.h"
#include "core/support/base64.h"
#include "core/tensor/stats.h"

namespace rx::dap {

namespace {

constexpr int64_t kMaxMemoryBytes = int64_t{16} << 20;
constexpr int64_t kMaxDisassembled = 100000;

}  // namespace

Result<int> Adapter::activationOf(int64_t frameId) const {
  auto frames = session_->history().frames(session_->state());
  if (frameId == 0) return frames.empty() ? 0 : frames.front().activation;
  for (const debug::Next& frame : frames)
    if (frame.activation + 1 == frameId) return frame.activation;
  // After the last return the outermost frame can still be looked at.
  if (frames.empty() && frameId == 1) return 0;
  return fail("dap.frame", "there is no frame " + std::to_string(frameId) + " here");
}

const debug::VmFunction& Adapter::functionOf(int activation) const {
  const auto function = session_->history().activation(activation).function;
  return session_->program().functions[static_cast<size_t>(function)];
}

Result<StackTraceBody> Adapter::stackTrace(const StackTraceArguments& arguments) {
  if (isKernelThread(arguments.threadId)) return kernelStack(arguments.threadId);
  StackTraceBody body;
  auto frames = session_->history().frames(session_->state());
  body.totalFrames = static_cast<int64_t>(frames.size());
  auto [from, to] = page(arguments.startFrame, arguments.levels, body.totalFrames);
  for (int64_t i = from; i < to; ++i) {
    const debug::Next& frame = frames[static_cast<size_t>(i)];
    const auto& instruction = session_->program().instructions[static_cast<size_t>(frame.instruction)];
    Place place = placeOfInstruction(frame.instruction);
    StackFrame row;
    row.id = frame.activation + 1;
    row.name = session_->program().functions[static_cast<size_t>(instruction.function)].name;
    row.source = std::move(place.source);
    row.line = place.line;
    row.column = 1;
    row.instructionPointerReference = instructionReference(frame.instruction);
    body.stackFrames.push_back(std::move(row));
  }
  return body;
}

int64_t Adapter::reference(Container container) {
  std::string key = fmt::format("{} {} {} {} {}", static_cast<int>(container.kind), container.ref.state,
                                container.ref.activation, container.ref.reg, fmt::join(container.ref.path, ","));
  const auto next = forgottenContainers_ + static_cast<int64_t>(containers_.size()) + 1;
  auto [it, added] = containerNumbers_.emplace(key, next);
  if (!added) return it->second;
  containers_.emplace_back(std::move(container), std::move(key));
  if (containers_.size() > kMostContainers) {
    containerNumbers_.erase(containers_.front().second);
    containers_.pop_front();
    ++forgottenContainers_;
  }
  return next;
}

Result<Adapter::Container> Adapter::container(int64_t reference) const {
  const int64_t index = reference > forgottenContainers_ ? reference - forgottenContainers_ - 1 : -1;
  if (index < 0 || index >= static_cast<int64_t>(containers_.size()))
    return fail("dap.reference", "there is no value " + std::to_string(reference));
  Container found = containers_[static_cast<size_t>(index)].first;
  if (found.kind == ScopeKind::Value) found.ref = session_->current(std::move(found.ref));
  return found;
}

int64_t Adapter::referenceFor(const debug::ValueRef& ref, const debug::Value& value) {
  switch (value.kind) {
    case debug::ValueKind::Tensor:
    case debug::ValueKind::Shape:
    case debug::ValueKind::Tuple:
    case debug::ValueKind::Variant:
    case debug::ValueKind::Closure:
      return reference({ScopeKind::Value, ref});
    default:
      return 0;
  }
}

Result<ScopesBody> Adapter::scopes(const ScopesArguments& arguments) {
  if (arguments.frameId >= kKernelFrames && isKernelThread(arguments.frameId - kKernelFrames))
    return kernelScopes(arguments.frameId - kKernelFrames);
  RX_TRY(activation, activationOf(arguments.frameId));
  const debug::VmFunction& function = functionOf(activation);
  debug::ValueRef at{session_->state(), activation, -1, {}};
  ScopesBody body;
  auto add = [&](const char* name, ScopeKind kind, int64_t count, const char* hint) {
    Scope scope;
    scope.name = name;
    if (*hint) scope.presentationHint = hint;
    scope.variablesReference = reference({kind, at});
    scope.namedVariables = count;
    body.scopes.push_back(std::move(scope));
  };
  add("Bindings", ScopeKind::Bindings, static_cast<int64_t>(session_->valuesOf(activation).size()), "locals");
  add("Registers", ScopeKind::Registers, function.registers, "registers");
  add("Shape heap", ScopeKind::Heap, static_cast<int64_t>(function.heap.size()), "");
  add("Arguments", ScopeKind::Arguments, function.arguments, "arguments");
  return body;
}

Variable Adapter::variableOf(const std::string& name, const debug::ValueRef& ref) {
  Variable variable;
  variable.name = name;
  Result<debug::Value> value = session_->read(ref);
  if (!value) {
    variable.value = value.diagnostics().front().message;
    return variable;
  }
  variable.value = debug::valueText(*value);
  variable.type = std::string(debug::valueKindName(value->kind));
  variable.variablesReference = referenceFor(ref, *value);
  if (value->kind == debug::ValueKind::Tensor) {
    variable.indexedVariables = value->tensor->count();
    variable.memoryReference = std::string(kMemoryPrefix) + std::to_string(variable.variablesReference);
  } else if (variable.variablesReference) {
    variable.indexedVariables = static_cast<int64_t>(std::max(value->shape.size(), value->items.size()));
  }
  return variable;
}

Result<VariablesBody> Adapter::variables(const VariablesArguments& arguments) {
  RX_TRY(scope, container(arguments.variablesReference));
  if (scope.kind == ScopeKind::KernelScope) return kernelVariables(scope.ref, arguments);
  if (scope.kind == ScopeKind::KernelBuffer) return kernelElements(scope.ref, arguments);
  VariablesBody body;
  const debug::ValueRef& ref = scope.ref;
  const debug::VmFunction& function = functionOf(ref.activation);
  auto each = [&](int64_t size, auto&& make) {
    auto [from, to] = page(arguments.start, arguments.count, size);
    for (int64_t i = from; i < to; ++i) body.variables.push_back(make(i));
  };
  auto registerRef = [&](int64_t i) { return debug::ValueRef{ref.state, ref.activation, static_cast<int>(i), {}}; };
  switch (scope.kind) {
    case ScopeKind::Bindings: {
      auto values = session_->valuesOf(ref.activation);
      each(static_cast<int64_t>(values.size()), [&](int64_t i) {
        const auto& [place, where] = values[static_cast<size_t>(i)];
        std::string name = session_->stage().binding(place)->variable.string();
        Variable variable = variableOf(name, where);
        variable.evaluateName = name;
        variable.declarationLocationReference = locationReference(place);
        return variable;
      });
      break;
    }
    case ScopeKind::Registers:
      each(function.registers, [&](int64_t i) {
        std::string name = fmt::format("%{}", i);
        const std::string& holds = function.registerNames[static_cast<size_t>(i)];
        Variable variable = variableOf(holds.empty() ? name : name + " " + holds, registerRef(i));
        variable.evaluateName = name;
        return variable;
      });
      break;
    case ScopeKind::Arguments:
      each(function.arguments, [&](int64_t i) {
        const std::string& name = function.registerNames[static_cast<size_t>(i)];
        return variableOf(name.empty() ? fmt::format("%{}", i) : name, registerRef(i));
      });
      break;
    case ScopeKind::Heap: {
      auto slots = session_->heapOf(ref.activation, ref.state);
      each(static_cast<int64_t>(slots.size()), [&](int64_t i) {
        const auto& slot = slots[static_cast<size_t>(i)];
        return plain(heapSlotName(function, static_cast<size_t>(i)), slot ? std::to_string(*slot) : "not stored yet");
      });
      break;
    }
    case ScopeKind::KernelScope:
    case ScopeKind::KernelBuffer:
      break;  // told before
    case ScopeKind::Value: {
      RX_TRY(value, session_->read(ref));
      if (value.kind == debug::ValueKind::Tensor) {
        each(value.tensor->count(),
             [&](int64_t i) { return plain(indexText(i, value.tensor->shape()), elementText(*value.tensor, i)); });
      } else if (value.kind == debug::ValueKind::Shape) {
        each(static_cast<int64_t>(value.shape.size()), [&](int64_t i) {
          return plain(fmt::format("[{}]", i), std::to_string(value.shape[static_cast<size_t>(i)]));
        });
      } else {
        each(static_cast<int64_t>(value.items.size()), [&](int64_t i) {
          debug::ValueRef item = ref;
          item.path.push_back(static_cast<int>(i));
          return variableOf(fmt::format("[{}]", i), item);
        });
      }
      break;
    }
  }
  return body;
}

Result<EvaluateBody> Adapter::evaluate(const EvaluateArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId.value_or(0)));
  debug::FrameEnvironment environment(*session_, activation);
  RX_TRY(quantity, debug::evaluate(arguments.expression, environment));
  EvaluateBody body;
  const auto* handle = std::get_if<debug::Handle>(&quantity);
  if (!handle) {
    body.result = debug::quantityText(quantity);
    return body;
  }
  if (const auto& made = environment.madeBy(*handle)) {
    body.result = debug::valueText(debug::tensorValue(made));
    return body;
  }
  debug::ValueRef ref = environment.refOf(*handle);
  // `x.shape` as a whole is the shape of the tensor; its numbers have expressions of their own.
  if (!ref.path.empty() && ref.path.back() < 0) {
    ref.path.pop_back();
    RX_TRY(tensor, session_->readOrDescribe(ref));
    body.result = shapeText(tensor.tensor->shape());
    return body;
  }
  Variable variable = variableOf(arguments.expression, ref);
  body.result = variable.value;
  body.type = variable.type;
  body.variablesReference = variable.variablesReference;
  body.indexedVariables = variable.indexedVariables;
  body.memoryReference = variable.memoryReference;
  return body;
}

Result<DisassembleBody> Adapter::disassemble(const DisassembleArguments& arguments) {
  auto base = instructionIndex(arguments.memoryReference);
  int64_t start = 0;
  if (!base || __builtin_add_overflow(*base, arguments.offset, &start) ||
      __builtin_add_overflow(start, arguments.instructionOffset, &start))
    return fail("dap.reference", "there is no instruction " + escapedForDisplay(arguments.memoryReference));
  if (arguments.instructionCount < 0 || arguments.instructionCount > kMaxDisassembled)
    return fail("dap.arguments", "instructionCount is from 0 to " + std::to_string(kMaxDisassembled));
  const auto& program = session_->program();
  DisassembleBody body;
  for (int64_t n = 0; n < arguments.instructionCount; ++n) {
    int64_t index = 0;
    bool inside = !__builtin_add_overflow(start, n, &index) && index >= 0 &&
                  index < static_cast<int64_t>(program.instructions.size());
    DisassembledInstruction row;
    if (!inside) {
      // DAP wants exactly as many rows as were asked for, so what lies outside of the program is filled up.
      row.address = index < 0 ? "-1" : instructionReference(index);
      row.instruction = "outside of the program";
      row.presentationHint = "invalid";
      body.instructions.push_back(std::move(row));
      continue;
    }
    const debug::Instruction& instruction = program.instructions[static_cast<size_t>(index)];
    row.address = instructionReference(index);
    row.instruction = instruction.text;
    const auto& function = program.functions[static_cast<size_t>(instruction.function)];
    if (function.begin == index) row.symbol = function.name;
    if (const auto* binding = session_->stage().binding(session_->placeOf(index)); binding && binding->line) {
      row.location = sourceOf(binding->file);
      row.line = binding->line;
    }
    body.instructions.push_back(std::move(row));
  }
  return body;
}

Result<debug::ValueRef> Adapter::memoryNamed(std::string_view text) const {
  std::optional<int64_t> number;
  if (text.starts_with(kMemoryPrefix)) number = instructionIndex(text.substr(kMemoryPrefix.size()));
  if (!number) return fail("dap.reference", "there is no memory " + escapedForDisplay(text));
  RX_TRY(where, container(*number));
  if (where.kind != ScopeKind::Value) return fail("dap.reference", "a scope has no memory");
  return where.ref;
}

Result<ReadMemoryBody> Adapter::readMemory(const ReadMemoryArguments& arguments) {
  RX_TRY(ref, memoryNamed(arguments.memoryReference));
  RX_TRY(value, session_->read(ref));
  if (value.kind != debug::ValueKind::Tensor) return fail("dap.reference", "the value has no memory");
  if (arguments.count < 0 || arguments.count > kMaxMemoryBytes)
    return fail("dap.arguments", "count is from 0 to " + std::to_string(kMaxMemoryBytes));
  int64_t size = value.tensor->bytes();
  int64_t from = std::clamp<int64_t>(arguments.offset, 0, size);
  int64_t length = arguments.offset < 0 ? 0 : std::min(arguments.count, size - from);
  ReadMemoryBody body;
  body.address = fmt::format("0x{:x}", from);
  if (length < arguments.count) body.unreadableBytes = arguments.count - length;
  body.data = base64Of(value.tensor->byteSpan().subspan(static_cast<size_t>(from), static_cast<size_t>(length)));
  return body;
}

Result<Json> Adapter::exceptionInfo(const Json&) {
  if (lastStop_.kind != debug::StopKind::Exception) return fail("dap.sequence", "the run did not stop at an exception");
  std::string rule = lastStop_.diagnostics.empty() ? "nonfinite" : lastStop_.diagnostics.front().rule;
  Json body = {{"exceptionId", rule}, {"description", lastStop_.description}, {"breakMode", "always"}};
  std::string details;
  for (const Diagnostic& d : lastStop_.diagnostics) {
    details += d.message + "\n";
    for (const DiagnosticNote& note : d.notes) details += "  " + note.message + "\n";
  }
  if (!details.empty()) body["details"] = {{"message", details}};
  return body;
}

}  // namespace rx::dap
