#include "core/relay/passes/alter_layout.h"

namespace rx::relay {

namespace {

/// Channels that lie side by side: a vector of 512 bits of single precision.
constexpr int64_t kBlock = 16;

/// A convolution with its data in blocks of channels, where they fill these; null where it stays.
Expr blocked(const Call& before, const Ref<Call>& now) {
  const TensorType *data = tensorOf(before.args[0]), *result = as<TensorType>(before.sinfo);
  const auto layout = Layout::parse(textAttrOf(*now, "data_layout"));
  const bool isPlain = layout && layout->isOrderOf("NCHW") && layout->rank() == 4 &&
                       textAttrOf(*now, "out_layout").empty() && intAttrOf(*now, "groups", 1) == 1;
  if (!isCallOf(now, "nn.conv2d") || !isPlain || !data || !result) return nullptr;
  const auto in = known(data->shape[*layout->find('C')]), out = known(result->shape[*layout->find('C')]);
  if (!in || !out || *in % kBlock != 0 || *out % kBlock != 0) return nullptr;
  auto* made = new Call(*now);
  made->attrs = attrsWith(*now, {{"data_layout", ir::strAttr(Str("NCHW" + std::to_string(kBlock) + "c"))}});
  return Ref<Call>(made);
}

/// A product with a matrix, with the matrix in blocks of rows, as many as divide it; null where it stays.
Expr packed(const Call& before, const Ref<Call>& now) {
  const TensorType *weight = tensorOf(before.args[1]), *result = as<TensorType>(before.sinfo);
  const auto rows = weight ? known(weight->shape[0]) : std::nullopt;
  if (!result || !rows || *rows == 0) return nullptr;
  int64_t block = kBlock;
  while (*rows % block != 0) --block;
  auto* made = new Call(*now);
  made->op = operatorNamed("nn.contrib_dense_pack");
  made->attrs = make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{
      {Str("units"), ir::nullAttr()},
      {Str("out_dtype"), dtypeAttr(result->dtype)},
      {Str("weight_layout"), ir::strAttr(Str("NC" + std::to_string(block) + "n"))}});
  return Ref<Call>(made);
}

/// What a call would rather be on a processor with vectors.
Expr chosen(const Call& before, const Ref<Call>& now) {
  return isCallOf(now, "nn.dense") ? packed(before, now) : blocked(before, now);
}

}  // namespace

Result<ir::Module> alterOpLayout(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
    return withLayouts(function, chosen);
  });
}

}  // namespace rx::relay
