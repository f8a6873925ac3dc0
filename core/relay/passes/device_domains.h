// What is known of where expressions lie: domains, of which those that must lie on one device are unified.
#pragma once

#include <map>
#include <unordered_map>

#include "core/relay/device.h"

namespace rx::relay {

/// One domain a value; functions have one for each parameter and one for the result.
class DeviceDomains {
 public:
  using Id = uint32_t;
  explicit DeviceDomains(const DeviceConfig& config);

  /// The domain of an expression, made open by its type where it is new.
  Id of(const Expr& expr);
  /// Says which function a name of the module stands for; it takes and gives what lies where the function has it.
  void bind(const relax::GlobalVar& var, const Expr& function);
  /// The domain of what is called, as the call needs it.
  Id ofCallee(const Ref<Call>& call);
  /// A domain whose result lies on a device.
  Id placed(const Type& type, const Device& device);

  /// Makes two domains one; false where their devices differ.
  bool unify(Id a, Id b);
  /// The same, of a value and all that a function takes and gives.
  bool collapse(Id value, Id other);
  /// The same, without a trace where the devices differ.
  void tryUnify(Id a, Id b);
  /// Notes that the devices of an expression contradict each other; the first counts.
  void refuse(const Expr& expr);
  const std::optional<Diagnostic>& refusal() const { return refusal_; }

  /// Parameters of a function's domain, then its result; empty for values.
  const std::vector<Id>& parts(Id id) const { return domains_[root(id)].parts; }
  /// The device of a value, or of what functions give in the end.
  const Device& result(Id id) const { return domains_[resultOf(id)].device; }
  /// Places on `fallback` what is open.
  void complete(Id id, const Device& fallback);
  /// Places the result first, then the parameters where the result lies.
  void completeResultFirst(Id id, const Device& fallback);

 private:
  struct Domain {
    Id parent;
    uint32_t size = 1;
    Device device;
    std::vector<Id> parts;
  };
  Id fresh(const Device& device = {});
  Id forType(const Type& type, const Device& device = {});
  Id forFunction(const Function& function);
  Id function(std::vector<Id> parts);
  Id calleeOfOperator(const Call& call);
  Id calleeOfConstructor(const Constructor& constructor, const Call& call);
  Id root(Id id) const;
  Id resultOf(Id id) const;
  void link(Id a, Id b);

  const DeviceConfig& config_;
  std::vector<Domain> domains_;
  std::unordered_map<const Node*, Id> ids_, callees_;
  std::map<std::string, Id, std::less<>> globals_;
  std::vector<Expr> kept_;  ///< keys of the maps stay alive
  Id host_;
  bool trailed_ = false;
  std::vector<std::pair<Id, Domain>> trail_;  ///< what domains were before
  std::optional<Diagnostic> refusal_;
};

}  // namespace rx::relay
