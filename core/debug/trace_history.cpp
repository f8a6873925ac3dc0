#include "core/debug/trace_history.h"

#include <algorithm>

#include "core/support/file.h"

namespace rx::debug {

namespace {

/// Memory that a damaged trace may name is not made up to any size.
constexpr int64_t kMaxMemory = int64_t{1} << 30;
constexpr const char* kNotKept = "the trace does not keep memory of this size";

Failure damaged(std::string why) { return fail("trace.damaged", "the trace is damaged: " + std::move(why)); }

}  // namespace

Result<std::unique_ptr<TraceHistory>> TraceHistory::open(const std::string& path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes) return bytes.failure();
  if (!bytes->starts_with(kTraceMagic)) return fail("trace.file", escapedForDisplay(path) + " is not a trace of rxs");
  std::unique_ptr<TraceHistory> history(new TraceHistory());
  RX_CHECK(history->read(std::string_view(*bytes).substr(kTraceMagic.size())));
  return history;
}

Result<Unit> TraceHistory::read(std::string_view bytes) {
  TraceIn in(bytes);
  bool haveProgram = false;
  end_ = RunEnd::Cut;
  while (!in.atEnd()) {
    auto tag = static_cast<TraceTag>(in.number<uint32_t>());
    TraceIn content(in.text());
    if (!in.ok()) break;  // the writer died inside this chunk
    if ((tag == TraceTag::Program) == haveProgram) return damaged("the program is not its first part");
    bool fine = false;
    switch (tag) {
      case TraceTag::Program: {
        RX_TRY(program, programFrom(bytes.substr(sizeof(uint32_t) + sizeof(uint64_t), content.left())));
        program_ = std::move(program);
        haveProgram = fine = true;
        break;
      }
      case TraceTag::Storage:
        fine = takeStorage(content);
        break;
      case TraceTag::Begin:
        fine = takeBegin(content);
        break;
      case TraceTag::Step:
        fine = takeStep(content);
        break;
      case TraceTag::End:
        fine = takeEnd(content);
        break;
    }
    if (!fine) return damaged("a part of step " + std::to_string(recorded()) + " contradicts the program");
  }
  if (!haveProgram || activations_.empty()) return damaged("it ends before the first step");
  return Unit();
}

bool TraceHistory::takeStorage(TraceIn& in) {
  auto id = in.number<uint64_t>();
  Memory memory;
  memory.bytes = in.number<int64_t>();
  memory.form = in.number<uint8_t>();
  memory.content = in.text();
  bool sized = memory.form != 1 || static_cast<int64_t>(memory.content.size()) == memory.bytes;
  if (!in.ok() || memory.bytes < 0 || memory.form > 2 || !sized) return false;
  return memory_.emplace(id, std::move(memory)).second;
}

bool TraceHistory::sound(const Flat& flat) const {
  if (flat.value.kind == ValueKind::Tensor || flat.value.kind == ValueKind::Storage) {
    auto it = memory_.find(flat.value.storage);
    if (it == memory_.end()) return false;
    if (flat.value.kind == ValueKind::Tensor) {
      auto bytes = tensorBytes(flat.shape, flat.dtype);
      if (!bytes || flat.offset < 0 || flat.offset > it->second.bytes || *bytes > it->second.bytes - flat.offset)
        return false;
    }
  }
  return std::all_of(flat.items.begin(), flat.items.end(), [&](const Flat& item) { return sound(item); });
}

bool TraceHistory::takeArguments(TraceIn& in, int activation) {
  int function = activations_[static_cast<size_t>(activation)].function;
  if (function < 0 || function >= static_cast<int>(program_.functions.size())) return false;
  size_t registers =
      static_cast<size_t>(std::clamp(program_.functions[static_cast<size_t>(function)].registers, 0, 1 << 24));
  size_t count = in.count(1);
  if (!in.ok() || count > registers) return false;
  registers_.resize(activations_.size());
  auto& frame = registers_[static_cast<size_t>(activation)];
  frame.resize(registers);
  for (size_t i = 0; i < count; ++i) {
    frame[i].push_back({recorded(), in.value()});
    if (!in.ok() || !sound(frame[i].back().value)) return false;
  }
  return true;
}

