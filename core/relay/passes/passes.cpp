#include "core/relay/passes/passes.h"

#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {

using pass::OptionKind;
using pass::OptionSpec;

constexpr std::span<const OptionSpec> kNone = {};
constexpr OptionSpec kDeadCodeElimination[] = {
    {"inline_once", OptionKind::Bool, "False", "put values that are used once in the place of their variable"},
    {"ignore_impurity", OptionKind::Bool, "False", "remove what has effects too"},
};
constexpr OptionSpec kEliminateCommonSubexpr[] = {
    {"fskip", OptionKind::Any, "None", "name, or list of names, of operators to leave alone"},
};
constexpr OptionSpec kDefunctionalization[] = {
    {"function", OptionKind::Text, "\"main\"", "the function where the program begins"},
};
constexpr OptionSpec kGradient[] = {
    {"function", OptionKind::Text, "\"main\"", "the function whose gradients are made"},
};
constexpr OptionSpec kRemoveUnusedFunctions[] = {
    {"entry_functions", OptionKind::TextList, "[\"main\"]", "functions to keep, with all that they reach"},
};

constexpr OptionSpec kFakeQuantization[] = {
    {"hard_fail", OptionKind::Bool, "False", "refuse where an operator has no rule"},
    {"use_qat", OptionKind::Bool, "False", "take operators too whose result nothing quantizes"},
    {"optional_qnn_ops", OptionKind::TextList, "[]", "operators whose rules count only when named"},
};
constexpr OptionSpec kFuseOps[] = {
    {"fuse_opt_level", OptionKind::Int, "-1", "0 makes a function of each operator; -1 is the level of the context"},
};
constexpr OptionSpec kMergeComposite[] = {
    {"patterns", OptionKind::Any, "[]",
     "[{\"name\": \"dnnl.dense_relu\", \"pattern\": text of is_op, wildcard, is_const and |}], in their order"},
};
constexpr OptionSpec kPartitionGraph[] = {
    {"mod_name", OptionKind::Text, "\"default\"", "begins the names of the functions: tvmgen_default_..."},
    {"bind_constants", OptionKind::Bool, "True", "leave constants in the functions, and make no parameters of them"},
};
constexpr OptionSpec kPlanDevices[] = {
    {"config", OptionKind::Text, "\"\"", "the targets and the default device, as TVM writes a CompilationConfig"},
};
constexpr OptionSpec kToMixedPrecision[] = {
    {"mixed_precision_type", OptionKind::Text, "\"float16\"", "the narrow type: float16 or bfloat16"},
    {"missing_op_mode", OptionKind::Int, "1", "without effect: operators that no list names follow their arguments"},
};
constexpr OptionSpec kAnnotateTarget[] = {
    {"targets", OptionKind::Any, "[]", "name, or list of names, of compilers, the preferred first"},
    {"include_non_call_ops", OptionKind::Bool, "True", "tuples, references and branches belong to compilers too"},
    {"operators", OptionKind::Dict, "{}",
     "by compiler: the operators that it takes, where it is none of TVM's own or takes others"},
};
constexpr OptionSpec kConvertLayout[] = {
    {"desired_layouts", OptionKind::Dict, "{}",
     "by operator: the layouts of data and kernel, \"default\" for the kernel that goes with the data"},
};
constexpr OptionSpec kFoldConstant[] = {
    {"fold_qnn", OptionKind::Bool, "False", "fold quantized operators too"},
};
constexpr OptionSpec kLegalize[] = {
    {"legalize_map_attr_name", OptionKind::Text, "\"FTVMLegalize\"",
     "which rules: FTVMLegalize, FTVMQnnCanonicalize or FTVMQnnLegalize"},
};
constexpr OptionSpec kSplitArgs[] = {
    {"max_function_args", OptionKind::Int, "0", "arguments that a kernel of the target may have; 0: any number"},
};
constexpr OptionSpec kEtaExpand[] = {
    {"expand_constructor", OptionKind::Bool, "False", "constructors that are not called"},
    {"expand_global_var", OptionKind::Bool, "False", "names of functions"},
};
constexpr OptionSpec kSimplifyFcTranspose[] = {
    {"target_weight_name", OptionKind::TextList, "[]", "names of the weights that are transposed"},
};
#define RX_SPARSE_WEIGHTS                                                                    \
  {"weight_name", OptionKind::TextList, "[]", "names of the weights"}, {                     \
    "weight_shape", OptionKind::Any, "[]",                                                   \
        "of each weight: the shape of its blocks, the number of columns, the number of rows" \
  }
