#include "core/pass/config.h"

namespace rx::pass {

namespace {

constexpr OptionSpec kOpenClml[] = {
    {"clml_version", OptionKind::Int, "3", "of the OpenCL extension"},
};
constexpr OptionSpec kTensorRt[] = {
    {"tensorrt_version", OptionKind::Any, "[6, 0, 1]", "major, minor and patch"},
    {"use_implicit_batch", OptionKind::Bool, "False", "leave the batch out of shapes"},
    {"max_workspace_size", OptionKind::Int, "1073741824", "bytes"},
    {"remove_no_mac_subgraphs", OptionKind::Bool, "False", "leave parts without products to other code"},
    {"use_fp16", OptionKind::Bool, "False", "compute in float16"},
    {"use_uint8", OptionKind::Bool, "False", "compute in uint8"},
};
constexpr OptionSpec kHoistExpression[] = {
    {"hoisted_conditionals", OptionKind::Int, "7",
     "sum of 1 conditions of branches, 2 of choices, 4 sides of && and ||, 8 over blocks of threads"},
    {"hoisted_let_bindings", OptionKind::Int, "7",
     "sum of 1 bindings that hoisted conditions need, 2 statements, 4 expressions"},
};
constexpr OptionSpec kHoistIfThenElse[] = {
    {"support_block_scope_hoisting", OptionKind::Bool, "False", "over blocks of threads, too"},
};
constexpr OptionSpec kInjectDoubleBuffer[] = {
    {"split_loop", OptionKind::Int, "1", "0 and 1 leave the loop whole; even numbers are how many rounds become one"},
};
constexpr OptionSpec kLoopPartition[] = {
    {"partition_const_loop", OptionKind::Bool, "False", "loops of known extent, too"},
    {"no_unroll_loop_with_extent_one", OptionKind::Bool, "False", "leave loops of one step as loops"},
    {"unroll_loop_with_partition_hint_no_interval", OptionKind::Bool, "False",
     "unroll loops with a hint that have no condition to part at"},
};
constexpr OptionSpec kRemoveNoOp[] = {
    {"max_simplification_steps", OptionKind::Int, "0", "without effect: what simplifies here has its own bounds"},
    {"ignore_profiler_call", OptionKind::Bool, "False", "calls of the profiler do nothing"},
};
constexpr OptionSpec kStmtSimplify[] = {
    {"transitively_prove_inequalities", OptionKind::Bool, "False", "from several conditions together"},
    {"convert_boolean_to_and_of_ors", OptionKind::Bool, "False", "the form of conditions"},
    {"apply_constraints_to_boolean_branches", OptionKind::Bool, "False", "to one side of && and || from the other"},
};
constexpr OptionSpec kUnrollLoop[] = {
    {"auto_max_step", OptionKind::Int, "0", "steps up to which loops without a mark are unrolled"},
    {"auto_max_depth", OptionKind::Int, "8", "levels of nesting up to which they are"},
    {"auto_max_extent", OptionKind::Int, "0", "extent up to which they are"},
    {"explicit_unroll", OptionKind::Bool, "True", "make copies of the body; else leave a mark for the compiler"},
    {"unroll_local_access", OptionKind::Bool, "False", "unroll loops around accesses of registers"},
};

constexpr bool kUnread = false;

// Sorted by name.
constexpr ConfigKey kKeys[] = {
    {{"relax.FuseOps.max_depth", OptionKind::Int, "256", "operators that one function may hold"}},
    {{"relax.backend.use_cuda_graph", OptionKind::Bool, "False", "RewriteCUDAGraph captures static regions"}},
    {{"relax.ext.clml.options", OptionKind::Dict, "None", "code for OpenCLML"}, kOpenClml, kUnread},
    {{"relax.ext.tensorrt.options", OptionKind::Dict, "None", "code for TensorRT"}, kTensorRt, kUnread},
    {{"relax.fallback_device_type", OptionKind::Int, "None", "kind of the device where none is named"}, {}, kUnread},
    {{"relax.lift_transform_params.consume_params", OptionKind::Bool, "False",
      "lifted functions free their weights when they have read them"}},
    {{"relax.transform.apply_legalize_ops", OptionKind::Bool, "True", "False: LegalizeOps changes nothing"}},
    {{"relay.FuseOps.link_params", OptionKind::Bool, "False", "constants stay in the functions that use them"}},
    {{"relay.FuseOps.max_depth", OptionKind::Int, "256", "operators that one function may hold"}},
    {{"relay.ToMixedPrecision.keep_orig_output_dtype", OptionKind::Bool, "False", "results keep their element types"}},
    {{"s_tir.HoistExpression", OptionKind::Dict, "None", "what is hoisted"}, kHoistExpression},
    {{"s_tir.HoistIfThenElse", OptionKind::Dict, "None", "how far branches are hoisted"}, kHoistIfThenElse},
    {{"s_tir.InjectDoubleBuffer", OptionKind::Dict, "None", "the loops that fill the buffers"}, kInjectDoubleBuffer},
    {{"s_tir.LoopPartition", OptionKind::Dict, "None", "which loops are parted"}, kLoopPartition},
    {{"s_tir.instr_siblings", OptionKind::Bool, "True", "InstrumentProfileIntrinsics: only loops with siblings"}},
    {{"s_tir.lwp_disable_func_prof", OptionKind::Bool, "False", "the same pass: loops, and no functions"}},
    {{"s_tir.lwp_max_depth", OptionKind::Int, "0", "the same pass, without siblings: down to this depth of loops"}},
    {{"s_tir.lwp_min_height", OptionKind::Int, "1", "the same pass: loops with so many levels in them, and more"}},
    {{"s_tir.reset_start_id", OptionKind::Bool, "False", "count from 0 in each module"}, {}, kUnread},
    {{"testing.immutable_module", OptionKind::Bool, "False", "check that passes leave their input"}, {}, kUnread},
    {{"tirx.RemoveNoOp", OptionKind::Dict, "None", "what counts as nothing"}, kRemoveNoOp},
    {{"tirx.StmtSimplify", OptionKind::Dict, "None", "what is tried"}, kStmtSimplify},
    {{"tirx.UnrollLoop", OptionKind::Dict, "None", "which loops, and how"}, kUnrollLoop},
    {{"tirx.add_lower_pass", OptionKind::Any, "None", "more passes, as functions"}, {}, kUnread},
    {{"tirx.debug_keep_trivial_loop", OptionKind::Bool, "False", "keep loops of one step"}, {}, kUnread},
    {{"tirx.disable_assert", OptionKind::Bool, "False", "leave assertions out"}, {}, kUnread},
    {{"tirx.disable_cse_tir", OptionKind::Bool, "False", "without CommonSubexprElim"}, {}, kUnread},
    {{"tirx.disable_storage_rewrite", OptionKind::Bool, "False", "without StorageRewrite"}, {}, kUnread},
    {{"tirx.disable_vectorize", OptionKind::Bool, "False", "marked loops become plain ones"}, {}, kUnread},
    {{"tirx.enable_buffer_level_predication", OptionKind::Bool, "None",
      "VectorizeLoop guards accesses and no statements; None: where the target can"}},
    {{"tirx.enable_debug", OptionKind::Bool, "False", "code to be debugged"}, {}, kUnread},
    {{"tirx.enable_fast_math", OptionKind::Bool, "False", "LowerIntrin takes the faster functions of CUDA"}},
    {{"tirx.instrument_bound_checkers", OptionKind::Bool, "False", "with InstrumentBoundCheckers"}, {}, kUnread},
    {{"tirx.instrument_lwp", OptionKind::Bool, "False", "with InstrumentProfileIntrinsics"}, {}, kUnread},
    {{"tirx.is_entry_func", OptionKind::Bool, "False", "mark functions as entries"}, {}, kUnread},
    {{"tirx.merge_static_smem", OptionKind::Bool, "False",
      "MergeSharedMemoryAllocations takes static memory, too, and StorageRewrite shares none"}},
    {{"tirx.noalias", OptionKind::Bool, "True", "buffers of arguments do not overlap"}, {}, kUnread},
    {{"tirx.s_tir.ldg32", OptionKind::Bool, "False", "with InjectPTXLDG32"}, {}, kUnread},
    {{"tirx.use_async_copy", OptionKind::Bool, "False", "with InjectPTXAsyncCopy"}, {}, kUnread},
    {{"tirx.vtcm_capacity", OptionKind::Int, "0",
      "bytes of the fast memory of Hexagon, where the target does not say; 0 is any"}},
};

}  // namespace

std::span<const ConfigKey> configKeys() { return kKeys; }

}  // namespace rx::pass