bool TraceHistory::takeBegin(TraceIn& in) {
  auto function = in.number<int>();
  auto instruction = in.number<int64_t>();
  if (!in.ok() || !activations_.empty() || instruction < 0 ||
      instruction >= static_cast<int64_t>(program_.instructions.size()))
    return false;
  begin(function, instruction);
  return takeArguments(in, 0);
}

bool TraceHistory::takeStep(TraceIn& in) {
  StepRecord record;
  record.instruction = in.number<int64_t>();
  record.activation = in.number<int>();
  record.dst = in.number<int>();
  record.dstActivation = in.number<int>();
  record.nanoseconds = in.number<int64_t>();
  record.compiling = in.number<int64_t>();
  record.nonFinite = in.number<uint8_t>() != 0;
  auto pushed = in.number<int>();
  auto next = in.number<int64_t>();
  auto peak = in.number<int64_t>();
  auto instructions = static_cast<int64_t>(program_.instructions.size());
  // The step must be the one that the state before it announced.
  if (!in.ok() || record.activation < 0 || record.activation != last_.activation ||
      record.instruction != last_.instruction || record.instruction < 0 || next < -1 || next >= instructions ||
      pushed < -1 || pushed >= static_cast<int>(program_.functions.size()))
    return false;
  Flat value = in.value();
  if (!sound(value)) return false;
  record.value = described(value);
  if (record.dst >= 0) {
    if (record.dstActivation < 0 || record.dstActivation >= static_cast<int>(registers_.size())) return false;
    auto& frame = registers_[static_cast<size_t>(record.dstActivation)];
    if (static_cast<size_t>(record.dst) >= frame.size()) return false;
    frame[static_cast<size_t>(record.dst)].push_back({recorded() + 1, value});
  }
  size_t produced = in.count(1);
  for (size_t i = 0; i < produced && in.ok(); ++i) {
    Produced p;
    p.reg = in.number<int>();
    p.stats = in.stats();
    Flat flat = in.value();
    if (!in.ok() || !sound(flat)) return false;
    p.value = described(flat);
    record.produced.push_back(std::move(p));
  }
  append(std::move(record), pushed, next);
  if (pushed >= 0) {
    if (!takeArguments(in, static_cast<int>(activations_.size()) - 1)) return false;
  } else if (in.count(1) != 0) {
    return false;
  }
  size_t writes = in.count(1);
  for (size_t i = 0; i < writes && in.ok(); ++i) {
    auto id = in.number<uint64_t>();
    Write write{recorded() - 1, in.number<int64_t>(), std::string()};
    write.bytes = in.text();
    auto it = memory_.find(id);
    if (!in.ok() || it == memory_.end() || write.offset < 0 || write.offset > it->second.bytes ||
        static_cast<int64_t>(write.bytes.size()) > it->second.bytes - write.offset)
      return false;
    it->second.writes.push_back(std::move(write));
  }
  peak_ = std::max(peak_, peak);
  return in.ok();
}

bool TraceHistory::takeEnd(TraceIn& in) {
  auto how = in.number<uint8_t>();
  std::vector<Diagnostic> failure;
  size_t count = in.count(1);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    Diagnostic d;
    d.rule = in.text();
    d.message = in.text();
    d.context = in.text();
    size_t notes = in.count(1);
    for (size_t n = 0; n < notes && in.ok(); ++n) d.notes.push_back({std::string(in.text()), {}});
    failure.push_back(std::move(d));
  }
  result_ = in.value();
  auto end = static_cast<RunEnd>(how);
  if (!in.ok() || (end != RunEnd::Finished && end != RunEnd::Failed) || !sound(result_)) return false;
  if (end == RunEnd::Failed && failure.empty()) return false;
  finish(end, std::move(failure));
  return true;
}

