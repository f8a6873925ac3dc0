#include "core/device/run/program.h"

#include <fmt/format.h>

#include "core/support/cache_folder.h"
#include "core/support/clock.h"

namespace rx::device {

namespace {

/// All that the driver's answer depends on.
std::string keyOf(const Properties& device, const std::string& text) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", device.kind, device.name, device.driver, device.code,
                     device.architecture, text);
}

}  // namespace

std::shared_ptr<const KeptFiles> keptPrograms() {
  return KeptFiles::open(cacheFolder("devices"), ".program", uint64_t{1} << 29);
}

Result<std::shared_ptr<Program>> RunProgram::made() {
  const std::lock_guard lock(mutex_);
  if (!failed_.empty()) return fail(failed_);
  if (program_) return program_;
  const int64_t start = nanosecondsNow();
  auto built = make();
  tally_.nanoseconds += nanosecondsNow() - start;
  tally_.compiled += static_cast<int64_t>(code_->functions.size());
  if (!built) {
    failed_ = built.diagnostics();
    return fail(failed_);
  }
  program_ = std::move(*built);
  return program_;
}

RunProgram::Tally RunProgram::tally() const {
  const std::lock_guard lock(mutex_);
  return tally_;
}

Result<std::shared_ptr<Program>> RunProgram::make() {
  const std::string& text = code_->code.text;
  const std::string key = keyOf(device_->properties(), text);
  if (const auto image = sources_.kept ? sources_.kept->find(key) : std::nullopt) {
    auto loaded = device_->loaded(*image, code_->symbols);
    // What a driver does not take back is made anew.
    if (loaded) {
      tally_.loaded += static_cast<int64_t>(code_->functions.size());
      return loaded;
    }
  }
  const Kind* kind = findKind(device_->properties().kind);
  if (sources_.maker && kind && kind->startsPrograms) {
    RX_TRY(image, sources_.maker(device_->properties(), text, code_->symbols));
    return device_->loaded(image, code_->symbols);
  }
  RX_TRY(program, device_->program(text, code_->symbols));
  if (!sources_.kept) return program;
  if (const auto image = program->image()) sources_.kept->keep(key, *image);
  return program;
}

Result<std::string> imageOf(Device& device, const std::string& text, const std::vector<std::string>& kernels,
                            const KeptFiles* kept) {
  const std::string key = keyOf(device.properties(), text);
  if (auto image = kept ? kept->find(key) : std::nullopt) return std::move(*image);
  RX_TRY(program, device.program(text, kernels));
  RX_TRY(image, program->image());
  if (kept) kept->keep(key, image);
  return image;
}

}  // namespace rx::device
