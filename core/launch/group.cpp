#include "core/launch/group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "core/interpret/machine.h"
#include "core/launch/thread_program.h"
#include "core/tensor/element.h"

namespace rx::launch {

using namespace interpret;

namespace {

/// That a statement is shown with: a loop that is one statement may touch any number.
constexpr size_t kMostTouches = 64;

struct Thread {
  std::optional<Machine> machine;
  Group::State state = Group::State::Ready;
  int32_t groupWaits = 0, warpWaits = 0;  ///< that are over
};

/// Where a thread that waits does so.
const Instr& waitOf(const Program& program, const Machine& machine) { return program.code[machine.place() - 1]; }
bool waitsForGroup(const Instr& in) { return in.code == Code::Wait && in.imm == 0; }

/// The number of the thread whose value one takes.
int64_t giverOf(const ExchangeSite& site, int64_t thread, int64_t by, int64_t part) {
  const int64_t lane = thread % part, first = thread - lane;
  using From = ExchangeSite::From;
  int64_t to = by % part;
  if (site.from == From::Up) to = lane - by;
  if (site.from == From::Down) to = lane + by;
  if (site.from == From::Xor) to = lane ^ by;
  return first + (to >= 0 && to < part ? to : lane);
}

std::string lanesText(Machine& machine, const NamedValue& value) {
  const DataType type = value.type.element();
  const auto one = [&](uint32_t reg) {
    const Reg& held = machine.reg(reg);
    if (type.isBool()) return std::string(held.i ? "True" : "False");
    return type.isFloat() ? fmt::format("{:.9g}", held.f) : fmt::format("{}", held.i);
  };
  if (value.lanes.size() == 1) return one(value.lanes.front());
  std::vector<std::string> lanes;
  for (const uint32_t reg : value.lanes) lanes.push_back(one(reg));
  return fmt::format("({})", fmt::join(lanes, ", "));
}

}  // namespace

struct Group::Parts final : AccessWatch {
  Launch launch;
  std::array<int64_t, 3> at;
  Races* races;
  Options options;
  std::vector<Ref<Storage>> shared;
  std::deque<Thread> threads;
  size_t running = 0;
  struct Touched {
    uint32_t buffer;
    int64_t index;
    bool writes;
    DataType type;
    const std::byte* at;
  };
  std::optional<size_t> stepped;  ///< whose accesses are kept
  std::vector<Touched> touches;

  const ThreadProgram& program() const { return *launch.program; }
  int64_t number() const { return (at[2] * launch.grid[1] + at[1]) * launch.grid[0] + at[0]; }

  void touched(const Instr& in, uint32_t buffer, const View& view, const std::byte* place) override {
    const Thread& thread = threads[running];
    const auto how = in.code == Code::Load    ? Toucher::How::Reads
                     : in.code == Code::Store ? Toucher::How::Writes
                                              : Toucher::How::Adds;
    const uint32_t statement = program().statements[static_cast<size_t>(&in - program().code.data())];
    const int64_t index = (place - view.data) / view.elementBytes;
    if (stepped == running && touches.size() < kMostTouches)
      touches.push_back({buffer, index, how != Toucher::How::Reads, program().bufferTypes[buffer].element(), place});
    if (view.own) return;
    const Toucher by{number(),
                     static_cast<int32_t>(running),
                     static_cast<int32_t>(static_cast<int64_t>(running) / kWarp),
                     thread.groupWaits,
                     thread.warpWaits,
                     program().spans[statement],
                     how};
    const std::string_view name = program().bufferNames[buffer].view();
    const bool ofGroup = std::find(shared.begin(), shared.end(), view.storage) != shared.end();
    races->touched(ofGroup ? Races::Memory::Group : Races::Memory::Device, place, view.partBytes, by, name, index);
  }

  std::array<int64_t, 3> place(size_t thread) const {
    const auto n = static_cast<int64_t>(thread);
    return {n % launch.group[0], n / launch.group[0] % launch.group[1], n / (launch.group[0] * launch.group[1])};
  }

  uint32_t statement(const Thread& thread) const {
    const Machine& machine = *thread.machine;
    return thread.state == Group::State::Waits ? program().statements[machine.place() - 1] : machine.statement();
  }

