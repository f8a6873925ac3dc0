#include "core/compile/request/passes.h"

#include "core/lower/passes.h"
#include "core/transform/passes.h"

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

constexpr pass::PassRow kPipelines[] = {
    {"default", "the default build pipeline", {}, pass::Contract::None, nullptr, pass::Level::Always, kDefaultPipeline},
    {"default_build",
     "the default build pipeline",
     {},
     pass::Contract::None,
     nullptr,
     pass::Level::Always,
     kDefaultPipeline},
    {"s_tir",
     "what lowers kernels: TVM's build of TIR",
     {},
     pass::Contract::None,
     nullptr,
     pass::Level::Always,
     kTirPipeline},
    {"finalize_host",
     "after s_tir, for functions of the host",
     {},
     pass::Contract::None,
     nullptr,
     pass::Level::Always,
     kHostPipeline},
    {"finalize_device",
     "after s_tir, for functions of the device",
     {},
     pass::Contract::None,
     nullptr,
     pass::Level::Always,
     kDevicePipeline},
};

}  // namespace

const pass::PassTable& passTable() {
  static const pass::PassTable table{transform::passRows(), lower::passRows(), kPipelines};
  return table;
}

std::string_view defaultPipeline() { return kDefaultPipeline; }

}  // namespace rx::compile
