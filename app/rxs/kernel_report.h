// What `rxs kernel` says of a kernel: as text, and as JSON for the window.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/rxs/kernel_samples.h"

namespace rx::cli {

/// Which rules made it and why others did not, its stages, and what its loops do with registers and time. `samples` may
/// be null, here and below.
std::string kernelOverview(const compile::KernelStages& kernel, const KernelSamples* samples);

/// The text of a stage; before each line those of the first stage that it came from, and in that and in machine code
/// the share of the samples.
std::string stageText(const compile::KernelStages& kernel, const compile::KernelStage& stage,
                      const KernelSamples* samples);

nlohmann::ordered_json toJson(const compile::KernelStages& kernel, const KernelSamples* samples);

/// The fields that toJson gives, for the help.
extern const char* const kKernelFields;

}  // namespace rx::cli
