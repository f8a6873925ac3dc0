#include "core/compile/request/pipelines.h"

namespace rx::compile {

namespace {

// The order is that of TVM's default build; LambdaLift comes first because a user's module may hold local functions,
// and LegalizeOps names sizes, so that what TVM refuses for unknown shapes runs.
constexpr const char* kDefaultPipeline =
    "LambdaLift(), DispatchSampling(), DispatchSortScan(), LegalizeOps(name_shapes=True), RewriteDataflowReshape(), "
    "ToNonDataflow(), "
    "RemovePurityChecking(), CallTIRRewrite(), StaticPlanBlockMemory(), RewriteCUDAGraph(), LowerAllocTensor(), "
    "KillAfterLastUse(), LowerRuntimeBuiltin(), ComputePrimValue(), VMShapeLower(), AttachGlobalSymbol()";

// The passes of TVM's build of TIR for a target, without those that a configuration asks for, and what comes after
// SplitHostDevice for either side.
constexpr const char* kTirPipeline =
    "CanonicalizeLoop(), LowerCrossThreadReduction(), LowerInitBlock(), PlanAndUpdateBufferAllocationLocation(), "
    "ConvertBlocksToOpaque(), LiftThreadBinding(), ManifestSharedMemoryLocalStage(), CompactBufferAllocation(), "
    "LowerAutoCopy(), UnifyThreadBinding(), LowerMatchBuffer(), StmtSimplify(), InjectPermutedLayout(), "
    "AnnotateIrregularLoop(), InjectSoftwarePipeline(), TransformMmaBufferLayout(), LowerOpaqueBlock(), "
    "FlattenBuffer(), BF16ComputeLegalize(), NarrowDataType(target_bits=32), LoopPartition(), VectorizeLoop(), "
    "InjectVirtualThread(), InjectDoubleBuffer(), StorageRewrite(), HoistIfThenElse(), UnrollLoop(), "
    "RenormalizeSplitPattern(), StmtSimplify(), RemoveNoOp(), RewriteUnsafeSelect(), CommonSubexprElim(), "
    "FP8ComputeLegalize(), VerifyVTCMLimit(), LowerVtcmAlloc(), VerifyMemory(), AnnotateEntryFunc(), "
    "ThreadSync(storage_scope='shared'), ThreadSync(storage_scope='shared.dyn'), ThreadSync(storage_scope='warp'), "
    "InferFragment(), LowerThreadAllreduce(), MergeSharedMemoryAllocations(), SplitHostDevice(), MakePackedAPI(), "
    "FP8StorageLegalize(), BF16StorageLegalize()";
constexpr const char* kHostPipeline = "LowerTVMBuiltin(), LowerIntrin()";
constexpr const char* kDevicePipeline = "LowerWarpMemory(), StmtSimplify(), LowerIntrin()";

// TVM's for graphics processors: fused kernels, scheduled by rules for the target, then its default build.
constexpr const char* kGpuPipeline = "DispatchSampling(), DispatchSortScan(), zero, ApplyDefaultSchedule(), default";
// Ours: attention in one kernel, packed numbers unpacked where they are multiplied, and rules of ours beside TVM's, of
// which each says itself for what devices it is.
constexpr const char* kOwnGpuPipeline =
    "DispatchSampling(), DispatchSortScan(), FuseAttention(), FuseTransposeMatmul(), LegalizeOps(), "
    "AnnotateTIROpPattern(), FoldConstant(), "
    "FuseOps(unpack_in_products=True), FuseTIR(), WidenSums(), ApplyDefaultSchedule(rules=['gpu.WarpGroups', "
    "'gpu.TensorCores', 'gpu.Matmul', 'gpu.GEMV', 'gpu.Reduction', 'gpu.GeneralReduction', 'gpu.Attention', "
    "'gpu.RowReduction', 'gpu.Permutation', 'gpu.Fallback']), default";
constexpr const char* kCpuGenericPipeline =
    "DispatchSampling(), DispatchSortScan(), zero, RewriteDataflowReshape(), ToNonDataflow(), RemovePurityChecking(), "
    "CallTIRRewrite(), StaticPlanBlockMemory(), LowerAllocTensor(), KillAfterLastUse(), LowerRuntimeBuiltin(), "
    "ComputePrimValue(), VMShapeLower(), AttachGlobalSymbol()";
// Its kernels stay as they are where TVM's are scheduled, and it has no external modules to attach.
constexpr const char* kOptLlmPipeline =
    "FuseTransposeMatmul(), zero, DeadCodeElimination(), RewriteDataflowReshape(), ToNonDataflow(), "
    "RemovePurityChecking(), CallTIRRewrite(), StaticPlanBlockMemory(), RewriteCUDAGraph(), LowerAllocTensor(), "
    "KillAfterLastUse(), LowerRuntimeBuiltin(), VMShapeLower(), AttachGlobalSymbol()";

// Ours: fused kernels, as rules schedule them.
constexpr const char* kFusedPipeline =
    "LambdaLift(), DecomposeOpsForInference(keep_training=True), CanonicalizeBindings(), EliminateCommonSubexpr(), "
    "FoldConstant(), FuseAttention(), DispatchSampling(), DispatchSortScan(), LegalizeOps(name_shapes=True), "
    "AnnotateTIROpPattern(), FoldConstant(), FuseOps(unpack_in_products=True), FuseTIR()";

constexpr pass::PassRow pipeline(const char* name, const char* help, const char* text) {
  return {name, help, {}, pass::Contract::None, nullptr, pass::Level::Always, text};
}

constexpr pass::PassRow kPipelines[] = {
    pipeline("default", "the default build pipeline", kDefaultPipeline),
    pipeline("default_build", "the default build pipeline", kDefaultPipeline),
    pipeline("zero", "kernels for every operator, constants folded, kernels fused",
             "LegalizeOps(), AnnotateTIROpPattern(), FoldConstant(), FuseOps(), FuseTIR()"),
    pipeline("cpu_generic", "TVM's build for processors with fused kernels", kCpuGenericPipeline),
    pipeline("gpu_generic", "TVM's build for graphics processors: kernels fused and scheduled by rules", kGpuPipeline),
    pipeline("cuda", "the same for CUDA by rules of ours too, with products by tensor cores", kOwnGpuPipeline),
    pipeline("opencl", "the same for OpenCL by rules of ours too", kOwnGpuPipeline),
    pipeline("static_shape_tuning", "what prepares a module of known shapes for tuning, without the tuning",
             "DecomposeOpsForInference(), CanonicalizeBindings(), zero"),
    pipeline("optimized", "kernels fused and scheduled by rules for the processor, then the default build",
             "MultiplyQuantized(), PlanLayouts(), fused, AttachAttrLayoutFreeBuffers(only_with_weights=True), "
             "ApplySchedules(), weights_ready, "
             "default"),
    pipeline("optimized_precise", "the same with every sum added up in its order, and every product rounded",
             "fused, AttachAttrLayoutFreeBuffers(only_with_weights=True), ApplySchedules(precise=True), weights_ready, "
             "default"),
    pipeline("fused", "what prepares a module for its schedules: kernels fused, constants folded", kFusedPipeline),
    pipeline("weights_ready", "what lays weights out, once, as the schedules of kernels read them",
             "SplitLayoutRewritePreproc(keep_names=True), FoldConstant(), DeadCodeElimination()"),
    pipeline("opt_llm", "TVM's build for language models, kernels left unscheduled", kOptLlmPipeline),
    pipeline("s_tir", "what lowers kernels: TVM's build of TIR", kTirPipeline),
    pipeline("finalize_host", "after s_tir, for functions of the host", kHostPipeline),
    pipeline("finalize_device", "after s_tir, for functions of the device", kDevicePipeline),
};

}  // namespace

std::span<const pass::PassRow> pipelineRows() { return kPipelines; }

}  // namespace rx::compile
