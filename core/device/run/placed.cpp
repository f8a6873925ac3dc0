#include "core/device/run/placed.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/device/run/architecture.h"

namespace rx::device {

PlacedFunctions::PlacedFunctions(std::vector<std::shared_ptr<Device>> devices, std::vector<CalledOn> calls,
                                 std::function<Result<Ref<vm::Callable>>(std::string_view name)> host)
    : devices_(std::move(devices)),
      programs_(devices_.size()),
      statistics_(devices_.size()),
      calls_(std::move(calls)),
      host_(std::move(host)) {
  if (!devices_.empty() && devices_.front() && devices_.front()->captures()) graphs_ = graphFunctions(devices_.front());
}

Ref<vm::Callable> PlacedFunctions::graphFunction(std::string_view name) const {
  for (const Ref<vm::Callable>& each : {graphs_.cachedAlloc, graphs_.runOrCapture})
    if (each && each->name() == name) return each;
  return nullptr;
}

Result<Ref<vm::Callable>> PlacedFunctions::find(std::string_view name) {
  if (Ref<vm::Callable> own = graphFunction(name)) return own;
  std::vector<std::pair<int64_t, Ref<vm::Callable>>> places;
  for (const int64_t index : placesOf(name)) {
    const auto program = programOf(index, name);
    RX_TRY(function, program ? Result<Ref<vm::Callable>>(
                                   deviceFunction(*program->code().find(name), static_cast<int32_t>(index), program))
                             : host_(name));
    places.emplace_back(index, std::move(function));
  }
  if (places.size() == 1) return places.front().second;
  return movingFunction(std::string(name), std::move(places));
}

std::shared_ptr<RunProgram> PlacedFunctions::programOf(int64_t device, std::string_view name) const {
  if (device < 0 || static_cast<size_t>(device) >= programs_.size()) return nullptr;
  const auto& program = programs_[static_cast<size_t>(device)];
  return program && program->code().find(name) ? program : nullptr;
}

std::vector<int64_t> PlacedFunctions::placesOf(std::string_view name) const {
  const auto known = std::find_if(programs_.begin(), programs_.end(),
                                  [&](const auto& program) { return program && program->code().find(name); });
  if (known == programs_.end()) return {vm::kHost};
  const auto called =
      std::find_if(calls_.begin(), calls_.end(), [&](const CalledOn& row) { return row.function == name; });
  return called == calls_.end() ? std::vector<int64_t>{known - programs_.begin()} : called->devices;
}

std::vector<vm::RunDevice> PlacedFunctions::devices() const {
  std::vector<vm::RunDevice> rows;
  for (size_t i = 0; i < devices_.size(); ++i) {
    const auto& device = devices_[i];
    vm::RunDevice& row = rows.emplace_back();
    if (!device) continue;
    const Kind* kind = findKind(device->properties().kind);
    row.type = kind ? kind->type : row.type;
    row.number = device->properties().number;
    row.device = device;
    row.statistics = statistics_[i];
    row.endWaits = [device](std::function<bool()> cancelled) { device->endWaits(std::move(cancelled)); };
  }
  return rows;
}

Result<std::vector<std::shared_ptr<Device>>> openRows(std::string_view kind, const std::vector<int64_t>& rows) {
  std::vector<std::shared_ptr<Device>> devices;
  for (const int64_t number : rows) {
    const auto same = static_cast<size_t>(std::find(rows.begin(), rows.end(), number) - rows.begin());
    if (number == ProgramCode::kHostRow) {
      devices.emplace_back();
    } else if (same < devices.size()) {
      devices.push_back(devices[same]);
    } else {
      RX_TRY(opened, openDevice(kind, number));
      devices.push_back(std::move(opened));
    }
  }
  return devices;
}

Failure noCodeFor(const Device& device, const std::vector<std::string_view>& architectures, std::string fix) {
  const Properties& is = device.properties();
  Diagnostic none = errorAt({}, "device.architecture",
                            fmt::format("there is code for {}, and {} ({}) is {}", fmt::join(architectures, ", "),
                                        device.name(), is.name, is.architecture));
  none.fix = std::move(fix);
  return fail(std::move(none));
}

Result<std::shared_ptr<PlacedFunctions>> placeCode(
    ProgramCode code, const ProgramSources& sources,
    std::function<Result<Ref<vm::Callable>>(std::string_view name)> host) {
  std::vector<std::shared_ptr<const ModuleCode>> codes;
  for (ModuleCode& each : code.code) codes.push_back(std::make_shared<const ModuleCode>(std::move(each)));
  RX_TRY(devices, openRows(code.kind, code.rows));
  auto placed = std::make_shared<PlacedFunctions>(devices, std::move(code.calls), std::move(host));
  for (size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i]) continue;
    const auto near = [&](const std::shared_ptr<const ModuleCode>& each) {
      return nearness(each->architecture, devices[i]->properties().architecture);
    };
    const auto best =
        std::max_element(codes.begin(), codes.end(), [&](const auto& a, const auto& b) { return near(a) < near(b); });
    if (near(*best) == 0) {
      std::vector<std::string_view> names;
      for (const auto& each : codes) names.emplace_back(each->architecture);
      return noCodeFor(*devices[i], names,
                       fmt::format("build the package with --arch {}", devices[i]->properties().architecture));
    }
    placed->setCode(i, *best, sources);
  }
  return placed;
}

}  // namespace rx::device
