#include "core/transform/passes.h"

#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using pass::OptionKind;
using pass::OptionSpec;
using pass::PassRow;

constexpr std::span<const OptionSpec> kNone = {};
constexpr OptionSpec kAlterOpImpl[] = {
    {"op_impl_map", OptionKind::Dict, "{}", "by operator_name, the text of a PrimFunc"},
    {"op_buffer_transforms", OptionKind::Dict, "{}",
     "by operator_name, an index map as text, or None, for each buffer"},
    {"op_buffer_axis_separators", OptionKind::Dict, "{}", "by operator_name, axis separators for each buffer, or None"},
    {"op_buffer_input_axis_separators", OptionKind::Dict, "{}", "the same of the layouts before"},
};
constexpr OptionSpec kTargetOption[] = {
    {"target", OptionKind::Any, "None", "the target, where it is not that of the context"},
};
constexpr OptionSpec kAttachLayoutFree[] = {
    {"only_with_weights", OptionKind::Bool, "False", "kernels without weights stay as they are, with their names"},
};
constexpr OptionSpec kVariableBounds[] = {
    {"variable_bounds", OptionKind::Dict, "{}", "the largest size by the name of the symbolic variable"},
    {"lower_bounds", OptionKind::Dict, "{}", "the smallest one"},
};
constexpr OptionSpec kRaisePrecision[] = {
    {"bindings", OptionKind::TextList, "[]", "names of bindings that operators make"},
    {"dtype", OptionKind::Text, "\"float32\"", "float32 or float64"},
};
constexpr OptionSpec kStubExternalCalls[] = {
    {"names", OptionKind::TextList, "[]", "functions from outside that nobody gives"},
    {"value", OptionKind::Text, "\"zeros\"",
     "what they give: zeros, or identity: the first argument of the result's type"},
};
constexpr OptionSpec kBindParams[] = {
    {"func_name", OptionKind::Text, "\"main\"", "the function, by its global_symbol or, of a private one, its name"},
    {"params", OptionKind::Dict, "{}", "tensors by the name of the parameter"},
    {"file", OptionKind::Text, "\"\"",
     "an .npz or .safetensors file (ours): each of its arrays that is named as a parameter is bound to that"},
};
constexpr OptionSpec kBindSymbolicVars[] = {
    {"binding_map", OptionKind::Dict, "{}", "numbers by the name of the symbolic variable"},
    {"func_name", OptionKind::Any, "None", "the only function to look at"},
};
constexpr OptionSpec kDecomposeOps[] = {
    {"func_name", OptionKind::Any, "None", "the only function to look at"},
};
constexpr OptionSpec kDecomposeForInference[] = {
    {"func_name", OptionKind::Any, "None", "the only function to look at"},
    {"keep_training", OptionKind::Bool, "False", "leave what is computed for training as it is; TVM decomposes it too"},
};
constexpr OptionSpec kAttachExternModules[] = {
    {"extern_modules", OptionKind::TextList, "[]", "modules of a frontend of TVM, of which a text has none"},
};
constexpr OptionSpec kBundleModelParams[] = {
    {"param_tuple_name", OptionKind::Text, "\"model_params\"", "the name of the tuple"},
};
constexpr OptionSpec kLazyTransformParams[] = {
    {"fget_item", OptionKind::Text, "\"get_item\"", "the packed function that gives a weight by its number"},
    {"fset_item", OptionKind::Any, "\"set_item\"", "the packed function that takes a result; None: they are returned"},
};
constexpr OptionSpec kLiftTransformParams[] = {
    {"shared_transform", OptionKind::Any, "False",
     "one function for all (True), or for those that a list names, which must have the same weights"},
};
constexpr OptionSpec kMetaScheduleApplyDatabase[] = {
    {"work_dir", OptionKind::Any, "None", "the folder of the database"},
    {"enable_warning", OptionKind::Bool, "False", "whether kernels without a schedule are told"},
};
constexpr OptionSpec kMetaScheduleTuneTir[] = {
    {"work_dir", OptionKind::Text, "\"\"", "the folder of the database"},
    {"max_trials_global", OptionKind::Int, "0", "how many schedules are tried"},
};
constexpr OptionSpec kMetaScheduleTuneIrMod[] = {
    {"params", OptionKind::Dict, "{}", "tensors by the name of the parameter"},
    {"work_dir", OptionKind::Text, "\"\"", "the folder of the database"},
    {"max_trials_global", OptionKind::Int, "0", "how many schedules are tried"},
    {"max_trials_per_task", OptionKind::Any, "None", "how many of them for one kernel"},
    {"op_names", OptionKind::Any, "None", "the only operators to look at"},
};
constexpr OptionSpec kSplitCallTirByPattern[] = {
    {"patterns", OptionKind::TextList, "[]",
     "texts of PrimFuncs of one loop nest; scalars behind their buffers are sizes"},
    {"source", OptionKind::Text, "\"\"", "source of the library's function, which it calls {global_symbol}"},
    {"source_format", OptionKind::Text, "\"cu\"", "the language of the source"},
};
constexpr OptionSpec kUpdateParamStructInfo[] = {
    {"sinfo_func", OptionKind::Dict, "{}", "by the name of the parameter, its StructInfo as text"},
};
constexpr OptionSpec kConvertLayout[] = {
    {"desired_layouts", OptionKind::Dict, "{}",
     "by operator, layouts of data, weights and result: {\"relax.nn.conv2d\": [\"NHWC\", \"OHWI\"]}"},
    {"layout_cb", OptionKind::Any, "None", "a function that chooses, which no text can name"},
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
constexpr OptionSpec kCudaGraph[] = {
    {"enable", OptionKind::Bool, "False", "capture whatever relax.backend.use_cuda_graph says"},
};
constexpr OptionSpec kFuseOps[] = {
    {"fuse_opt_level", OptionKind::Int, "-1", "0 fuses nothing; -1 is the level of the context"},
    {"unpack_in_products", OptionKind::Bool, "False",
     "what makes a tensor of at most two thirds of its bytes joins the product that alone reads it"},
};
constexpr OptionSpec kFuseOpsByPattern[] = {
    {"patterns", OptionKind::Any, "[]",
     "[{\"name\": \"dnnl.relu\", \"pattern\": text as of tvm.relax.dpl, \"annotation_patterns\": {label: name in "
     "it}}]"},
    {"bind_constants", OptionKind::Bool, "True", "leave constants in the functions, and make no parameters of them"},
    {"annotate_codegen", OptionKind::Bool, "False", "wrap each function for the compiler that its name begins with"},
    {"entry_functions", OptionKind::Any, "None", "the only functions to look at"},
};
constexpr OptionSpec kPartitionForLibrary[] = {
    {"library", OptionKind::Text, "\"dnnl\"", "dnnl or cblas; where the machine has it not, the module stays as it is"},
};
constexpr OptionSpec kSplitLayoutRewritePreproc[] = {
    {"keep_names", OptionKind::Bool, "False", "what computes keeps the name of the kernel; else it is another"},
};
constexpr OptionSpec kRunCodegen[] = {
    {"target_options", OptionKind::Any, "None", "options by compiler; none of the libraries that are known has one"},
    {"entry_functions", OptionKind::Any, "None", "names of functions to keep beside those with a global_symbol"},
};
constexpr OptionSpec kToMixedPrecision[] = {
    {"out_dtype", OptionKind::Text, "\"float32\"", "what products and convolutions give before it is kept in float16"},
    {"fp16_input_names", OptionKind::Any, "None", "names of parameters that are given in float16"},
};
constexpr OptionSpec kGradient[] = {
    {"func_name", OptionKind::Text, "\"main\"", "the function to differentiate"},
    {"require_grads", OptionKind::Any, "None", "names of the variables whose adjoints are given; None: all parameters"},
    {"target_index", OptionKind::Int, "0", "which of several results is differentiated"},
};
constexpr OptionSpec kTopologicalSort[] = {
    {"order", OptionKind::Text, "\"depth-first\"", "\"depth-first\" or \"breadth-first\""},
    {"direction", OptionKind::Text, "\"from-inputs\"", "\"from-inputs\" or \"from-outputs\""},
};
constexpr OptionSpec kIpcAllReduceRewrite[] = {
    {"allreduce_strategy", OptionKind::Int, "1", "1 sums in one shot, 2 in two"},
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
