// Names in a frame: registers, bindings and parameters of the selected stage, variables of the final stage, symbols.
#pragma once

#include "core/debug/session.h"

namespace rx::debug {

class FrameEnvironment : public Environment {
 public:
  /// Looks from the session's current state; handles live as long as this object.
  FrameEnvironment(Session& session, int activation) : session_(session), activation_(activation) {}

  Result<Quantity> lookUp(std::string_view name) override;
  Result<Quantity> member(Handle value, std::string_view name) override;
  Result<Quantity> element(Handle value, const std::vector<int64_t>& index) override;

  /// What a handle stands for.
  const ValueRef& refOf(Handle value) const { return refs_[static_cast<size_t>(value.id)]; }
  /// Where a name's value is, without reading it: registers, bindings, parameters, variables.
  std::optional<ValueRef> find(std::string_view name);

 private:
  Result<Quantity> quantityOf(ValueRef ref);
  const VmFunction& function() const;

  Session& session_;
  int activation_;
  std::vector<ValueRef> refs_;
};

}  // namespace rx::debug
