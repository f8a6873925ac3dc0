#include "core/transform/passes.h"

#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using pass::OptionKind;
using pass::OptionSpec;
using pass::PassRow;

constexpr std::span<const OptionSpec> kNone = {};
constexpr OptionSpec kLegalizeOpsRows[] = {
    {"skip_ops", OptionKind::TextList, "[]", "operators that stay as they are"},
    {"enable_warning", OptionKind::Bool, "False", "say which operators have no legalization"},
    {"name_shapes", OptionKind::Bool, "False",
     "give sizes that only a run knows a symbol each, where operators need them"},
};
constexpr std::span<const OptionSpec> kLegalizeOps = kLegalizeOpsRows;
constexpr OptionSpec kVmShapeLowerRows[] = {
    {"emit_err_ctx", OptionKind::Bool, "True", "name function, parameter and annotation in run-time errors"},
};
constexpr std::span<const OptionSpec> kVmShapeLower = kVmShapeLowerRows;

constexpr PassRow kRows[] = {
#define RX_PASS(Name, function, options, contract, help) {#Name, help, options, pass::Contract::contract, function},
#include "core/transform/passes.def"
    // The name that LowerRuntimeBuiltin had before v0.18.
    {"VMBuiltinLower", "older name of LowerRuntimeBuiltin", kNone, pass::Contract::LowersForVm, lowerRuntimeBuiltin},
};

}  // namespace

std::span<const pass::PassRow> passRows() { return kRows; }

}  // namespace rx::transform
