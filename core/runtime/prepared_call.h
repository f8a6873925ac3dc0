// PreparedCall: the call of one instruction with all that is the same each time looked up and checked before.
#pragma once

#include "core/runtime/callable.h"

namespace rx::vm {

/// Where an argument is: outside of the frame, or in a register.
struct PlannedArgument {
  const Value* fixed = nullptr;  ///< null: the register
  uint32_t reg = 0;
  bool written = false;  ///< the call may write its bytes

  /// Whether the instruction itself names it, as a value of that kind.
  bool names(ValueKind kind) const { return fixed && fixed->is(kind); }
};

/// The arguments of an instruction, where they are.
class PlannedArguments {
 public:
  PlannedArguments(const PlannedArgument* places, const Value* registers) : places_(places), registers_(registers) {}
  const Value& operator[](size_t i) const { return places_[i].fixed ? *places_[i].fixed : registers_[places_[i].reg]; }

 private:
  const PlannedArgument* places_;
  const Value* registers_;
};

/// Of one machine.
class PreparedCall {
 public:
  enum class Outcome : uint8_t {
    Done,    ///< `result` is what the call gives
    Unfit,   ///< nothing was done: the arguments are others than were prepared for, and the callee has to be called
    Failed,  ///< CallContext::failure says why
  };
  virtual ~PreparedCall() = default;
  /// Whether what it gives, and what it writes, depends on the shapes and types of its arguments and on the bytes of
  /// those that it reaches alone, and it does nothing else: it finds sizes, which are the same for the same sizes.
  virtual bool findsSizes() const { return false; }
  /// The index of the argument, a shape, that is the shape of the tensor it gives; nothing where it gives another.
  virtual std::optional<size_t> shapedBy() const { return std::nullopt; }
  virtual Outcome run(CallContext& context, PlannedArguments args, Value& result) = 0;
};

}  // namespace rx::vm
