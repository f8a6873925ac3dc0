#include "core/debug/run_recorder.h"

#include <algorithm>
#include <deque>

#include "core/debug/program_codec.h"

namespace rx::debug {
namespace {

/// Values inside of values that are kept; what is deeper is named.
constexpr int kMaxValueDepth = 64;

/// Calls `use` with each constant that an instruction is given and that is a tensor.
template <class Use>
void eachConstant(const vm::Executable& executable, size_t pc, Use use) {
  const vm::Instruction& instruction = executable.instruction(pc);
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    const vm::Arg arg = instruction.arg(i);
    if (arg.kind != vm::ArgKind::Constant) continue;
    const vm::Value& value = executable.constants()[static_cast<size_t>(arg.value)];
    if (value.is(vm::ValueKind::Tensor)) use(value.tensor());
  }
}

store::TensorPlace placeOf(uint32_t storage, const HostTensor& tensor) {
  return {storage, tensor.byteOffset(), tensor.dtype(), tensor.shape()};
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
      out.tensor(placeOf(numbers.numberOf(*value.tensor().storage()), value.tensor()));
      break;
    }
    case vm::ValueKind::Shape:
      out.shape(value.asShape());
      break;
    case vm::ValueKind::Tuple:
      if (value.tupleTag() == vm::TupleObject::kPlain) {
        out.tuple(items->size());
      } else {
        out.variant(value.tupleTag(), items->size());
      }
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
  const std::vector<vm::Value>* items = encodeOne(out, numbers, root, 0);
  if (!items) return;
  std::vector<std::pair<const vm::Value*, int>> open;
  for (int depth = 1;; ++depth) {
    for (size_t i = items ? items->size() : 0; i-- > 0;) open.emplace_back(&(*items)[i], depth);
    if (open.empty()) return;
    const vm::Value* value = open.back().first;
    depth = open.back().second;
    open.pop_back();
    items = encodeOne(out, numbers, *value, depth);
  }
}

}  // namespace

Result<std::unique_ptr<RunRecorder>> RunRecorder::create(const std::string& path, const Program& program,
                                                         vm::Machine& machine, const store::Policy& policy) {
  RX_TRY(writer, store::Writer::create(path, programBytes(program), policy));
  std::unique_ptr<RunRecorder> recorder(new RunRecorder(std::move(writer), program, machine));
  recorder->begin();
  return recorder;
}

RunRecorder::RunRecorder(std::unique_ptr<store::Writer> writer, const Program& program, vm::Machine& machine)
    : writer_(std::move(writer)),
      machine_(machine),
      bytes_(*writer_),
      numbers_(*writer_, bytes_, machine),
      facts_(program.instructions.size()) {
  for (const vm::FunctionInfo& function : machine.executable().functions())
    functions_.push_back(static_cast<uint32_t>(program.functionIndex(function.name)));
  for (size_t pc = 0; pc < facts_.size(); ++pc) {
    const Instruction& instruction = program.instructions[pc];
    if (instruction.op != OpKind::Call || instruction.builtin || instruction.calledFunction >= 0) continue;
    facts_[pc] |= kCallsKernel;
    eachConstant(machine.executable(), pc, [&](const HostTensor&) { facts_[pc] |= kTakesConstants; });
  }
  // A binding of the module that was imported, or of what was compiled.
  for (const int stage : {0, static_cast<int>(program.stages.size()) - 1}) {
    const StageMap map(program, stage);
    for (size_t pc = 0; pc < facts_.size(); ++pc)
      if (!map.given(static_cast<int64_t>(pc)).empty()) facts_[pc] |= kGivesResult;
  }
}

RunRecorder::~RunRecorder() {
  machine_.onWrites({});
  // The storages whose bytes are on their way are let go of behind this.
  settle();
}

store::RegisterWrite RunRecorder::registerWrite(uint32_t activation, size_t reg, const vm::Value& value) {
  encoder_.clear();
  encode(encoder_, numbers_, value);
  return {activation, static_cast<uint32_t>(reg), encoder_.bytes()};
}

