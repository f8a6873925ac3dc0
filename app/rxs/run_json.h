// Arguments and results of a run as JSON: {"file": npy beside it}, numbers, texts, lists (tuples, or shapes where the
// parameter is a shape).
#pragma once

#include <string>

#include "core/ir/relax.h"
#include "core/runtime/value.h"
#include "core/support/result.h"

namespace rx::cli {

/// The "args" of a JSON file, one for each parameter of the function. Fails with run.arguments.
Result<std::vector<vm::Value>> readJsonArguments(const std::string& path, const relax::Function& function);

/// Writes DIR/result.json ({"result": ...}) and the tensors of the result beside it.
Result<Unit> writeJsonResult(const std::string& folder, const vm::Value& result);

}  // namespace rx::cli