  Result<Unit> begin() {
    for (const SharedMemory& memory : program().shared) {
      RX_TRY(storage, Storage::allocate(std::max<int64_t>(memory.bytes, 1), options.around.memory));
      shared.push_back(std::move(storage));
    }
    for (int64_t i = 0; i < launch.threads(); ++i) {
      Thread& thread = threads.emplace_back();
      thread.machine.emplace(program(), launch.args, options, races ? this : nullptr);
      Machine& machine = *thread.machine;
      RX_CHECK(machine.begin());
      for (size_t s = 0; s < shared.size(); ++s) machine.share(program().shared[s].pointer, shared[s]);
      const auto own = place(static_cast<size_t>(i));
      for (const ThreadAxis& axis : program().axes) {
        const auto along = static_cast<size_t>(axis.tag.back() - 'x');
        machine.reg(axis.reg).i = (axis.tag.starts_with("block") ? at : own)[along];
      }
      // What stands before the first statement takes the arguments.
      RX_CHECK(advance<Machine::Halt::Statement>(static_cast<size_t>(i)));
    }
    return Unit{};
  }

  template <Machine::Halt kUntil>
  Result<Unit> advance(size_t number) {
    Thread& thread = threads[number];
    running = number;
    const Result<Machine::Halt> halt = thread.machine->resume<kUntil>();
    if (!halt) {
      thread.state = Group::State::Failed;
      Diagnostic said = halt.diagnostics().front();
      said.message += fmt::format(", in {}", threadText(at, place(number)));
      said.span = program().spans[thread.machine->statement()];
      return fail(std::move(said));
    }
    if (*halt == Machine::Halt::Waits) thread.state = Group::State::Waits;
    if (*halt == Machine::Halt::Done) thread.state = Group::State::Done;
    return Unit{};
  }

  /// The threads whose wait is this one's.
  std::pair<size_t, size_t> waiters(size_t number) const {
    if (waitsForGroup(waitOf(program(), *threads[number].machine))) return {0, threads.size()};
    const size_t first = number / kWarp * kWarp;
    return {first, std::min(first + static_cast<size_t>(kWarp), threads.size())};
  }

  /// Lets go those that wait with a thread. Fails where one of them waits elsewhere.
  Result<Unit> release(size_t number) {
    const auto [first, end] = waiters(number);
    const size_t here = threads[number].machine->place();
    for (size_t i = first; i < end; ++i) {
      if (threads[i].state == State::Done || threads[i].machine->place() == here) continue;
      Diagnostic said = errorAt(program().spans[statement(threads[number])], "interpret.barrier",
                                fmt::format("{}: {} waits here, and {} waits elsewhere: neither goes on",
                                            program().name, threadText(at, place(number)), threadText(at, place(i))));
      said.notes.push_back({"there; all threads that wait for each other have to come to the same place",
                            program().spans[statement(threads[i])]});
      threads[number].state = State::Failed;
      return fail(std::move(said));
    }
    const Instr& in = waitOf(program(), *threads[number].machine);
    if (in.code == Code::Exchange) exchange(in, first, end);
    for (size_t i = first; i < end; ++i) {
      Thread& thread = threads[i];
      if (thread.state != State::Waits) continue;
      thread.state = thread.machine->place() < program().code.size() ? State::Ready : State::Done;
      ++(waitsForGroup(in) ? thread.groupWaits : thread.warpWaits);
    }
    return Unit{};
  }

  /// All values are there before the first is taken.
  void exchange(const Instr& in, size_t first, size_t end) {
    const ExchangeSite& site = program().exchanges[static_cast<size_t>(in.imm)];
    std::vector<Reg> given;
    for (size_t i = first; i < end; ++i) given.push_back(threads[i].machine->reg(in.a));
    for (size_t i = first; i < end; ++i) {
      if (threads[i].state != State::Waits) continue;
      Machine& machine = *threads[i].machine;
      const int64_t part = std::max<int64_t>(machine.reg(site.part).i, 1);
      const int64_t from = giverOf(site, static_cast<int64_t>(i), machine.reg(site.by).i, part);
      const size_t at = static_cast<size_t>(from) - first;
      machine.reg(in.dst) = given[at < given.size() ? at : i - first];
    }
  }

