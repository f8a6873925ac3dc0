// MetaScheduleApplyDatabase, MetaScheduleTuneTIR, MetaScheduleTuneIRMod: TVM's search for schedules, which is not done
// here. The names are known, so that a pipeline of TVM is told what to write instead.
#include <fmt/format.h>

#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

auto notAvailable(std::string_view what, std::string_view instead) {
  return fail("pass.not-available", fmt::format("{} is TVM's own; {}", what, instead));
}

constexpr std::string_view kRules =
    "schedules come from rules here: ApplyDefaultSchedule() and DefaultGPUSchedule() give kernels theirs, and what is "
    "run on a CPU without one gets it when it is compiled";

}  // namespace

Result<ir::Module> metaScheduleApplyDatabase(const ir::Module&, const ir::Attrs&, pass::PassContext&) {
  return notAvailable("a database of tuned schedules", kRules);
}

Result<ir::Module> metaScheduleTuneTir(const ir::Module&, const ir::Attrs&, pass::PassContext&) {
  return notAvailable("the search for schedules of kernels", kRules);
}

Result<ir::Module> metaScheduleTuneIrMod(const ir::Module&, const ir::Attrs&, pass::PassContext&) {
  return notAvailable("the search for schedules of the kernels of a module",
                      "static_shape_tuning runs its other passes without it, and schedules come from rules");
}

}  // namespace rx::transform
