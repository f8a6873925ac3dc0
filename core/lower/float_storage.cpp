// Keep values of formats that the processor does not know in unsigned integers.
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/float_conversion.h"
#include "core/lower/float_legalizer.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

class StorageLegalizer : public Rewriter {
 public:
  explicit StorageLegalizer(FloatFamily family) : family_(family) {}
  VarRef variable(const VarRef& var);

 protected:
  NodeRef enter(const NodeRef& node) override {
    auto var = refAs<Var>(node);
    return var ? NodeRef(variable(var)) : nullptr;
  }
  NodeRef leave(const NodeRef& node) override;
  BufferRef define(const BufferRef& buffer) override { return use(buffer); }
  BufferRef use(const BufferRef& buffer) override;

 private:
  FloatFamily family_;
  std::unordered_map<const Node*, VarRef> variables_;
  std::unordered_map<const Node*, BufferRef> buffers_;
};

/// A pointer to values of the family as one to integers; other variables stay.
VarRef StorageLegalizer::variable(const VarRef& var) {
  const auto* pointer = as<PointerType>(var->annotation);
  const auto* element = pointer ? as<PrimType>(pointer->element) : nullptr;
  if (!element || !family_(element->dtype)) return var;
  VarRef& known = variables_[var.get()];
  if (!known) known = bufferPointer(storageType(element->dtype), var->name, pointer->scope);
  return known;
}

BufferRef StorageLegalizer::use(const BufferRef& buffer) {
  VarRef data = variable(buffer->data);
  if (data == buffer->data && !family_(buffer->dtype)) return buffer;
  BufferRef& known = buffers_[buffer.get()];
  if (!known) {
    auto* copy = new Buffer(*buffer);
    copy->data = std::move(data);
    if (family_(buffer->dtype)) copy->dtype = storageType(buffer->dtype);
    known = BufferRef(copy);
  }
  return known;
}

NodeRef StorageLegalizer::leave(const NodeRef& node) {
  if (const auto* load = as<BufferLoad>(node); load && family_(load->dtype)) {
    return make<BufferLoad>(load->buffer, load->indices, storageType(load->dtype), load->predicate);
  }
  const auto* call = asCallOf(node, "reinterpret");
  if (!call) return node;
  const PrimExpr& value = call->args[0];
  if (value->dtype == call->dtype) return value;
  return family_(call->dtype) ? NodeRef(reinterpreted(storageType(call->dtype), value)) : node;
}

}  // namespace

Result<PrimFuncRef> legalizeFloatStorage(const PrimFuncRef& function, FloatFamily family) {
  for (const BufferRef& buffer : function->buffers) {
    if (buffer)
      return fail("lower.order", "values are kept as integers after MakePackedAPI, without buffer parameters");
  }
  StorageLegalizer legalizer(family);
  std::vector<VarRef> params;
  bool same = true;
  for (const VarRef& param : function->params) {
    params.push_back(legalizer.variable(param));
    same = same && params.back() == param;
  }
  PrimFuncRef changed = withBody(function, legalizer.rewrite(function->body));
  if (same) return changed;
  auto* copy = new PrimFunc(*changed);
  copy->params = Array<VarRef>(std::move(params));
  return PrimFuncRef(copy);
}

}  // namespace rx::lower
