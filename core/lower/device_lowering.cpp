#include "core/lower/device_lowering.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/symbols.h"
#include "core/lower/empty_reduction.h"
#include "core/lower/function_target.h"
#include "core/lower/marked_accesses.h"
#include "core/lower/one_thread.h"
#include "core/lower/pass_functions.h"
#include "core/lower/register_loops.h"
#include "core/lower/zero_division.h"

namespace rx::lower {

namespace {

/// FlattenBuffer puts the offset of a buffer into the indices, and leaves it in the buffer too, as TVM's text has it:
/// what reads the buffer afterwards would count it twice.
Result<tir::PrimFuncRef> withoutOffsets(const tir::PrimFuncRef& function, Scope&) {
  NodeRef body = rewriteNodes(function->body, Into::Parts, nullptr, [](const NodeRef& node) -> NodeRef {
    const auto* buffer = as<tir::Buffer>(node.get());
    if (!buffer || !buffer->elemOffset || tir::asInt(buffer->elemOffset) == 0) return node;
    auto* plain = new tir::Buffer(*buffer);
    plain->elemOffset = nullptr;
    std::vector<tir::PrimExpr> shape(buffer->shape.begin(), buffer->shape.end());
    if (!shape.empty()) shape.back() = arith::add(shape.back(), buffer->elemOffset);
    plain->shape = Array<tir::PrimExpr>(std::move(shape));
    return NodeRef(plain);
  });
  return withBody(function, cast<tir::StmtNode>(body));
}

Result<tir::PrimFuncRef> markRegisterLoops(const tir::PrimFuncRef& function, Scope&) {
  return withBody(function, withRegisterLoops(function->body));
}

struct Step {
  const char* name;  ///< of its row in passes.def, where it has one
  FunctionPass pass;
  std::string_view scope = {};  ///< of ThreadSync
};

constexpr Step kToLoops[] = {
    {"InitEmptyReductions", initEmptyReductions},
    {"CanonicalizeLoop", canonicalizeLoop},
    {"LowerCrossThreadReduction", lowerCrossThreadReduction},
    {"LowerInitBlock", lowerInitBlock},
    {"PlanAndUpdateBufferAllocationLocation", planAllocationLocation},
    {"ConvertBlocksToOpaque", convertBlocksToOpaque},
    {"LiftThreadBinding", liftThreadBinding},
    {"ManifestSharedMemoryLocalStage", manifestLocalStage},
    {"CompactBufferAllocation", compactBufferAllocation},
    {"LowerAutoCopy", lowerAutoCopy},
    {"UnifyThreadBinding", unifyThreadBinding},
    {"LowerMatchBuffer", lowerMatchBuffer},
    {"InjectPermutedLayout", injectPermutedLayout},
    {"InjectSoftwarePipeline", injectSoftwarePipeline},
    {"TransformMmaBufferLayout", transformMmaBufferLayout},
    {"LowerOpaqueBlock", lowerOpaqueBlock},
};
constexpr Step kToKernels[] = {
    {"FlattenBuffer", flattenBuffer},
    {"offsets in indices", withoutOffsets},
    {"VectorizeLoop", vectorizeLoop},
    {"InjectVirtualThread", injectVirtualThread},
    {"InjectDoubleBuffer", injectDoubleBuffer},
    {"loops over registers", markRegisterLoops},
    {"UnrollLoop", unrollLoop},
    {"RemoveNoOp", removeNoOp},
    {"ThreadSync", threadSync, "shared"},
    {"ThreadSync", threadSync, "shared.dyn"},
    {"ThreadSync", threadSync, "warp"},
    {"InferFragment", inferFragment},
    {"LowerThreadAllreduce", lowerThreadAllreduce},
};
constexpr Step kOnDevice[] = {
    {"LowerWarpMemory", lowerWarpMemory},
};

/// What is lowered on.
tir::PrimFuncRef tellStep(const LoweringStep& told, std::string_view name, const tir::PrimFuncRef& before,
                          tir::PrimFuncRef made) {
  return told && made != before ? told(name, made) : made;
}

/// Runs passes over the functions of one module.
class Road {
 public:
  Road(const ir::Module& module, pass::PassContext& context, bool vectors)
      : module_(module), context_(context), vectors_(vectors) {}

