#include "core/ir/relax.h"

#include "core/ir/structural_equal.h"

namespace rx::relax {

namespace {
/// Rank that a shape expression gives.
int64_t rankOf(const Expr& shape) {
  if (const auto* literal = as<ShapeExpr>(shape)) return static_cast<int64_t>(literal->values.size());
  const auto* info = shape ? as<ShapeStructInfo>(shape->sinfo) : nullptr;
  return info ? info->ndim : kUnknownDim;
}

Array<StructInfo> sinfosOf(const Array<VarRef>& params) {
  std::vector<StructInfo> infos;
  for (const VarRef& param : params) infos.push_back(param->sinfo ? param->sinfo : objectSinfo());
  return Array<StructInfo>(std::move(infos));
}
}  // namespace

TensorStructInfo::TensorStructInfo(Expr s, DataType d, Ref<ir::VDevice> device)
    : shape(std::move(s)), vdevice(std::move(device)), ndim(rankOf(shape)), dtype(d) {}

Ref<FuncStructInfo> FuncStructInfo::opaque(StructInfo ret, bool purity, Str deriveFunc) {
  auto* info = new FuncStructInfo();
  info->ret = ret ? std::move(ret) : objectSinfo();
  info->purity = purity;
  info->deriveFunc = std::move(deriveFunc);
  return Ref<FuncStructInfo>(info);
}

ShapeExpr::ShapeExpr(Array<tir::PrimExpr> v) : values(std::move(v)) { sinfo = make<ShapeStructInfo>(values); }
PrimValue::PrimValue(tir::PrimExpr v) : value(std::move(v)) { sinfo = make<PrimStructInfo>(value); }
StringImm::StringImm(Str v) : value(std::move(v)) { sinfo = objectSinfo(); }
DataTypeImm::DataTypeImm(DataType v) : value(v) { sinfo = objectSinfo(); }

Function::Function(Array<VarRef> p, SeqRef b, StructInfo r, bool pure, ir::Attrs a)
    : params(std::move(p)), body(std::move(b)), retSinfo(std::move(r)), isPure(pure) {
  attrs = std::move(a);
  sinfo = make<FuncStructInfo>(sinfosOf(params), retSinfo, isPure);
}

ExternFunc::ExternFunc(Str n, StructInfo s, ir::Attrs a) : globalSymbol(std::move(n)) {
  attrs = std::move(a);
  static const StructInfo kUnknown = FuncStructInfo::opaque(objectSinfo(), false);
  sinfo = s ? std::move(s) : kUnknown;
}

// One node for all: every call without a result has it.
StructInfo objectSinfo() {
  static const StructInfo kObject = make<ObjectStructInfo>();
  return kObject;
}
StructInfo tupleSinfo(Array<StructInfo> fields) { return make<TupleStructInfo>(std::move(fields)); }
StructInfo voidSinfo() {
  static const StructInfo kVoid = make<TupleStructInfo>(Array<StructInfo>());
  return kVoid;
}
StructInfo tensorSinfo(std::span<const tir::PrimExpr> shape, DataType dtype) {
  return make<TensorStructInfo>(Expr(make<ShapeExpr>(Array<tir::PrimExpr>(shape.begin(), shape.end()))), dtype);
}

}  // namespace rx::relax

namespace rx::tir {

namespace {
/// StructInfo of a PrimFunc as Relax sees it: tensors of the buffers, primitive parameters.
relax::StructInfo signatureOf(const PrimFunc& func) {
  std::vector<relax::StructInfo> params;
  for (size_t i = 0; i < func.params.size(); ++i) {
    const BufferRef buffer = i < func.buffers.size() ? func.buffers[i] : nullptr;
    if (buffer) {
      params.push_back(relax::tensorSinfo(buffer->shape, buffer->dtype));
    } else if (func.params[i]->dtype.isHandle()) {
      params.push_back(relax::objectSinfo());
    } else {
      params.push_back(make<relax::PrimStructInfo>(func.params[i]->dtype));
    }
  }
  relax::StructInfo ret = relax::voidSinfo();
  if (const auto* prim = as<PrimType>(func.retType)) {
    if (!prim->dtype.isVoid()) ret = make<relax::PrimStructInfo>(prim->dtype);
  }
  return make<relax::FuncStructInfo>(Array<relax::StructInfo>(std::move(params)), ret, false);
}
}  // namespace

PrimFunc::PrimFunc(Array<VarRef> p, Array<BufferRef> m, Stmt b, Type r, ir::Attrs a)
    : params(std::move(p)), buffers(std::move(m)), retType(std::move(r)), body(std::move(b)) {
  attrs = std::move(a);
  RX_ASSERT(buffers.size() == params.size(), "a PrimFunc has one buffer entry for each parameter");
  sinfo = signatureOf(*this);
}

}  // namespace rx::tir

namespace rx::ir {

BaseFunc withFunctionAttr(const BaseFunc& function, Str key, NodeRef value) {
  const NodeRef held = attrOf(function->attrs, key.view());
  if (held && value && structuralEqual(held, value)) return function;
  return withFunctionAttrs(function, withAttr(function->attrs, std::move(key), std::move(value)));
}

}  // namespace rx::ir