  /// Brings a thread that waits to where it does not: all that it waits for come to their waits.
  Result<Unit> meet(size_t number) {
    while (threads[number].state == State::Waits) {
      const auto [first, end] = waiters(number);
      size_t late = first;
      while (late < end && threads[late].state != State::Ready) ++late;
      if (late < end) {
        RX_CHECK(advance<Machine::Halt::Waits>(late));
        continue;
      }
      // Of those that have come, one may wait for its warp alone: that is let go first.
      size_t inWarp = first;
      while (inWarp < end &&
             !(threads[inWarp].state == State::Waits && !waitsForGroup(waitOf(program(), *threads[inWarp].machine))))
        ++inWarp;
      const bool other = waitsForGroup(waitOf(program(), *threads[number].machine)) && inWarp < end;
      RX_CHECK(release(other ? inWarp : number));
    }
    return Unit{};
  }
};

Group::Group(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Group::~Group() = default;

Result<std::unique_ptr<Group>> Group::start(Launch launch, std::array<int64_t, 3> at, Races* races,
                                            const Options& options) {
  auto parts = std::make_unique<Parts>();
  parts->launch = std::move(launch);
  parts->at = at;
  parts->races = races;
  parts->options = completed(options);
  RX_CHECK(parts->begin());
  return std::unique_ptr<Group>(new Group(std::move(parts)));
}

const Launch& Group::launch() const { return parts_->launch; }
std::array<int64_t, 3> Group::at() const { return parts_->at; }
int64_t Group::size() const { return static_cast<int64_t>(parts_->threads.size()); }
std::array<int64_t, 3> Group::thread(int64_t number) const { return parts_->place(static_cast<size_t>(number)); }
Group::State Group::state(int64_t thread) const { return parts_->threads[static_cast<size_t>(thread)].state; }

Span Group::place(int64_t thread) const {
  return parts_->program().spans[parts_->statement(parts_->threads[static_cast<size_t>(thread)])];
}

std::vector<ThreadValue> Group::values(int64_t number) const {
  Machine& machine = *parts_->threads[static_cast<size_t>(number)].machine;
  const ThreadProgram& program = parts_->program();
  std::vector<ThreadValue> values;
  for (const ThreadAxis& axis : program.axes)
    values.push_back({axis.tag, fmt::format("{}", machine.reg(axis.reg).i), nullptr, {}});
  for (const NamedValue& variable : program.variables) {
    if (variable.begin < machine.place() && machine.place() <= variable.end)
      values.push_back({variable.name.string(), lanesText(machine, variable), nullptr, {}});
  }
  for (uint32_t slot = 0; slot < program.bufferNames.size(); ++slot) {
    const View& view = machine.view(slot);
    const std::string name = program.bufferNames[slot].string();
    const auto known = [&](const ThreadValue& value) { return value.buffer && value.name == name; };
    if (!view.storage || std::any_of(values.begin(), values.end(), known)) continue;
    const DataType type = program.bufferTypes[slot];
    std::vector<int64_t> shape;
    for (const View::Axis& axis : view.axes) shape.push_back(axis.size);
    auto tensor = HostTensor::view(view.storage, view.data - view.storage->data(), std::move(shape), type);
    if (tensor) values.push_back({name, {}, std::move(*tensor), program.bufferScopes[slot].string()});
  }
  return values;
}

std::vector<Touch> Group::touches() const {
  std::vector<Touch> all;
  for (const Parts::Touched& one : parts_->touches) {
    std::string text = one.type.isFloat() ? fmt::format("{:.9g}", readElement(one.type, one.at))
                                          : fmt::format("{}", readInt(one.type, one.at));
    all.push_back({parts_->program().bufferNames[one.buffer].string(), one.index, one.writes, std::move(text)});
  }
  return all;
}

Result<Unit> Group::step(int64_t number) {
  parts_->touches.clear();
  parts_->stepped = static_cast<size_t>(number);
  const auto at = static_cast<size_t>(number);
  Thread& thread = parts_->threads[at];
  if (thread.state == State::Done || thread.state == State::Failed) return Unit{};
  const uint32_t statement = parts_->statement(thread);
  RX_CHECK(parts_->meet(at));
  // Behind a wait there may be more of its statement, as of one that takes another thread's value.
  while (thread.state == State::Ready && thread.machine->statement() == statement) {
    RX_CHECK(parts_->advance<Machine::Halt::Statement>(at));
    if (thread.state == State::Ready) break;
    if (thread.state != State::Waits || waitOf(parts_->program(), *thread.machine).code == Code::Wait) break;
    RX_CHECK(parts_->meet(at));
  }
  return Unit{};
}

Result<Unit> Group::finish() {
  parts_->touches.clear();
  parts_->stepped.reset();
  for (size_t i = 0; i < parts_->threads.size(); ++i) {
    Thread& thread = parts_->threads[i];
    while (thread.state == State::Ready || thread.state == State::Waits) {
      RX_CHECK(parts_->meet(i));
      if (thread.state == State::Ready) RX_CHECK(parts_->advance<Machine::Halt::Waits>(i));
    }
  }
  return Unit{};
}

}  // namespace rx::launch