  Result<tir::PrimFuncRef> through(std::span<const Step> steps, const relax::GlobalVarRef& name,
                                   tir::PrimFuncRef function, const LoweringStep& told = {}) {
    for (const Step& step : steps) {
      if (context_.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
      ir::Attrs options = ir::withAttr(nullptr, "enable_vectorize", ir::boolAttr(vectors_));
      if (!step.scope.empty()) options = ir::withAttr(options, "storage_scope", ir::strAttr(step.scope));
      Scope scope{module_, name, options, context_};
      RX_TRY(next, step.pass(function, scope));
      function = tellStep(told, step.name, function, std::move(next));
    }
    return function;
  }

 private:
  const ir::Module& module_;
  pass::PassContext& context_;
  const bool vectors_;
};

ir::Module moduleOf(const relax::GlobalVarRef& name, const tir::PrimFuncRef& function) {
  return make<ir::IRModule>(std::vector<ir::IRModule::Entry>{{name, function}}, nullptr, nullptr, SourceList{});
}

/// The default schedule where it has an answer; what it refuses runs on one thread.
tir::PrimFuncRef scheduled(const relax::GlobalVarRef& name, const tir::PrimFuncRef& function,
                           pass::PassContext& context) {
  const ir::Module alone = moduleOf(name, function);
  Scope scope{alone, name, nullptr, context};
  Result<tir::PrimFuncRef> made = defaultGpuSchedule(function, scope);
  return made ? *made : function;
}

Result<DeviceForm> split(const relax::GlobalVarRef& name, const tir::PrimFuncRef& function,
                         pass::PassContext& context) {
  RX_TRY(parts, splitHostDevice(moduleOf(name, function), nullptr, context));
  DeviceForm form;
  Road road(parts, context, true);
  for (size_t i = 0; i < parts->size(); ++i) {
    auto part = refAs<tir::PrimFunc>(parts->functions[i]);
    if (parts->vars[i]->name == name->name) {
      form.host = std::move(part);
      continue;
    }
    RX_TRY(kernel, road.through(kOnDevice, parts->vars[i], std::move(part)));
    form.kernels.push_back({ir::symbolOf(*parts->vars[i], *kernel), kernel});
  }
  return form;
}

}  // namespace

Result<DeviceForm> loweredForDevice(const std::string& name, const tir::PrimFuncRef& function,
                                    const CancelToken& cancel, const target::TargetRef& target,
                                    const LoweringStep& step) {
  RX_TRY(host, target::parseTarget("llvm"));
  pass::PassContext context;
  context.target = target->withHost(host);
  context.cancel = cancel;
  const auto global = make<relax::GlobalVar>(Str(name));
  tir::PrimFuncRef kernel = withTarget(function, context.target);
  kernel = tellStep(step, "DefaultGPUSchedule", kernel, scheduled(global, kernel, context));
  const ir::Module alone = moduleOf(global, kernel);
  RX_TRY(loops, Road(alone, context, true).through(kToLoops, global, kernel, step));
  const AccessProof proof = provenAccesses(*loops);
  loops = withDivisorsMarked(loops, proof.doubtfulDivisions);
  RX_TRY(marked, withAccessesMarked(loops, proof));
  tir::PrimFuncRef bound = withRemainsOnOneThread(marked);
  bound = tellStep(step, "accesses marked", loops, std::move(bound));
  // An access that is looked at is looked at by element.
  RX_TRY(flat, Road(alone, context, proof.flat).through(kToKernels, global, std::move(bound), step));
  RX_TRY(form, split(global, flat, context));
  form.exact = proof.exact;
  return form;
}

}  // namespace rx::lower