std::span<const vm::Value> RunRecorder::argumentsOf(const vm::Frame& frame) const {
  const vm::Word count = machine_.executable().function(frame.function).numArgs;
  return std::span(frame.registers).first(static_cast<size_t>(count));
}

void RunRecorder::begin() {
  machine_.onWrites([this](std::span<const vm::MemoryWrite> writes) {
    for (const vm::MemoryWrite& write : writes)
      if (!write.storage->device())
        writer_->leave(write.storage->data() + write.offset, static_cast<uint64_t>(write.bytes));
  });
  const vm::Frame& frame = machine_.top();
  const uint32_t activation = writer_->nextActivation();
  for (const vm::Value& value : frame.registers) numbers_.hold(value, 1);
  std::deque<std::string> encoded;
  std::vector<store::RegisterWrite> arguments;
  for (const vm::Value& value : argumentsOf(frame)) {
    // Who calls has the arguments to the end of the run, whatever the machine still needs of them.
    numbers_.hold(value, 1);
    store::RegisterWrite& write = arguments.emplace_back(registerWrite(activation, arguments.size(), value));
    write.value = encoded.emplace_back(write.value);
  }
  activations_.push_back(activation);
  writer_->peak(static_cast<uint64_t>(peak_ = numbers_.live()));
  writer_->beginRun({rowOf(frame.function), static_cast<uint32_t>(frame.registers.size())}, arguments,
                    static_cast<uint32_t>(frame.pc));
}

const vm::Value& RunRecorder::nowIn(const vm::RegisterWrite& write) const {
  return machine_.frames()[write.frame].registers[static_cast<size_t>(write.reg)];
}

uint32_t RunRecorder::takeCall(const vm::StepRecord& step) {
  const vm::Frame& frame = machine_.top();
  const store::Call call{rowOf(frame.function), static_cast<uint32_t>(frame.registers.size())};
  const uint32_t activation = writer_->call(call, static_cast<uint32_t>(step.pc));
  activations_.push_back(activation);
  const std::span<const vm::Value> arguments = argumentsOf(frame);
  for (size_t i = 0; i < arguments.size(); ++i) writer_->set(registerWrite(activation, i, arguments[i]));
  for (const vm::Value& value : frame.registers) numbers_.hold(value, 1);
  return activation;
}

