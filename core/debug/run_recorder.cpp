#include "core/debug/run_recorder.h"

#include <algorithm>

#include "core/debug/program_codec.h"

namespace rx::debug {
namespace {

/// Values inside of values that are kept; what is deeper is named.
constexpr int kMaxValueDepth = 64;

/// Whether an instruction gives the value of a binding of the module that was imported, or of what was compiled.
std::vector<bool> resultsOf(const Program& program) {
  std::vector<bool> results(program.instructions.size());
  const auto last = static_cast<int>(program.stages.size()) - 1;
  for (const int stage : {0, last}) {
    const StageMap map(program, stage);
    for (size_t i = 0; i < results.size(); ++i) results[i] = results[i] || !map.given(static_cast<int64_t>(i)).empty();
  }
  return results;
}

bool overlaps(const HostTensor& tensor, const vm::MemoryWrite& write) {
  return tensor.storage() == write.storage && tensor.byteOffset() < write.offset + write.bytes &&
         write.offset < tensor.byteOffset() + tensor.bytes();
}

/// Appends a value to what the encoder holds; what is inside of it, which is to follow, or null.
const std::vector<vm::Value>* encodeOne(store::ValueEncoder& out, StorageNumbers& numbers, const vm::Value& value,
                                        int depth) {
  const std::vector<vm::Value>* items = nullptr;
  if (value.is(vm::ValueKind::Tuple)) items = &value.asTuple();
  if (value.is(vm::ValueKind::Closure)) items = &value.asClosure().captured;
  if (items && depth >= kMaxValueDepth) {
    out.object("nested deeper than is kept");
    return nullptr;
  }
  switch (value.kind()) {
    case vm::ValueKind::Null:
      out.none();
      break;
    case vm::ValueKind::Int:
      out.integer(value.asInt());
      break;
    case vm::ValueKind::Bool:
      out.integer(value.asBool());
      break;
    case vm::ValueKind::Float:
      out.real(value.asFloat());
      break;
    case vm::ValueKind::String:
      out.string(value.asString());
      break;
    case vm::ValueKind::Type:
      out.dtype(value.asType());
      break;
    case vm::ValueKind::Tensor: {
      const HostTensor& tensor = value.tensor();
      out.tensor(numbers.numberOf(*tensor.storage()), tensor.byteOffset(), tensor.dtype(), tensor.shape());
      break;
    }
    case vm::ValueKind::Shape:
      out.shape(value.asShape());
      break;
    case vm::ValueKind::Tuple:
      out.tuple(items->size());
      break;
    case vm::ValueKind::Closure:
      out.closure(value.asClosure().name, items->size());
      break;
    case vm::ValueKind::Storage:
      out.storage(numbers.numberOf(*value.asStorage()));
      break;
    default:
      out.object(value.summary());
      break;
  }
  return items;
}

void encode(store::ValueEncoder& out, StorageNumbers& numbers, const vm::Value& root) {
  std::vector<std::pair<const vm::Value*, int>> open;  // items, which most values have none of
  std::pair<const vm::Value*, int> next{&root, 0};
  while (next.first) {
    const auto [value, depth] = next;
    const auto* items = encodeOne(out, numbers, *value, depth);
    for (size_t i = items ? items->size() : 0; i-- > 0;) open.emplace_back(&(*items)[i], depth + 1);
    next = open.empty() ? std::pair<const vm::Value*, int>() : open.back();
    if (!open.empty()) open.pop_back();
  }
}

}  // namespace

Result<std::unique_ptr<RunRecorder>> RunRecorder::create(const std::string& path, const Program& program,
                                                         const vm::Machine& machine, const store::Policy& policy) {
  RX_TRY(writer, store::Writer::create(path, programBytes(program), policy));
  std::unique_ptr<RunRecorder> recorder(new RunRecorder(std::move(writer), program, machine));
  recorder->begin();
  return recorder;
}

RunRecorder::RunRecorder(std::unique_ptr<store::Writer> writer, const Program& program, const vm::Machine& machine)
    : writer_(std::move(writer)),
      machine_(machine),
      numbers_(*writer_, machine.executable()),
      results_(resultsOf(program)) {
  for (const vm::FunctionInfo& function : machine.executable().functions())
    functions_.push_back(static_cast<uint32_t>(program.functionIndex(function.name)));
  for (const Instruction& instruction : program.instructions)
    kernels_.push_back(instruction.op == OpKind::Call && !instruction.builtin && instruction.calledFunction < 0);
}

std::string_view RunRecorder::encoded(const vm::Value& value) {
  encoder_.clear();
  encode(encoder_, numbers_, value);
  return encoder_.bytes();
}

void RunRecorder::setRegister(uint32_t activation, size_t reg, const vm::Value& value) {
  if (encodings_.size() == registers_.size()) encodings_.emplace_back();
  encodings_[registers_.size()] = encoded(value);
  registers_.push_back({activation, static_cast<uint32_t>(reg), {}});
}

void RunRecorder::setArguments(const vm::Frame& frame, uint32_t activation) {
  const auto count = static_cast<size_t>(machine_.executable().function(frame.function).numArgs);
  for (size_t i = 0; i < count; ++i) setRegister(activation, i, frame.registers[i]);
}

void RunRecorder::begin() {
  const vm::Frame& frame = machine_.top();
  const uint32_t activation = writer_->nextActivation();
  for (const vm::Value& value : frame.registers) numbers_.hold(value, 1);
  setArguments(frame, activation);
  for (size_t i = 0; i < registers_.size(); ++i) registers_[i].value = encodings_[i];
  activations_.push_back(activation);
  writer_->peak(static_cast<uint64_t>(numbers_.live()));
  writer_->beginRun({rowOf(frame.function), static_cast<uint32_t>(frame.registers.size())}, registers_,
                    static_cast<uint32_t>(frame.pc));
}

void RunRecorder::takeRegisters(const vm::StepRecord& step) {
  registers_.clear();
  if (step.frames == vm::StepRecord::Frames::Pushed) setArguments(machine_.top(), writer_->nextActivation());
  for (const vm::RegisterWrite& write : step.registers)
    setRegister(activations_[write.frame], static_cast<size_t>(write.reg), write.after);
  for (size_t i = 0; i < registers_.size(); ++i) registers_[i].value = encodings_[i];
}

void RunRecorder::takeTensorArguments(const vm::StepRecord& step) {
  tensors_.clear();
  const vm::Instruction& instruction = machine_.executable().instruction(step.pc);
  if (instruction.op != vm::Opcode::Call || step.depth > machine_.frames().size()) return;
  const auto& registers = machine_.frames()[step.depth - 1].registers;
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    const vm::Arg arg = instruction.arg(i);
    const bool constant = arg.kind == vm::ArgKind::Constant;
    if (!constant && (arg.kind != vm::ArgKind::Register || arg.value >= vm::kRegisterLimit)) continue;
    const auto& values = constant ? machine_.executable().constants() : registers;
    const vm::Value& value = values[static_cast<size_t>(arg.value)];
    if (value.is(vm::ValueKind::Tensor)) tensors_.push_back(&value.tensor());
  }
}

