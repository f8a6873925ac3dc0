#include "core/relay/device.h"

#include <algorithm>

#include "core/ir/structural_equal.h"
#include "core/relay/emit.h"
#include "core/relay/metadata_read.h"

namespace rx::relay {

namespace {

/// One part of two devices, nothing where both say it and differ.
template <class T>
std::optional<T> joinedPart(const T& a, const T& b, bool openA, bool openB, bool equal) {
  if (openA) return b;
  if (openB || equal) return a;
  return std::nullopt;
}

/// Whether a binding tells where it lies, or it lies wherever it is used.
bool isPlacedElsewhere(const Expr& expr) {
  return isa<Op>(expr) || isa<Constructor>(expr) || isa<relax::GlobalVar>(expr) || isa<Var>(expr) ||
         isa<Function>(expr);
}

}  // namespace

bool operator==(const Device& a, const Device& b) {
  return a.type == b.type && a.id == b.id && a.scope == b.scope &&
         (a.target == b.target || structuralEqual(a.target, b.target));
}

Device deviceOf(const NodeRef& record) {
  const auto dict = refAs<ir::DictAttrs>(record);
  if (!dict) return {};
  Device out{ir::intAttrOf(dict, "device_type_int", -1), ir::intAttrOf(dict, "virtual_device_id", -1),
             dict->get("target"), Str(ir::strAttrOf(dict, "memory_scope"))};
  if (isa<ir::NullAttr>(out.target)) out.target = nullptr;
  return out;
}

std::optional<Device> joined(const Device& a, const Device& b) {
  const auto type = joinedPart(a.type, b.type, a.type < 0, b.type < 0, a.type == b.type);
  const auto id = joinedPart(a.id, b.id, a.id < 0, b.id < 0, a.id == b.id);
  const bool sameTarget = a.target && b.target && structuralEqual(a.target, b.target);
  const auto target = joinedPart(a.target, b.target, !a.target, !b.target, sameTarget);
  const auto scope = joinedPart(a.scope, b.scope, a.scope.empty(), b.scope.empty(), a.scope == b.scope);
  if (!type || !id || !target || !scope) return std::nullopt;
  return Device{*type, *id, *target, *scope};
}

Device completed(const Device& device, const Device& fallback) {
  Device out = device;
  if (out.type < 0) out.type = fallback.type;
  if (out.id < 0) out.id = fallback.id;
  if (!out.target && out.type == fallback.type) out.target = fallback.target;
  if (out.scope.empty()) out.scope = fallback.scope;
  return out;
}

NodeRef DeviceConfig::targetOf(int64_t type) const {
  const auto hit = std::find_if(targets_.begin(), targets_.end(), [&](const Typed& row) { return row.type == type; });
  return hit == targets_.end() ? nullptr : hit->target;
}

std::optional<Device> DeviceConfig::canonical(const Device& device) const {
  if (device.target || device.type < 0) return device;
  Device out = device;
  out.target = targetOf(device.type);
  return out.target ? std::optional(out) : std::nullopt;
}

NodeRef DeviceConfig::record(const Device& device) {
  for (const auto& [known, node] : records_) {
    if (known == device) return node;
  }
  NodeRef node = make<ir::DictAttrs>(
      std::vector<std::pair<Str, NodeRef>>{{Str("device_type_int"), ir::intAttr(device.type)},
                                           {Str("memory_scope"), ir::strAttr(device.scope)},
                                           {Str("target"), device.target ? device.target : ir::nullAttr()},
                                           {Str("virtual_device_id"), ir::intAttr(device.id)},
                                           {Str(kRecordKey), ir::strAttr(Str("VirtualDevice"))}});
  records_.emplace_back(device, node);
  return node;
}

std::optional<OnDevice> onDeviceOf(const Expr& expr) {
  if (!isCallOf(expr, "on_device")) return std::nullopt;
  const auto& call = *as<Call>(expr);
  return OnDevice{call.args[0], deviceOf(attrOf(call, "virtual_device")), intAttrOf(call, "constrain_body") != 0,
                  intAttrOf(call, "constrain_result") != 0};
}

Expr unplaced(Expr expr) {
  while (const auto placed = onDeviceOf(expr)) expr = placed->body;
  return expr;
}

std::optional<DeviceCopy> deviceCopyOf(const Expr& expr) {
  if (!isCallOf(expr, "device_copy")) return std::nullopt;
  const auto& call = *as<Call>(expr);
  return DeviceCopy{call.args[0], deviceOf(attrOf(call, "src_virtual_device")),
                    deviceOf(attrOf(call, "dst_virtual_device"))};
}

Expr fixedOn(const Expr& expr, const Device& device, DeviceConfig& config) {
  if (isPlacedElsewhere(expr)) return expr;
  Expr body = expr;
  NodeRef constrainsBody;
  if (const auto inner = onDeviceOf(expr); inner && (!inner->constrainsBody || inner->device == device)) {
    body = inner->body;
    if (!inner->constrainsBody) constrainsBody = ir::boolAttr(false);
  }
  return callOp("on_device", {body},
                {{"virtual_device", config.record(device)},
                 {"constrain_result", ir::boolAttr(true)},
                 {"constrain_body", constrainsBody}});
}

Expr copied(const Expr& expr, const Device& from, const Device& to, DeviceConfig& config) {
  return callOp("device_copy", {expr},
                {{"src_virtual_device", config.record(from)}, {"dst_virtual_device", config.record(to)}});
}

}  // namespace rx::relay
