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

constexpr pass::PassRow kPipelines[] = {
    {"default", "the default build pipeline", {}, pass::Contract::None, nullptr, pass::Level::Always, kDefaultPipeline},
    {"default_build",
     "the default build pipeline",
     {},
     pass::Contract::None,
     nullptr,
     pass::Level::Always,
     kDefaultPipeline},
};

}  // namespace

const pass::PassTable& passTable() {
  static const pass::PassTable table{transform::passRows(), lower::passRows(), kPipelines};
  return table;
}

std::string_view defaultPipeline() { return kDefaultPipeline; }

}  // namespace rx::compile
