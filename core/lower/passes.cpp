#include "core/lower/passes.h"

#include "core/lower/pass_functions.h"

namespace rx::lower {

namespace {

using pass::OptionKind;
using pass::OptionSpec;
using pass::PassRow;

constexpr std::span<const OptionSpec> kNone = {};
constexpr OptionSpec kNarrowDataType[] = {{"target_bits", OptionKind::Int, "32", "bits of the narrow type"}};
constexpr OptionSpec kCompactBufferAllocation[] = {
    {"is_strict", pass::OptionKind::Bool, "True", "never let a buffer grow beyond its shape"},
};
constexpr OptionSpec kBindTarget[] = {
    {"target", OptionKind::Any, "None", "a target as text or dictionary; else that of the context"},
};
constexpr OptionSpec kRemoveWeightLayoutRewriteBlock[] = {
    {"skip_tensor_rewrite", OptionKind::Bool, "False",
     "without effect: constants of bodies are no part of this version"},
};
constexpr OptionSpec kVerifyVtcmLimit[] = {
    {"default_target", OptionKind::Any, "None", "of functions that name no target"},
};

constexpr OptionSpec kFp8Compute[] = {
    {"promote_dtype", pass::OptionKind::Text, "'float32'", "the type to compute in: float16 or float32"},
};

constexpr OptionSpec kVectorizeLoop[] = {
    {"enable_vectorize", OptionKind::Bool, "True", "False: marked loops become plain ones"},
    {"each_lane", OptionKind::Bool, "False",
     "of ours; True: what a condition on lanes says becomes the predicate of all accesses under it, in choices of "
     "values too"}};

constexpr OptionSpec kInjectPtxLdg32[] = {
    {"enable_inject_ptx_intrin", OptionKind::Bool, "True", "False: nothing changes"},
};
constexpr OptionSpec kThreadSync[] = {
    {"storage_scope", OptionKind::Text, "''", "of the memory: shared, shared.dyn or warp"},
};

template <FunctionPass run>
Result<ir::Module> eachPrimFunc(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  return overPrimFuncs(module, options, context, run);
}

constexpr OptionSpec kHoistIfThenElse[] = {
    {"variant", pass::OptionKind::Any, "None", "'basic': whatever the configuration says, not over blocks of threads"},
};

// TVM's passes of TIR run at every level.
constexpr PassRow kRows[] = {
#define RX_FUNCTION_PASS(Name, function, options, help) \
  {#Name, help, options, pass::Contract::None, eachPrimFunc<function>},
#define RX_MODULE_PASS(Name, function, options, help) {#Name, help, options, pass::Contract::None, function},
#include "core/lower/passes.def"
};

}  // namespace

std::span<const PassRow> passRows() { return kRows; }

}  // namespace rx::lower
