// The values that a recorded run has of the variables of its imported module, at one of its bindings.
#pragma once

#include <unordered_map>

#include "core/debug/binding_errors.h"
#include "core/ir/module.h"
#include "core/runtime/value.h"

namespace rx::cli {

class HeldValues {
 public:
  /// Of the variables of a function of the imported module that the recording is of; all outlive this.
  HeldValues(const debug::Recording& run, const ir::IRModule& imported, std::string_view function,
             const debug::Given& given);
  /// The last tensor that a variable got before a step of a frame, the argument of a parameter; null where there is
  /// none.
  Result<Ref<HostTensor>> before(const debug::GivenAt& at, const relax::Var& variable) const;
  bool isParameter(const relax::Var& variable) const { return !ordinals_.contains(&variable); }

 private:
  const debug::Recording& run_;
  const debug::Given& given_;
  int function_ = -1;
  std::unordered_map<const relax::ExprNode*, int> ordinals_;
};

/// A value of a machine as a debugger shows it.
debug::Value shownValue(const vm::Value& value);

}  // namespace rx::cli
