#include "core/runtime/sized_plan.h"

#include <algorithm>
#include <bit>

namespace rx::vm {
namespace {

/// What the evaluation knows of a register.
enum class Known : uint8_t {
  Nothing,
  Size,   ///< shape and type; the value that stands for it may be a shape
  Value,  ///< the very value, which is no tensor
  Heap,   ///< the very value, a shape heap
};

/// The registers of a call that are read: calls `use` with the index of the argument and the register.
template <class Use>
void eachArgument(const PlannedCall& call, Use use) {
  for (size_t i = 0; i < call.count; ++i)
    if (!call.places[i].fixed) use(i, call.places[i].reg);
}

bool writesRegister(const PlannedCall& call) { return call.dst < kRegisterLimit; }

/// In two passes: forwards, what the sizes decide; backwards, what of that somebody who runs still needs.
class Evaluation {
 public:
  struct Step {
    bool decided = false;  ///< the sizes decide what it gives
    bool frees = false;    ///< it takes a value away that nothing else does
    bool runs = true;
    const Value* gives = nullptr;
    std::vector<PlannedArgument> places;  ///< with values in the place of registers; empty: as planned
  };

  Evaluation(const Executable& executable, const LaunchPlan& plan, const FunctionInfo& function,
             const Surroundings& around)
      : executable_(executable),
        plan_(plan),
        begin_(static_cast<size_t>(function.start)),
        end_(static_cast<size_t>(function.end)),
        arguments_(static_cast<size_t>(function.numArgs)),
        around_(around) {
    // What a function of the program calls by name may do anything.
    around_.registry = nullptr;
    around_.print = nullptr;
    stop_ = begin_;
    while (stop_ < end_ && plan_.call(stop_).calls) ++stop_;
    values_.reserve(stop_ - begin_);  // they are pointed to
  }

  /// Whether anything is left out, or has a value in the place of a register.
  bool run(std::span<const uint32_t> read, std::span<const Value> registers) {
    registers_.resize(registers.size());
    known_.assign(registers.size(), Known::Nothing);
    given_.assign(registers.size(), nullptr);
    held_.assign(registers.size(), false);
    std::fill_n(held_.begin(), arguments_, true);
    for (const uint32_t reg : read) {
      registers_[reg] = registers[reg];
      known_[reg] = Known::Size;
    }
    for (size_t pc = begin_; pc < stop_; ++pc) steps_.push_back(step(pc));
    if (!markNeeded()) return false;
    bool any = false;
    for (const Step& step : steps_) any = any || !step.runs || !step.places.empty();
    return any && keepHeaps();
  }

  std::vector<Step>& steps() { return steps_; }
  std::vector<Value>& values() { return values_; }

 private:
  Step step(size_t pc) {
    const PlannedCall& call = plan_.call(pc);
    Step step;
    Value result;
    step.decided = call.givesNull || decides(call, result);
    Known gives = result.is(ValueKind::Tensor) ? Known::Heap : Known::Value;
    if (!step.decided) {
      forgetHeaps(call);
      result = shapeOf(call);
      gives = result.isNull() ? Known::Nothing : Known::Size;
    }
    fillIn(call, step);
    if (step.decided) {
      values_.push_back(result);
      step.gives = &values_.back();
    }
    if (!writesRegister(call)) return step;
    const auto dst = static_cast<size_t>(call.dst);
    const auto last = plan_.lastUsed(pc, pc + 1);
    step.frees = held_[dst] && std::find(last.begin(), last.end(), dst) == last.end();
    held_[dst] = !step.decided;
    registers_[dst] = std::move(result);
    known_[dst] = gives;
    given_[dst] = step.gives;
    return step;
  }

  /// Evaluates a call of which all is known that it looks at.
  bool decides(const PlannedCall& call, Value& result) {
    if (!call.prepared || !call.prepared->findsSizes()) return false;
    bool knows = true;
    for (size_t i = 0; i < call.count && knows; ++i) {
      const PlannedArgument& place = call.places[i];
      if (place.fixed) {
        knows = !place.written || !place.fixed->is(ValueKind::Tensor);
      } else {
        const bool reached = call.callee->reaches(i).has_value();
        knows = known_[place.reg] != Known::Nothing && !(reached && known_[place.reg] == Known::Size);
      }
    }
    if (!knows) return false;
    CallContext context(around_);
    return call.prepared->run(context, call.arguments(registers_.data()), result) == PreparedCall::Outcome::Done;
  }

