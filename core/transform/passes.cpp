#include "core/transform/passes.h"

#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using pass::OptionKind;
using pass::OptionSpec;
using pass::PassRow;

constexpr std::span<const OptionSpec> kNone = {};
constexpr OptionSpec kBindParams[] = {
    {"func_name", OptionKind::Text, "\"main\"", "the function, by its global_symbol or, of a private one, its name"},
    {"params", OptionKind::Dict, "{}", "tensors by the name of the parameter"},
};
constexpr OptionSpec kBindSymbolicVars[] = {
    {"binding_map", OptionKind::Dict, "{}", "numbers by the name of the symbolic variable"},
    {"func_name", OptionKind::Any, "None", "the only function to look at"},
};
constexpr OptionSpec kDecomposeOps[] = {
    {"func_name", OptionKind::Any, "None", "the only function to look at"},
};
constexpr OptionSpec kConvertToDataflow[] = {
    {"min_size", OptionKind::Int, "2", "how many bindings make a block of their own"},
};
constexpr OptionSpec kDeadCodeElimination[] = {
    {"entry_functions", OptionKind::Any, "None", "names of functions to keep beside those with a global_symbol"},
};
constexpr OptionSpec kEliminateCommonSubexpr[] = {
    {"call_only", OptionKind::Bool, "False", "look at calls only, and not at tuples and shapes"},
};
constexpr OptionSpec kTopologicalSort[] = {
    {"order", OptionKind::Text, "\"depth-first\"", "\"depth-first\" or \"breadth-first\""},
    {"direction", OptionKind::Text, "\"from-inputs\"", "\"from-inputs\" or \"from-outputs\""},
};
constexpr OptionSpec kLegalizeOps[] = {
    {"skip_ops", OptionKind::TextList, "[]", "operators that stay as they are"},
    {"enable_warning", OptionKind::Bool, "False", "say which operators have no legalization"},
    {"name_shapes", OptionKind::Bool, "False",
     "give sizes that only a run knows a symbol each, where operators need them"},
};
constexpr OptionSpec kUpdateVDevice[] = {
    {"new_vdevice", OptionKind::Dict, "{}", "{\"target\": ..., \"vdevice_id\": 0, \"memory_scope\": \"global\"}"},
    {"index", OptionKind::Int, "0", "which of the module's vdevices it replaces"},
};
constexpr OptionSpec kVmShapeLower[] = {
    {"emit_err_ctx", OptionKind::Bool, "True", "name function, parameter and annotation in run-time errors"},
};

constexpr PassRow kRows[] = {
#define RX_PASS(Name, function, options, contract, level, help) \
  {#Name, help, options, pass::Contract::contract, function, pass::Level::level},
#include "core/transform/passes.def"
    // The name that LowerRuntimeBuiltin had before v0.18.
    {"VMBuiltinLower", "older name of LowerRuntimeBuiltin", kNone, pass::Contract::LowersForVm, lowerRuntimeBuiltin},
};

}  // namespace

std::span<const pass::PassRow> passRows() { return kRows; }

}  // namespace rx::transform
