// The processor that a package is made for.
#pragma once

#include <string>
#include <vector>

#include "core/codegen/kernels.h"
#include "core/ir/module.h"
#include "core/target/target.h"

namespace rx::exporter {

struct PackageMachine {
  codegen::Machine machine;  ///< never empty
  target::Architecture architecture = target::Architecture::Unknown;
  std::string name;                ///< "x86-64-v3"
  std::vector<std::string> needs;  ///< features that the package looks for when it is opened, beyond the architecture's
};

/// For a target that names no processor: the highest level of x86-64 that this machine has (so that the package can say
/// what it needs), and beyond it what this machine has of the instructions that kernels of the module were written for
/// (T.rx_dot_bytes, T.rx_dot_halves, T.rx_tile_products); or any processor of another architecture. Fails with
/// codegen.target where packages are not made for the architecture or the system, or can not look for a feature that it
/// would use.
Result<PackageMachine> packageMachine(const target::TargetRef& target, const ir::Module& module);

}  // namespace rx::exporter
