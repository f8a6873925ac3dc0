#include "app/rxs/stepped_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/launch/group.h"

namespace rx::cli {

namespace {

/// The part of a memory that arguments lie in.
struct Part {
  int64_t begin = INT64_MAX, end = 0;
  Ref<Storage> copy = nullptr;
};

/// What the machine would hand to the call, in memory of its own, since the run has not made the call yet: tensors that
/// share memory in the run share it here. What belongs to no memory of the run is a constant, which nothing writes.
Result<std::vector<vm::Value>> argumentsOf(const std::vector<debug::Value>& given) {
  std::map<uint64_t, Part> parts;
  for (const debug::Value& value : given) {
    if (value.kind != debug::ValueKind::Tensor || value.storage == 0) continue;
    Part& part = parts[value.storage];
    part.begin = std::min(part.begin, value.offset);
    part.end = std::max(part.end, value.offset + value.tensor->bytes());
  }
  for (auto& [number, part] : parts) {
    RX_TRY(copy, Storage::allocate(part.end - part.begin));
    part.copy = std::move(copy);
  }
  std::vector<vm::Value> arguments;
  for (const debug::Value& value : given) {
    if (value.kind == debug::ValueKind::Int) {
      arguments.push_back(vm::Value::of(value.integer));
    } else if (value.kind == debug::ValueKind::Float) {
      arguments.push_back(vm::Value::of(value.real));
    } else if (value.kind != debug::ValueKind::Tensor) {
      return fail("kernel.threads", "the kernel is called with " + debug::valueText(value));
    } else if (value.storage == 0) {
      arguments.push_back(vm::Value::of(value.tensor));
    } else {
      const Part& part = parts[value.storage];
      const HostTensor& tensor = *value.tensor;
      RX_CHECK(part.copy->write(value.offset - part.begin, tensor.byteSpan()));
      RX_TRY(view, HostTensor::view(part.copy, value.offset - part.begin, tensor.shape(), tensor.dtype()));
      arguments.push_back(vm::Value::of(std::move(view)));
    }
  }
  return arguments;
}

class KernelThreads final : public debug::SteppedKernel {
 public:
  KernelThreads(compile::KernelStages kernel, std::vector<debug::Value> given, const CancelToken& cancel)
      : kernel_(std::move(kernel)), given_(std::move(given)) {
    options_.around.cancel = cancel;
  }

  /// The group at its beginning.
  Result<Unit> choose(const Place& place) override {
    RX_TRY(arguments, argumentsOf(given_));
    if (place.launch < 0) return fail("kernel.threads", fmt::format("there is no launch {}", place.launch));
    RX_TRY(launch, launch::launchOf(kernel_.device->form, kernel_.name, arguments, static_cast<size_t>(place.launch),
                                    options_));
    for (size_t axis = 0; axis < 3; ++axis) {
      if (place.group[axis] >= 0 && place.group[axis] < launch.grid[axis]) continue;
      return fail("kernel.threads", fmt::format("there is no group ({}) among ({})", fmt::join(place.group, ", "),
                                                fmt::join(launch.grid, ", ")));
    }
    auto races = std::make_unique<launch::Races>(launch::grainOf(launch));
    RX_TRY(group, launch::Group::start(launch, place.group, races.get(), options_));
    group_ = std::move(group);
    races_ = std::move(races);
    place_ = place;
    steps_.clear();
    told_ = 0;
    return Unit{};
  }
  Place place() const override { return place_; }
  std::array<int64_t, 3> groups() const override { return group_->launch().grid; }

  const std::string& name() const override { return kernel_.name; }
  std::string text() const override { return std::string(kernel_.device->text.source->text()); }
  int64_t size() const override { return group_->size(); }
  std::string threadName(int64_t thread) const override {
    return launch::threadText(group_->at(), group_->thread(thread));
  }
  State state(int64_t thread) const override {
    switch (group_->state(thread)) {
      case launch::Group::State::Waits:
        return State::Waits;
      case launch::Group::State::Done:
        return State::Done;
      case launch::Group::State::Failed:
        return State::Failed;
      default:
        return State::Ready;
    }
  }
  int64_t line(int64_t thread) const override { return kernel_.device->text.lineOf(group_->place(thread)); }

  std::vector<Value> values(int64_t thread) const override {
    std::vector<Value> values;
    for (launch::ThreadValue& value : group_->values(thread))
      values.push_back({std::move(value.name), std::move(value.text), std::move(value.buffer), std::move(value.scope)});
    return values;
  }

  Result<Unit> step(int64_t thread, Who who) override {
    steps_.emplace_back(thread, who);
    return make(thread, who);
  }

  Result<Unit> back() override {
    if (steps_.empty()) return Unit{};
    std::vector<std::pair<int64_t, Who>> before(steps_.begin(), steps_.end() - 1);
    const size_t told = told_;
    RX_CHECK(choose(Place(place_)));
    // What they do wrong has been said when they did it first.
    for (const auto& [thread, who] : before) (void)make(thread, who);
    steps_ = std::move(before);
    told_ = told;
    return Unit{};
  }

  std::vector<std::string> newRaces() override {
    std::vector<std::string> said;
    const auto& found = races_->found();
    for (; told_ < found.size(); ++told_) {
      const Diagnostic race = raceDiagnostic(found[told_], group_->launch());
      said.push_back(fmt::format("{}, at lines {} and {}; {}", race.message, kernel_.device->text.lineOf(race.span),
                                 kernel_.device->text.lineOf(race.notes.front().span), race.fix));
    }
    return said;
  }

 private:
  Result<Unit> make(int64_t thread, Who who) {
    const int64_t count = who == Who::Warp ? launch::Group::kWarp : who == Who::Group ? size() : 1;
    const int64_t first = thread / count * count;
    for (int64_t i = first; i < std::min(first + count, size()); ++i) RX_CHECK(group_->step(i));
    return Unit{};
  }

  const compile::KernelStages kernel_;
  const std::vector<debug::Value> given_;
  interpret::Options options_;
  std::unique_ptr<launch::Races> races_;
  std::unique_ptr<launch::Group> group_;
  Place place_;
  std::vector<std::pair<int64_t, Who>> steps_;
  size_t told_ = 0;  ///< races
};

}  // namespace

bool hasThreads(const compile::Program& program, std::string_view name) {
  return codegen::writesDeviceText(program.request.target->kind()) && isa<tir::PrimFunc>(program.module->find(name));
}

Result<std::unique_ptr<debug::SteppedKernel>> stepInto(const compile::Program& program, std::string_view name,
                                                       std::vector<debug::Value> given, const CancelToken& cancel) {
  compile::Control control{cancel, {}, true};
  RX_TRY(kernel, compile::kernelStages(program, name, {}, control));
  if (!kernel.device) return fail("kernel.threads", fmt::format("{} has no threads: it runs on the host", name));
  auto made = std::make_unique<KernelThreads>(std::move(kernel), std::move(given), cancel);
  RX_CHECK(made->choose({}));
  return std::unique_ptr<debug::SteppedKernel>(std::move(made));
}

}  // namespace rx::cli