constexpr OptionSpec kDenseToSparse[] = {RX_SPARSE_WEIGHTS};
constexpr OptionSpec kConv2dToSparse[] = {
    RX_SPARSE_WEIGHTS,
    {"layout", OptionKind::Text, "\"NHWC\"", "of the data: NHWC or NCHW"},
    {"kernel_size", OptionKind::Int, "1", "size of the kernel, in both directions"},
};
#undef RX_SPARSE_WEIGHTS
#define RX_BRANCHES \
  { "min_num_branches", OptionKind::Int, "3", "how many calls it takes" }
constexpr OptionSpec kCombineParallel[] = {RX_BRANCHES};
constexpr OptionSpec kCombineParallelDense[] = {
    RX_BRANCHES, {"to_batch", OptionKind::Bool, "True", "make one batched product instead of a wider one"}};
#undef RX_BRANCHES

/// A text that is a function alone is the function `main` for passes, as it is for TVM's, with types where it has any.
ir::Module withMain(const ir::Module& module, const CancelToken& cancel) {
  const auto lone = module->size() == 1 ? refAs<Function>(module->functions[0]) : nullptr;
  if (!lone || !ir::boolAttrOf(lone->attrs, kLoneExpression, false)) return module;
  auto function = refAs<Function>(lone->body);
  if (!function) return module;
  const ir::Module main = module->with({{module->vars[0], std::move(function)}});
  const Result<ir::Module> typed = inferTypes(main, cancel, Declare::Yes);
  return typed ? *typed : main;
}

template <auto kPass>
Result<ir::Module> onMain(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  return kPass(withMain(module, context.cancel), given, context);
}

constexpr pass::PassRow kRows[] = {
#define RX_RELAY_PASS(Name, function, options, help) \
  {#Name, help, options, pass::Contract::None, onMain<function>, pass::Level::Always, "", "relay"},
#include "core/relay/passes/passes.def"
    {"BatchingOps", "makes one call of several: of convolutions, dense and batched products", kNone,
     pass::Contract::None, nullptr, pass::Level::Always,
     "CombineParallelConv2D(), CombineParallelDense(), CombineParallelBatchMatmul()", "relay"},
    {"ToRelax", "translates the functions to Relax, whose passes follow", kNone, pass::Contract::None, toRelax,
     pass::Level::Always, "", "relay", "relax"},
};

}  // namespace

std::span<const pass::PassRow> passRows() { return kRows; }

bool isOpen(const Function& function) {
  return !ir::attrOf(function.attrs, "Compiler") && ir::intAttrOf(function.attrs, "SkipOptimization", 0) == 0;
}

Result<ir::Module> onFunctions(const ir::Module& module, pass::PassContext& context,
                               const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite) {
  auto entries = module->entries();
  bool changed = false;
  for (auto& [name, function] : entries) {
    const auto relay = refAs<Function>(function);
    if (!relay || !isOpen(*relay)) continue;
    if (context.cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
    RX_TRY(rewritten, rewrite(relay));
    changed = changed || rewritten != relay;
    function = rewritten;
  }
  return changed ? module->with(std::move(entries)) : module;
}

Result<ir::Module> onTypedFunctions(const ir::Module& module, pass::PassContext& context,
                                    const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  RX_TRY(rewritten, onFunctions(typed, context, rewrite));
  return inferTypes(rewritten, context.cancel);
}

Expr rewriteCalls(const Expr& root, const CallRewrite& rewrite) {
  return refAs<relax::ExprNode>(rewriteGraph(root, nullptr, [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
    const auto call = refAs<Call>(now);
    const OpRow* row = calledOperator(call);
    const Expr made = row ? rewrite(*as<Call>(before), call, *row) : nullptr;
    return made ? NodeRef(made) : now;
  }));
}

Result<ir::Module> onCalls(const ir::Module& module, pass::PassContext& context, const CallRewrite& rewrite) {
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    return refAs<Function>(rewriteCalls(function, rewrite));
  });
}

Result<ir::Module> inferType(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return inferTypes(module, context.cancel);
}

Result<ir::Module> annotateSpans(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return inferTypes(module, context.cancel);
}

Result<ir::Module> capturePostDfsIndexInSpans(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return inferTypes(module, context.cancel);
}

}  // namespace rx::relay