void RunRecorder::addMade(const vm::Value& value) {
  eachMemory(value, [&](const vm::Value& part) {
    const Storage& storage = memoryOf(part);
    if (!numbers_.declareMade(storage, part.is(vm::ValueKind::Tensor))) return;
    memory_.writes.push_back(
        {numbers_.numberOf(storage), 0, {storage.data(), static_cast<size_t>(storage.bytes())}, {}});
    const HostTensor& tensor = part.tensor();
    if (tensor.bytes() == storage.bytes()) memory_.writes.back().statistics = tensorStats(tensor);
  });
}

void RunRecorder::takeMemory(const vm::StepRecord& step) {
  memory_.writes.clear();
  for (const vm::RegisterWrite& write : step.registers) addMade(write.after);
  takeTensorArguments(step);
  const auto wrote = [&](const HostTensor& tensor) {
    return std::any_of(step.memory.begin(), step.memory.end(),
                       [&](const auto& write) { return overlaps(tensor, write); });
  };
  // Of a function that nothing is known about, which may write all its arguments, the last one counts as its output.
  const bool all =
      !tensors_.empty() && std::all_of(tensors_.begin(), tensors_.end(), [&](const auto& t) { return wrote(*t); });
  const auto output = [&](const HostTensor& tensor) { return all ? &tensor == tensors_.back() : wrote(tensor); };
  for (const vm::MemoryWrite& write : step.memory) {
    const std::byte* from = write.storage->data() + write.offset;
    memory_.writes.push_back({numbers_.numberOf(*write.storage),
                              static_cast<uint64_t>(write.offset),
                              {from, static_cast<size_t>(write.bytes)},
                              {}});
    for (const HostTensor* tensor : tensors_) {
      if (tensor->data() != from || tensor->bytes() != write.bytes || !output(*tensor)) continue;
      memory_.writes.back().statistics = tensorStats(*tensor);
      break;
    }
  }
  const auto bad = [](const store::StorageWrite& write) { return write.statistics && !write.statistics->finite(); };
  memory_.nonFinite = kernels_[step.pc] && std::any_of(memory_.writes.begin(), memory_.writes.end(), bad) &&
                      std::all_of(tensors_.begin(), tensors_.end(), [&](const HostTensor* tensor) {
                        return output(*tensor) || tensorStats(*tensor)->finite();
                      });
}

