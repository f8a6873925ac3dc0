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

bool isOf(const HostTensor& tensor, const vm::MemoryWrite& write) {
  return tensor.storage().get() == write.storage && tensor.byteOffset() == write.offset &&
         tensor.bytes() == write.bytes;
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
      bytes_(*writer_),
      numbers_(*writer_, bytes_, machine),
      results_(resultsOf(program)) {
  for (const vm::FunctionInfo& function : machine.executable().functions())
    functions_.push_back(static_cast<uint32_t>(program.functionIndex(function.name)));
  for (const Instruction& instruction : program.instructions)
    kernels_.push_back(instruction.op == OpKind::Call && !instruction.builtin && instruction.calledFunction < 0);
  constants_.resize(kernels_.size());
}

void RunRecorder::beginRegisters() {
  registers_.clear();
  ends_.clear();
  encoder_.clear();
}

void RunRecorder::setRegister(uint32_t activation, size_t reg, const vm::Value& value) {
  encode(encoder_, numbers_, value);
  store::RegisterWrite& write = registers_.emplace_back();
  write.activation = activation;
  write.reg = static_cast<uint32_t>(reg);
  ends_.push_back(encoder_.bytes().size());
}

std::span<const store::RegisterWrite> RunRecorder::endRegisters() {
  for (size_t i = 0, begin = 0; i < registers_.size(); begin = ends_[i++])
    registers_[i].value = encoder_.bytes().substr(begin, ends_[i] - begin);
  return registers_;
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
  activations_.push_back(activation);
  writer_->peak(static_cast<uint64_t>(peak_ = numbers_.live()));
  writer_->beginRun({rowOf(frame.function), static_cast<uint32_t>(frame.registers.size())}, endRegisters(),
                    static_cast<uint32_t>(frame.pc));
}

const vm::Value& RunRecorder::nowIn(const vm::RegisterWrite& write) const {
  return machine_.frames()[write.frame].registers[static_cast<size_t>(write.reg)];
}

void RunRecorder::takeRegisters(const vm::StepRecord& step) {
  beginRegisters();
  if (step.frames == vm::StepRecord::Frames::Pushed) setArguments(machine_.top(), writer_->nextActivation());
  for (const vm::RegisterWrite& write : step.registers)
    setRegister(activations_[write.frame], static_cast<size_t>(write.reg), nowIn(write));
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

bool RunRecorder::givenNonFinite(size_t pc) {
  Constants& known = constants_[pc];
  if (known == Constants::Unknown) {
    known = Constants::Finite;
    const vm::Instruction& instruction = machine_.executable().instruction(pc);
    for (size_t i = 0; i < instruction.args.size(); ++i) {
      const vm::Arg arg = instruction.arg(i);
      if (arg.kind != vm::ArgKind::Constant) continue;
      const vm::Value& value = machine_.executable().constants()[static_cast<size_t>(arg.value)];
      if (value.is(vm::ValueKind::Tensor) && !tensorStats(*bytes_.tensor(value.tensor()))->finite())
        known = Constants::NonFinite;
    }
  }
  return known == Constants::NonFinite;
}

void RunRecorder::addWrite(const Storage& storage, int64_t offset, int64_t bytes) {
  store::StorageWrite& write = memory_.emplace_back();
  write.storage = numbers_.numberOf(storage);
  write.offset = static_cast<uint64_t>(offset);
  write.bytes = bytes_.of(storage, offset, bytes);
}

void RunRecorder::addMade(const vm::Value& value, bool kept) {
  eachMemory(value, [&](const vm::Value& part) {
    const Storage& storage = memoryOf(part);
    if (!numbers_.declareMade(storage, part.is(vm::ValueKind::Tensor))) return;
    addWrite(storage, 0, storage.bytes());
    memory_.back().output = true;
    const HostTensor& tensor = part.tensor();
    if (!kept && tensor.bytes() == storage.bytes()) memory_.back().statistics = tensorStats(*bytes_.tensor(tensor));
  });
}

void RunRecorder::takeMemory(const vm::StepRecord& step) {
  memory_.clear();
  bytes_.clear();
  nonFinite_ = false;
  const bool kept = writer_->keeps(results_[step.pc]);
  for (const vm::RegisterWrite& write : step.registers) addMade(nowIn(write), kept);
  if (step.memory.empty()) return;
  // Of a function that nothing is known about, which may write all its arguments, the last one counts as its output.
  const bool several = step.memory.size() > 1;
  if (several || !kept) takeTensorArguments(step);
  const bool onlyLast = several && step.memory.size() == tensors_.size();
  for (const vm::MemoryWrite& write : step.memory) {
    addWrite(*write.storage, write.offset, write.bytes);
    memory_.back().output = !onlyLast || &write == &step.memory.back();
  }
  if (!kept) describe(step);
}

void RunRecorder::describe(const vm::StepRecord& step) {
  const std::span<store::StorageWrite> written = std::span(memory_).last(step.memory.size());
  std::vector<const HostTensor*> inputs;
  bool made = false;
  for (const HostTensor* tensor : tensors_) {
    size_t i = 0;
    while (i < written.size() && !(written[i].output && isOf(*tensor, step.memory[i]))) ++i;
    if (i == written.size()) {
      inputs.push_back(tensor);
      continue;
    }
    written[i].statistics = tensorStats(*bytes_.tensor(*tensor));
    made = made || !written[i].statistics->finite();
  }
  // Inputs are looked at only where there is a reason to.
  nonFinite_ = made && kernels_[step.pc] && std::all_of(inputs.begin(), inputs.end(), [&](const HostTensor* tensor) {
                 return tensorStats(*bytes_.tensor(*tensor))->finite();
               });
}

void RunRecorder::takeHolders(const vm::StepRecord& step) {
  for (const vm::Value& value : step.released) numbers_.hold(value, -1);
  for (const vm::RegisterWrite& write : step.registers) {
    numbers_.hold(nowIn(write), 1);
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
  input.nonFinite = nonFinite_;
  input.givenNonFinite = kernels_[step.pc] && givenNonFinite(step.pc);
  input.result = results_[step.pc];
  input.registers = endRegisters();
  input.writes = memory_;
  if (input.returned) activations_.pop_back();
  if (step.frames == vm::StepRecord::Frames::Pushed) {
    const vm::Frame& frame = machine_.top();
    activations_.push_back(writer_->nextActivation());
    input.call = {rowOf(frame.function), static_cast<uint32_t>(frame.registers.size())};
  }
  if (numbers_.live() > peak_) writer_->peak(static_cast<uint64_t>(peak_ = numbers_.live()));
  writer_->step(input);
  numbers_.releaseUnheld();
}

std::optional<size_t> RunRecorder::frameOf(int activation) const {
  const auto at = std::find(activations_.begin(), activations_.end(), static_cast<uint32_t>(activation));
  return at == activations_.end() ? std::nullopt : std::optional(static_cast<size_t>(at - activations_.begin()));
}

void RunRecorder::edit(const Storage& storage, int64_t offset, int64_t bytes) {
  bytes_.clear();
  const store::StorageWrite write{numbers_.numberOf(storage), static_cast<uint64_t>(offset),
                                  bytes_.of(storage, offset, bytes)};
  writer_->edit({}, {&write, 1});
}

void RunRecorder::edit(size_t frame, size_t reg, const vm::Value& before) {
  const vm::Value& after = machine_.frames()[frame].registers[reg];
  beginRegisters();
  setRegister(activations_[frame], reg, after);
  numbers_.hold(after, 1);
  numbers_.hold(before, -1);
  writer_->edit(endRegisters(), {});
  numbers_.releaseUnheld();
}

void RunRecorder::finish(std::string details) {
  store::RunEnd end;
  end.details = std::move(details);
  if (const vm::Fault* fault = machine_.fault()) {
    end.failed = true;
    end.diagnostics = fault->diagnostics;
  } else {
    encoder_.clear();
    encode(encoder_, numbers_, machine_.result());
    if (auto result = store::decodeValue(encoder_.bytes())) end.result = std::move(*result);
  }
  writer_->finish(end);
}

}  // namespace rx::debug