void RunRecorder::takeRegisters(const vm::StepRecord& step) {
  for (const vm::Value& value : step.released) numbers_.hold(value, -1);
  for (const vm::RegisterWrite& write : step.registers) {
    const vm::Value& now = nowIn(write);
    const uint32_t activation = activations_[write.frame];
    if (now.is(vm::ValueKind::Tensor)) {
      // Nearly all are, and most of them were seen before.
      const uint32_t number = numbers_.hold(*now.tensor().storage(), 1);
      writer_->set(activation, static_cast<uint32_t>(write.reg), placeOf(number, now.tensor()));
    } else {
      writer_->set(registerWrite(activation, static_cast<size_t>(write.reg), now));
      numbers_.hold(now, 1);
    }
    numbers_.hold(write.before, -1);
  }
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

void RunRecorder::lookAtConstants(size_t pc) {
  facts_[pc] &= static_cast<uint8_t>(~kTakesConstants);
  eachConstant(machine_.executable(), pc, [&](const HostTensor& tensor) {
    if (!statisticsOf(tensor).finite()) facts_[pc] |= kGivenNonFinite;
  });
}

store::StorageWrite RunRecorder::storageWrite(const Storage& storage, int64_t offset, int64_t bytes, bool kept) {
  const bool read = kept || !storage.device() || storage.bytes() <= store::kAlwaysKept;
  return {numbers_.numberOf(storage), static_cast<uint64_t>(offset),
          read ? bytes_.of(storage, offset, bytes) : bytes_.unread(bytes)};
}

TensorStats RunRecorder::statisticsOf(const HostTensor& tensor) {
  for (const vm::RunDevice& row : machine_.devices()) {
    if (!tensor.device() || row.device.get() != tensor.device() || !row.statistics) continue;
    // What goes wrong there is said where its bytes are asked for.
    const auto made = row.statistics(tensor);
    if (made && *made) return **made;
  }
  return *tensorStats(*bytes_.tensor(tensor));
}

void RunRecorder::takeMade(const vm::Value& value, bool kept) {
  eachMemory(value, [&](const vm::Value& part) {
    const Storage& storage = memoryOf(part);
    if (!numbers_.declareMade(storage, part.is(vm::ValueKind::Tensor))) return;
    store::StorageWrite write = storageWrite(storage, 0, storage.bytes(), kept);
    write.output = true;
    const HostTensor& tensor = part.tensor();
    if (!kept && tensor.bytes() == storage.bytes()) write.statistics = statisticsOf(tensor);
    writer_->write(write, kept);
  });
}

bool RunRecorder::takeMemory(const vm::StepRecord& step) {
  bytes_.clear();
  const bool kept = writer_->keeps(facts_[step.pc] & kGivesResult);
  for (const vm::RegisterWrite& write : step.registers) takeMade(nowIn(write), kept);
  if (step.memory.empty()) return false;
  // Of a function that nothing is known about, which may write all its arguments, the last one counts as its output.
  const bool several = step.memory.size() > 1;
  if (several || !kept) takeTensorArguments(step);
  const bool onlyLast = several && step.memory.size() == tensors_.size();
  bool madeNonFinite = false;
  for (const vm::MemoryWrite& memory : step.memory) {
    store::StorageWrite write = storageWrite(*memory.storage, memory.offset, memory.bytes, kept);
    write.output = !onlyLast || &memory == &step.memory.back();
    if (!kept && write.output) write.statistics = describe(memory);
    madeNonFinite = madeNonFinite || (write.statistics && !write.statistics->finite());
    writer_->write(write, kept);
  }
  // Inputs, the tensors that are left, are looked at only where there is a reason to.
  return madeNonFinite && (facts_[step.pc] & kCallsKernel) &&
         std::all_of(tensors_.begin(), tensors_.end(),
                     [&](const HostTensor* tensor) { return statisticsOf(*tensor).finite(); });
}

std::optional<TensorStats> RunRecorder::describe(const vm::MemoryWrite& output) {
  std::optional<TensorStats> statistics;
  std::erase_if(tensors_, [&](const HostTensor* tensor) {
    const bool same = tensor->storage().get() == output.storage && tensor->byteOffset() == output.offset &&
                      tensor->bytes() == output.bytes;
    if (same && !statistics) statistics = statisticsOf(*tensor);
    return same;
  });
  return statistics;
}

void RunRecorder::step(StepTime time) {
  const vm::StepRecord& step = *machine_.lastStep();
  store::StepInput input;
  if (facts_[step.pc] & kTakesConstants) lookAtConstants(step.pc);
  input.nonFinite = takeMemory(step);
  if (step.frames == vm::StepRecord::Frames::Pushed) input.pushed = takeCall(step);
  takeRegisters(step);
  if (machine_.status() == vm::MachineStatus::Finished) numbers_.hold(machine_.result(), 1);
  input.instruction = static_cast<uint32_t>(step.pc);
  input.next = machine_.frames().empty() ? store::kNone : static_cast<uint32_t>(machine_.pc());
  input.nanoseconds = static_cast<uint64_t>(time.nanoseconds);
  input.compileNanoseconds = static_cast<uint64_t>(time.compiling);
  input.returned = step.frames == vm::StepRecord::Frames::Popped;
  input.givenNonFinite = facts_[step.pc] & kGivenNonFinite;
  input.result = facts_[step.pc] & kGivesResult;
  if (input.returned) activations_.pop_back();
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
  const store::StorageWrite write = storageWrite(storage, offset, bytes, true);
  writer_->edit({}, {&write, 1});
}

void RunRecorder::edit(size_t frame, size_t reg, const vm::Value& before) {
  const vm::Value& after = machine_.frames()[frame].registers[reg];
  const store::RegisterWrite write = registerWrite(activations_[frame], reg, after);
  numbers_.hold(after, 1);
  numbers_.hold(before, -1);
  writer_->edit({&write, 1}, {});
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
