// Names in a frame: registers, bindings and parameters of the selected stage, variables of the final stage, symbols.
#pragma once

#include "core/debug/session.h"

namespace rx::debug {

/// The number of a tensor's element in row-major order, or of an item of so many; an index counts from the end where it
/// is negative. Fails with `debug.index`.
Result<int64_t> elementNumber(std::span<const int64_t> shape, const std::vector<int64_t>& index);
Result<int64_t> itemNumber(size_t length, const std::vector<int64_t>& index);

/// What looking up a name fails with that is one of the function and was given no value so far.
inline constexpr const char* kNoValueYet = "debug.no-value-yet";

class FrameEnvironment : public Environment {
 public:
  /// Looks from the session's current state; handles live as long as this object.
  FrameEnvironment(Session& session, int activation) : session_(session), activation_(activation) {}

  Result<Quantity> lookUp(std::string_view name) override;
  Result<Quantity> member(Handle value, std::string_view name) override;
  Result<Quantity> element(Handle value, const std::vector<int64_t>& index) override;
  Result<Quantity> apply(std::string_view name, Handle value) override;

  /// What a handle stands for, where it is no tensor that the expression made.
  const ValueRef& refOf(Handle value) const { return held_[static_cast<size_t>(value.id)].ref; }
  /// The tensor that the expression made (`abs(x)`), null for what the run holds.
  const Ref<HostTensor>& madeBy(Handle value) const { return held_[static_cast<size_t>(value.id)].made; }
  /// Where a name's value is, without reading it: registers, bindings, parameters, variables.
  std::optional<ValueRef> find(std::string_view name);
  std::optional<ValueRef> registerNumbered(std::string_view digits) const;

 private:
  struct Held {
    ValueRef ref;
    Ref<HostTensor> made;
  };
  Result<Quantity> quantityOf(ValueRef ref);
  Handle hold(Held held);
  /// What a handle stands for, a tensor perhaps without its elements (Value::described).
  Result<Value> read(Handle handle);
  /// The same with its elements; fails with `store.not-kept` where the recording does not have them.
  Result<Value> readWhole(Handle handle);
  /// Of a tensor that `read` gave: of what is kept, or noted when it was written. Fails as readWhole.
  Result<TensorStats> statsOf(Handle handle, const Value& value);
  const VmFunction& function() const;
  /// All names that may stand in an expression.
  std::vector<std::string_view> names() const;
  /// Why a name has no value: kNoValueYet, or `debug.unknown-name` with the name that may be meant.
  Failure noValueOf(std::string_view name) const;

  Session& session_;
  int activation_;
  std::vector<Held> held_;
};

}  // namespace rx::debug
