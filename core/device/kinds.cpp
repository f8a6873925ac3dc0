#include <algorithm>

#include "core/device/driver.h"

namespace rx::device {
namespace {

constexpr Kind kKinds[] = {
#define RX_DEVICE_KIND(name, type, library, starts, open) {name, type, library, starts, open},
#include "core/device/kinds.def"
};

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

const Kind* findKind(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& kind) { return kind.name == name; });
  return row == std::end(kKinds) ? nullptr : row;
}

Result<std::vector<std::shared_ptr<Device>>> devicesOf(const Kind& kind, const std::string& library) {
  RX_TRY(found, kind.open(library.empty() ? std::string(kind.library) : library));
  if (!found.empty()) return found;
  Diagnostic none = errorAt({}, "device.none", fmt::format("the driver {} is there, and has no device", kind.library));
  none.fix = "run on the CPU (target llvm), or make a device visible to the driver";
  return fail(std::move(none));
}

Result<std::shared_ptr<Device>> openDevice(std::string_view kind, int64_t number) {
  const Kind* row = findKind(kind);
  if (!row) {
    std::vector<std::string_view> names;
    for (const Kind& known : kKinds) names.push_back(known.name);
    return fail("device.kind", fmt::format("there are no devices of kind \"{}\", but of {}", escapedForDisplay(kind),
                                           fmt::join(names, ", ")));
  }
  RX_TRY(all, devicesOf(*row));
  if (number >= 0 && static_cast<size_t>(number) < all.size()) return all[static_cast<size_t>(number)];
  Diagnostic none = errorAt(
      {}, "device.none", fmt::format("there is no device {}:{}, the last one is {}", kind, number, all.back()->name()));
  none.fix = "`rxs machine` lists the devices";
  return fail(std::move(none));
}

std::vector<Found> findDevices() {
  std::vector<Found> found;
  for (const Kind& kind : kKinds) {
    Found& row = found.emplace_back(Found{&kind, {}, {}});
    if (auto devices = devicesOf(kind)) {
      row.devices = std::move(*devices);
    } else {
      row.missing = devices.diagnostics();
    }
  }
  return found;
}

}  // namespace rx::device