  /// A heap that others are given may be written by them from then on.
  void forgetHeaps(const PlannedCall& call) {
    eachArgument(call, [&](size_t, uint32_t reg) {
      if (known_[reg] != Known::Heap) return;
      const Value heap = registers_[reg];
      for (size_t other = 0; other < registers_.size(); ++other)
        if (known_[other] == Known::Heap && registers_[other].same(heap)) known_[other] = Known::Nothing;
    });
  }

  /// The shape of the tensor that a call gives; null where it is not known.
  Value shapeOf(const PlannedCall& call) const {
    const auto shaped = call.prepared ? call.prepared->shapedBy() : std::nullopt;
    if (!shaped || *shaped >= call.count) return {};
    const PlannedArgument& place = call.places[*shaped];
    const Value* shape = place.fixed;
    if (!shape && known_[place.reg] == Known::Value) shape = &registers_[place.reg];
    return shape && shape->is(ValueKind::Shape) ? *shape : Value();
  }

  void fillIn(const PlannedCall& call, Step& step) const {
    eachArgument(call, [&](size_t i, uint32_t reg) {
      if (known_[reg] != Known::Value) return;
      if (step.places.empty()) step.places.assign(call.places, call.places + call.count);
      step.places[i].fixed = given_[reg];
    });
  }

  /// Finds which steps have to run; false where the function comes back to one of them.
  bool markNeeded() {
    std::vector<bool> needed(registers_.size());
    const auto need = [&](uint32_t reg) { needed[reg] = true; };
    const bool returns = stop_ < end_ && executable_.instruction(stop_).op == Opcode::Ret;
    for (size_t pc = stop_; pc < (returns ? stop_ + 1 : end_); ++pc) {
      const Instruction& instruction = executable_.instruction(pc);
      if (instruction.jumpsBackwards()) return false;
      eachRegister(instruction, need);
    }
    for (size_t pc = stop_; pc-- > begin_;) {
      Step& step = steps_[pc - begin_];
      const PlannedCall& call = plan_.call(pc);
      const bool gives = writesRegister(call) && needed[static_cast<size_t>(call.dst)];
      step.runs = !step.decided || step.frees || gives;
      eachArgument(call,
                   [&](size_t i, uint32_t reg) { step.runs = step.runs || (call.places[i].written && needed[reg]); });
      if (!step.runs) continue;
      if (writesRegister(call)) needed[static_cast<size_t>(call.dst)] = false;
      eachArgument(call, [&](size_t i, uint32_t reg) {
        if (step.places.empty() || !step.places[i].fixed) need(reg);
      });
    }
    return true;
  }

  /// What a run is charged for is given back: heaps are kept as copies.
  bool keepHeaps() {
    for (Value& value : values_) {
      if (!value.is(ValueKind::Tensor)) continue;
      auto copy = value.tensor().copy();
      if (!copy) return false;
      value = Value::of(std::move(*copy));
    }
    return true;
  }

