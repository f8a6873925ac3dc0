#include "app/rxs/stepped_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interpret/group.h"

namespace rx::cli {

namespace {

/// What a kernel writes is in copies: the run has not called it yet. Tensors that share memory still do.
Result<std::vector<vm::Value>> copiesOf(const std::vector<vm::Value>& values) {
  std::vector<vm::Value> copies = values;
  std::vector<std::pair<const Storage*, Ref<Storage>>> known;
  for (vm::Value& value : copies) {
    if (!value.is(vm::ValueKind::Tensor)) continue;
    const HostTensor& tensor = value.tensor();
    const Storage* from = tensor.storage().get();
    auto copy = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == from; });
    if (copy == known.end()) {
      RX_TRY(made, Storage::allocate(from->bytes()));
      std::copy_n(from->data(), static_cast<size_t>(from->bytes()), made->mutableData());
      copy = known.insert(known.end(), {from, std::move(made)});
    }
    RX_TRY(view, HostTensor::view(copy->second, tensor.byteOffset(), tensor.shape(), tensor.dtype()));
    value = vm::Value::of(view);
  }
  return copies;
}

class KernelThreads final : public debug::SteppedKernel {
 public:
  KernelThreads(compile::KernelStages kernel, std::vector<vm::Value> arguments, const CancelToken& cancel)
      : kernel_(std::move(kernel)), arguments_(std::move(arguments)) {
    options_.around.cancel = cancel;
  }

  /// Everything as at the beginning.
  Result<Unit> begin() {
    RX_TRY(copies, copiesOf(arguments_));
    RX_TRY(launch, interpret::launchOf(kernel_.device->form, kernel_.name, copies, 0, options_));
    races_ = std::make_unique<interpret::Races>(interpret::grainOf(launch));
    RX_TRY(group, interpret::Group::start(launch, {0, 0, 0}, races_.get(), options_));
    group_ = std::move(group);
    return Unit{};
  }

  const std::string& name() const override { return kernel_.name; }
  std::string text() const override { return std::string(kernel_.device->text.source->text()); }
  int64_t size() const override { return group_->size(); }
  std::string threadName(int64_t thread) const override {
    return interpret::threadText(group_->at(), group_->thread(thread));
  }
  State state(int64_t thread) const override {
    switch (group_->state(thread)) {
      case interpret::Group::State::Waits:
        return State::Waits;
      case interpret::Group::State::Done:
        return State::Done;
      case interpret::Group::State::Failed:
        return State::Failed;
      default:
        return State::Ready;
    }
  }
  int64_t line(int64_t thread) const override { return kernel_.device->text.lineOf(group_->place(thread)); }

  std::vector<Value> values(int64_t thread) const override {
    std::vector<Value> values;
    for (interpret::ThreadValue& value : group_->values(thread))
      values.push_back({std::move(value.name), std::move(value.text), std::move(value.buffer), std::move(value.scope)});
    return values;
  }

  Result<Unit> step(int64_t thread, Who who) override {
    steps_.emplace_back(thread, who);
    return make(thread, who);
  }

  Result<Unit> back() override {
    if (steps_.empty()) return Unit{};
    steps_.pop_back();
    const size_t told = told_;
    RX_CHECK(begin());
    // What they do wrong has been said when they did it first.
    for (const auto& [thread, who] : steps_) (void)make(thread, who);
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
    const int64_t count = who == Who::Warp ? interpret::Group::kWarp : who == Who::Group ? size() : 1;
    const int64_t first = thread / count * count;
    for (int64_t i = first; i < std::min(first + count, size()); ++i) RX_CHECK(group_->step(i));
    return Unit{};
  }

  const compile::KernelStages kernel_;
  const std::vector<vm::Value> arguments_;
  interpret::Options options_;
  std::unique_ptr<interpret::Races> races_;
  std::unique_ptr<interpret::Group> group_;
  std::vector<std::pair<int64_t, Who>> steps_;
  size_t told_ = 0;  ///< races
};

}  // namespace

bool hasThreads(const compile::Program& program, std::string_view name) {
  return codegen::writesDeviceText(program.request.target->kind()) && isa<tir::PrimFunc>(program.module->find(name));
}

Result<std::unique_ptr<debug::SteppedKernel>> stepInto(const compile::Program& program, std::string_view name,
                                                       std::vector<vm::Value> arguments, const CancelToken& cancel) {
  compile::Control control{cancel, {}, true};
  RX_TRY(kernel, compile::kernelStages(program, name, {}, control));
  if (!kernel.device) return fail("kernel.threads", fmt::format("{} has no threads: it runs on the host", name));
  auto made = std::make_unique<KernelThreads>(std::move(kernel), std::move(arguments), cancel);
  RX_CHECK(made->begin());
  return std::unique_ptr<debug::SteppedKernel>(std::move(made));
}

}  // namespace rx::cli
