// The arguments of a run: taken by parameter name from .npz files, one by one from .npy files, or made from a seed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/runtime/value.h"
#include "core/support/result.h"

namespace rx::cli {

struct ArgumentSources {
  std::string params;                      ///< .npz with weights by name, or empty
  std::string inputs;                      ///< .npz with inputs by name, or empty
  std::vector<std::string> files;          ///< .npy files for the parameters that no .npz gives, in order
  std::optional<uint64_t> seed;            ///< makes what is still missing; without it that is an error
  std::map<std::string, int64_t> symbols;  ///< sizes of symbolic dimensions of made inputs; others are 4
};

/// One value for each parameter of `function`, whose StructInfo each is checked against: number of dimensions, element
/// type and known sizes. Symbols are left to the program's own check, which knows who bound them. Fails with
/// input.missing, input.unknown, input.dtype, input.shape or input.kind, one diagnostic a finding.
Result<std::vector<vm::Value>> gatherArguments(const ir::Module& module, const std::string& function,
                                               const ArgumentSources& sources);

}  // namespace rx::cli
