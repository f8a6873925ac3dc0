// The module of whose kernels a verb speaks.
#pragma once

#include <string>

#include "core/ir/module.h"
#include "core/support/result.h"
#include "core/target/target.h"

namespace rx::cli {

class Reply;

struct KernelWanted {
  const std::string& passes;    ///< to run first; empty: none, or the pipeline fused where there are no kernels yet
  const std::string& function;  ///< one kernel; empty: all
};

/// The module behind those passes; what they say is reported. Fails with what they fail with, and with
/// schedule.no-kernel where it does not have what is wanted.
Result<ir::Module> kernelModule(const ir::Module& module, const KernelWanted& wanted, const target::TargetRef& target,
                                Reply& reply);

}  // namespace rx::cli