Value TraceHistory::described(const Flat& flat) {
  Value value = flat.value;
  for (const Flat& item : flat.items) value.items.push_back(described(item));
  if (value.kind != ValueKind::Tensor) return value;
  Memory& memory = memory_.at(flat.value.storage);
  if (!memory.first && memory.form != 2 && memory.bytes <= kMaxMemory) {
    if (auto storage = Storage::allocate(memory.bytes)) {
      memory.first = *storage;
      if (!memory.content.empty())
        std::memcpy(memory.first->mutableData(), memory.content.data(), memory.content.size());
    }
  }
  auto tensor = memory.first ? HostTensor::view(memory.first, flat.offset, flat.shape, flat.dtype)
                             : Result<Ref<HostTensor>>(fail("trace.not-kept", kNotKept));
  if (tensor) {
    value.tensor = *tensor;
  } else {
    value.kind = ValueKind::Object;
    value.text = tensor.diagnostics().front().message;
  }
  return value;
}

Value TraceHistory::rebuilt(const Flat& flat, int64_t state) const {
  Value value = flat.value;
  for (const Flat& item : flat.items) value.items.push_back(rebuilt(item, state));
  if (value.kind != ValueKind::Tensor) return value;
  const Memory& memory = memory_.at(flat.value.storage);
  auto tensor = memory.form == 2 || memory.bytes > kMaxMemory
                    ? Result<Ref<HostTensor>>(fail("trace.not-kept", kNotKept))
                    : HostTensor::allocate(flat.shape, flat.dtype, Storage::kFreshFill);
  if (!tensor) {
    value.kind = ValueKind::Object;
    value.text = tensor.diagnostics().front().message;
    return value;
  }
  std::byte* data = (*tensor)->mutableData();
  int64_t size = (*tensor)->bytes();
  auto overlay = [&](int64_t offset, std::string_view bytes) {
    int64_t from = std::max(offset, flat.offset);
    int64_t to = std::min(offset + static_cast<int64_t>(bytes.size()), flat.offset + size);
    if (from < to)
      std::memcpy(data + (from - flat.offset), bytes.data() + (from - offset), static_cast<size_t>(to - from));
  };
  overlay(0, memory.content);
  for (const Write& write : memory.writes) {
    if (write.step >= state) break;
    overlay(write.offset, write.bytes);
  }
  value.tensor = *tensor;
  return value;
}

const TraceHistory::Flat* TraceHistory::find(int64_t state, int activation, int reg) const {
  const auto& sets = registers_[static_cast<size_t>(activation)][static_cast<size_t>(reg)];
  auto after =
      std::upper_bound(sets.begin(), sets.end(), state, [](int64_t s, const Set& set) { return s < set.state; });
  return after == sets.begin() ? nullptr : &std::prev(after)->value;
}

Value TraceHistory::registerAt(int64_t state, int activation, int reg) {
  int64_t at = lastStateOf(activation, state);
  const Flat* flat = at < 0 ? nullptr : find(at, activation, reg);
  return flat ? rebuilt(*flat, at) : Value();
}

void TraceHistory::collect(const Flat& value, std::vector<LiveStorage>& live) const {
  if (value.value.kind == ValueKind::Tensor || value.value.kind == ValueKind::Storage) {
    uint64_t id = value.value.storage;
    if (std::none_of(live.begin(), live.end(), [&](const LiveStorage& s) { return s.id == id; }))
      live.push_back({id, memory_.at(id).bytes});
  }
  for (const Flat& item : value.items) collect(item, live);
}

std::vector<LiveStorage> TraceHistory::liveAt(int64_t state) {
  std::vector<LiveStorage> live;
  for (const Next& frame : frames(state)) {
    auto count = registers_[static_cast<size_t>(frame.activation)].size();
    for (size_t reg = 0; reg < count; ++reg)
      if (const Flat* value = find(state, frame.activation, static_cast<int>(reg))) collect(*value, live);
  }
  std::sort(live.begin(), live.end(), [](const LiveStorage& a, const LiveStorage& b) { return a.id < b.id; });
  return live;
}

}  // namespace rx::debug
