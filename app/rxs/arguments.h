// The arguments of a run: from .npz, .npy and .safetensors files by parameter name or by a map, zero, or generated from
// a seed; checked against the signature.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/dap/rx_types.h"
#include "core/ir/module.h"
#include "core/ir/relax.h"
#include "core/runtime/value.h"
#include "core/tensor/npy.h"

namespace rx::cli {

struct ArgumentSources {
  std::vector<NamedTensor> inputs;  ///< asked first
  std::vector<NamedTensor> params;
  std::optional<uint64_t> seed;            ///< makes what no file gives
  std::map<std::string, int64_t> symbols;  ///< values of symbolic variables for generated tensors
  /// What a parameter takes instead of the array of its own name: the name of another array, a part of one
  /// ("y[0:3, :]", zeros behind its end), or "@zero" or "@seed".
  std::map<std::string, std::string> choices;
  bool ignoreExtra = false;  ///< arrays that no parameter takes are no error
};
constexpr std::string_view kChooseZero = "@zero";
constexpr std::string_view kChooseSeed = "@seed";

/// Reads "PARAMETER=ARRAY" into the choices; fails with run.choice where it is no such text.
Result<Unit> addChoice(ArgumentSources& sources, const std::string& text);

/// One value for each parameter. Diagnostics: run.missing-argument, run.unknown-argument (a name that the function does
/// not have, with the nearest one), run.argument-dtype, run.argument-rank, run.argument-shape (axis, symbol, both
/// values and who bound the first). All of them at once. `checks`, where given, gets how each parameter fits, and what
/// no parameter takes, whether or not they are refused.
Result<std::vector<vm::Value>> gatherArguments(const relax::Function& function, std::string_view name,
                                               const ArgumentSources& sources,
                                               std::vector<dap::ParameterCheck>* checks = nullptr);

/// Whether weights for a package fit the parameters of the module's functions: their names (run.unknown-argument),
/// types and shapes as above; and whether each parameter after a function's `num_input` has one (run.missing-argument).
Result<Unit> checkWeights(const ir::Module& module, const std::vector<NamedTensor>& weights);

/// The arrays of an .npz, .npy (named by its file) or .safetensors file. Tuples are named by position: "x.0", "x.1".
Result<std::vector<NamedTensor>> readArrays(const std::string& path);
/// The same of several files; of arrays with one name the last counts.
Result<std::vector<NamedTensor>> readArrays(const std::vector<std::string>& paths);

}  // namespace rx::cli
