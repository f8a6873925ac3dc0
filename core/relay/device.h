// Where values lie: devices of Relay programs (VirtualDevice), of which any part may be open.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/attrs.h"
#include "core/relay/op_table.h"
#include "core/support/result.h"

namespace rx::relay {

struct Device {
  int64_t type = -1;  ///< number of DLPack; -1: open
  int64_t id = -1;    ///< -1: open
  NodeRef target;     ///< record of a target; null: open
  Str scope;          ///< of memory; empty: open
  bool isOpen() const { return type < 0 && id < 0 && !target && scope.empty(); }
};
bool operator==(const Device& a, const Device& b);

/// The device of an attribute or annotation; open where that names none.
Device deviceOf(const NodeRef& record);
/// What both say; nothing where they differ.
std::optional<Device> joined(const Device& a, const Device& b);
/// The device, with what is open as `fallback` has it. Its target only where that is of the same type.
Device completed(const Device& device, const Device& fallback);

/// The devices that a program is compiled for.
class DeviceConfig {
 public:
  /// Reads the text that TVM writes of a CompilationConfig, up to the default device; what follows may be cut off.
  static Result<DeviceConfig> parse(std::string_view text);
  /// Where operators run that nothing places.
  const Device& fallback() const { return fallback_; }
  const Device& host() const { return host_; }
  /// The device with the target of its type, if that is not open; nothing where no target is of it.
  std::optional<Device> canonical(const Device& device) const;
  /// The device as attributes hold it, one object for each device.
  NodeRef record(const Device& device);

 private:
  struct Typed {
    int64_t type;
    NodeRef target;
  };
  NodeRef targetOf(int64_t type) const;
  std::vector<Typed> targets_;
  Device fallback_, host_;
  std::vector<std::pair<Device, NodeRef>> records_;
};

/// `on_device`: its argument, or its result, or both lie on the device.
struct OnDevice {
  Expr body;
  Device device;
  bool constrainsBody, constrainsResult;
};
/// The parts of a call of on_device; nothing for all else.
std::optional<OnDevice> onDeviceOf(const Expr& expr);
/// What all calls of on_device around it, if there are any, are put around.
Expr unplaced(Expr expr);
struct DeviceCopy {
  Expr body;
  Device from, to;
};
std::optional<DeviceCopy> deviceCopyOf(const Expr& expr);

/// The expression marked as lying on the device, and nothing else. What its binding places, or lies on every device, is
/// left as it is.
Expr fixedOn(const Expr& expr, const Device& device, DeviceConfig& config);
Expr copied(const Expr& expr, const Device& from, const Device& to, DeviceConfig& config);

}  // namespace rx::relay