void RunRecorder::takeHolders(const vm::StepRecord& step) {
  for (const vm::Value& value : step.released) numbers_.hold(value, -1);
  for (const vm::RegisterWrite& write : step.registers) {
    numbers_.hold(write.after, 1);
    numbers_.hold(write.before, -1);
  }
  if (step.finished) numbers_.hold(step.result, 1);
  if (step.frames == vm::StepRecord::Frames::Popped && step.frame)
    for (const vm::Value& value : step.frame->registers) numbers_.hold(value, -1);
  if (step.frames == vm::StepRecord::Frames::Pushed)
    for (const vm::Value& value : machine_.top().registers) numbers_.hold(value, 1);
}

void RunRecorder::step(StepTime time) {
  const vm::StepRecord& step = *machine_.lastStep();
  takeMemory(step);
  takeRegisters(step);
  takeHolders(step);
  store::StepInput input;
  input.instruction = static_cast<uint32_t>(step.pc);
  input.next = machine_.frames().empty() ? store::kNone : static_cast<uint32_t>(machine_.pc());
  input.nanoseconds = static_cast<uint64_t>(time.nanoseconds);
  input.compileNanoseconds = static_cast<uint64_t>(time.compiling);
  input.returned = step.frames == vm::StepRecord::Frames::Popped;
  input.nonFinite = memory_.nonFinite;
  input.result = results_[step.pc];
  input.registers = registers_;
  input.writes = memory_.writes;
  if (input.returned) activations_.pop_back();
  if (step.frames == vm::StepRecord::Frames::Pushed) {
    const vm::Frame& frame = machine_.top();
    activations_.push_back(writer_->nextActivation());
    input.call = {rowOf(frame.function), static_cast<uint32_t>(frame.registers.size())};
  }
  writer_->peak(static_cast<uint64_t>(numbers_.live()));
  writer_->step(input);
  numbers_.releaseUnheld();
}

std::optional<size_t> RunRecorder::frameOf(int activation) const {
  const auto at = std::find(activations_.begin(), activations_.end(), static_cast<uint32_t>(activation));
  return at == activations_.end() ? std::nullopt : std::optional(static_cast<size_t>(at - activations_.begin()));
}

void RunRecorder::edit(const Storage& storage, int64_t offset, int64_t bytes) {
  const store::StorageWrite write{
      numbers_.numberOf(storage), static_cast<uint64_t>(offset), {storage.data() + offset, static_cast<size_t>(bytes)}};
  writer_->edit({}, {&write, 1});
}

void RunRecorder::edit(size_t frame, size_t reg, const vm::Value& before) {
  const vm::Value& after = machine_.frames()[frame].registers[reg];
  registers_.clear();
  setRegister(activations_[frame], reg, after);
  registers_.back().value = encodings_.front();
  numbers_.hold(after, 1);
  numbers_.hold(before, -1);
  writer_->edit(registers_, {});
  numbers_.releaseUnheld();
}

void RunRecorder::finish(std::string details) {
  store::RunEnd end;
  end.details = std::move(details);
  if (const vm::Fault* fault = machine_.fault()) {
    end.failed = true;
    end.diagnostics = fault->diagnostics;
  } else if (auto result = store::decodeValue(encoded(machine_.result()))) {
    end.result = std::move(*result);
  }
  writer_->finish(end);
}

}  // namespace rx::debug