  const Executable& executable_;
  const LaunchPlan& plan_;
  const size_t begin_, end_, arguments_;
  size_t stop_ = 0;  ///< behind the last step
  Surroundings around_;
  std::vector<Value> registers_;
  std::vector<Known> known_;
  std::vector<const Value*> given_;  ///< of values: where they are kept
  std::vector<bool> held_;           ///< holds what an argument or an instruction that is not decided put there
  std::vector<Value> values_;
  std::vector<Step> steps_;
};

}  // namespace

Ref<SizedPlan> SizedPlan::make(const Executable& executable, const LaunchPlan& plan, const FunctionInfo& function,
                               std::span<const uint32_t> read, std::span<const Value> registers,
                               const Surroundings& around) {
  Evaluation evaluation(executable, plan, function, around);
  if (!evaluation.run(read, registers)) return nullptr;
  std::vector<Evaluation::Step>& steps = evaluation.steps();
  auto* const made = new SizedPlan();
  const Ref<SizedPlan> owned(made);
  made->begin_ = static_cast<size_t>(function.start);
  made->values_ = std::move(evaluation.values());
  made->rows_.resize(steps.size());
  size_t calls = 0, arguments = 0;  // they are pointed to
  for (const Evaluation::Step& step : steps) {
    calls += step.runs && !step.places.empty();
    arguments += step.runs ? step.places.size() : 0;
  }
  made->calls_.reserve(calls);
  made->arguments_.reserve(arguments);
  for (size_t i = steps.size(); i-- > 0;) {
    const size_t pc = made->begin_ + i;
    Row& row = made->rows_[i];
    row.next = steps[i].runs ? pc : i + 1 < steps.size() ? made->rows_[i + 1].next : pc + 1;
    row.left = steps[i].runs ? nullptr : steps[i].gives;
    if (!steps[i].runs || steps[i].places.empty()) continue;
    PlannedCall call = plan.call(pc);
    call.places = made->arguments_.data() + made->arguments_.size();
    made->arguments_.insert(made->arguments_.end(), steps[i].places.begin(), steps[i].places.end());
    if (call.prepared) {
      made->prepared_.push_back(call.callee->prepare(call.arguments()));
      call.prepared = made->prepared_.back().get();
    }
    made->calls_.push_back(call);
    row.call = &made->calls_.back();
  }
  return owned;
}

void SizedPlan::restore(const LaunchPlan& plan, std::span<Value> registers, size_t pc, size_t cleared) const {
  std::vector<const Value*> left(registers.size());
  for (size_t at = begin_; at < std::min(pc, begin_ + rows_.size()); ++at) {
    const PlannedCall& call = plan.call(at);
    if (writesRegister(call)) left[static_cast<size_t>(call.dst)] = rows_[at - begin_].left;
    for (const uint32_t reg : at < cleared ? plan.lastUsed(at, at + 1) : std::span<const uint32_t>())
      left[reg] = nullptr;
  }
  for (size_t reg = 0; reg < left.size(); ++reg)
    if (left[reg]) registers[reg] = *left[reg];
}

namespace {

/// Kind, rank and type of a value; -1 of one that has no size.
int64_t formOf(const Value& value) {
  const auto form = [&](size_t rank, uint32_t type) {
    return static_cast<int64_t>(value.kind()) | static_cast<int64_t>(rank) << 8 | static_cast<int64_t>(type) << 32;
  };
  if (value.is(ValueKind::Tensor))
    return form(value.tensor().shape().size(), std::bit_cast<uint32_t>(value.tensor().dtype()));
  if (value.is(ValueKind::Shape)) return form(value.asShape().size(), 0);
  return value.is(ValueKind::Int) ? form(0, 0) : -1;
}

std::span<const int64_t> lengthsOf(const Value& value) {
  return value.is(ValueKind::Tensor) ? value.tensor().shape() : value.asShape();
}

void appendSize(const Value& value, std::vector<int64_t>& words) {
  words.push_back(formOf(value));
  if (value.is(ValueKind::Int)) return words.push_back(value.asInt());
  if (words.back() == -1) return;
  const std::span<const int64_t> lengths = lengthsOf(value);
  words.insert(words.end(), lengths.begin(), lengths.end());
}

/// Whether the value has the size that stands at `at`, and moves behind it.
bool hasSize(const Value& value, const int64_t*& at) {
  const int64_t form = formOf(value);
  if (form == -1 || form != *at++) return false;
  if (value.is(ValueKind::Int)) return value.asInt() == *at++;
  for (const int64_t length : lengthsOf(value))
    if (length != *at++) return false;
  return true;
}

}  // namespace

SizedPlans::SizedPlans(const Executable& executable, const LaunchPlan& plan, const FunctionInfo& function)
    : executable_(executable), plan_(plan), function_(function) {
  const auto arguments = static_cast<uint32_t>(function.numArgs);
  std::vector<bool> looked(arguments);
  for (auto pc = static_cast<size_t>(function.start); pc < static_cast<size_t>(function.end); ++pc) {
    const PlannedCall& call = plan.call(pc);
    if (!call.calls) break;
    if (!call.prepared || !call.prepared->findsSizes()) continue;
    eachArgument(call, [&](size_t i, uint32_t reg) {
      if (reg < arguments && !call.callee->reaches(i)) looked[reg] = true;
    });
  }
  for (uint32_t reg = 0; reg < arguments; ++reg)
    if (looked[reg]) read_.push_back(reg);
}

Ref<SizedPlan> SizedPlans::find(std::span<const Value> registers, const Surroundings& around) {
  if (read_.empty()) return nullptr;
  const auto fits = [&](const Sizes& sizes) {
    const int64_t* at = sizes.words.data();
    return std::all_of(read_.begin(), read_.end(), [&](uint32_t reg) { return hasSize(registers[reg], at); });
  };
  const auto known = std::find_if(sizes_.begin(), sizes_.end(), fits);
  const bool first = known == sizes_.end();
  if (first && sizes_.size() < kMost) sizes_.emplace_back();
  std::rotate(sizes_.begin(), first ? sizes_.end() - 1 : known, first ? sizes_.end() : known + 1);
  Sizes& sizes = sizes_.front();
  if (first) {
    sizes.words.clear();
    for (const uint32_t reg : read_) appendSize(registers[reg], sizes.words);
    sizes.planned = false;
    sizes.plan = nullptr;
  } else if (!sizes.planned) {
    sizes.plan = SizedPlan::make(executable_, plan_, function_, read_, registers, around);
    sizes.planned = true;
  }
  return sizes.plan;
}

}  // namespace rx::vm
