// Methods of buffers: A.vload(...), A.access_ptr(...) and their kin.
#include "core/arith/fold.h"
#include "core/op/op_table.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

NodeRef Reader::bufferMethod(const tir::BufferRef& buffer, std::string_view method, const Args& args) {
  struct MethodRow {
    std::string_view name;
    NodeRef (Reader::*read)(const tir::BufferRef&, const Args&);
  };
  static constexpr MethodRow kMethods[] = {{"scope", &Reader::bufferScope},
                                           {"view", &Reader::bufferView},
                                           {"vload", &Reader::bufferVectorLoad},
                                           {"vstore", &Reader::bufferVectorStore},
                                           {"access_ptr", &Reader::bufferAccess}};
  for (const MethodRow& row : kMethods)
    if (row.name == method) return (this->*row.read)(buffer, args);
  return error(args.call, "script.attribute", "a buffer has no method '" + std::string(method) + "'");
}

NodeRef Reader::bufferScope(const tir::BufferRef& buffer, const Args&) { return ir::strAttr(Str(buffer->scope())); }

/// A declaration of another shape, and perhaps another type, over the same memory.
NodeRef Reader::bufferView(const tir::BufferRef& buffer, const Args& args) {
  Args decl;
  decl.call = args.call;
  std::vector<NodeRef> shape = args.values;
  NodeRef type = ir::typeAttr(buffer->dtype);
  if (!shape.empty() && isa<ir::StrAttr>(shape.back())) {
    type = shape.back();
    shape.pop_back();
  }
  if (shape.size() == 1 && isa<ir::ArrayAttr>(shape[0])) shape = as<ir::ArrayAttr>(shape[0])->items.vector();
  if (shape.empty()) shape = Array<NodeRef>(buffer->shape).vector();
  decl.values = {ir::arrayAttr(std::move(shape)), type, buffer->data};
  decl.keywords.emplace_back(names_.intern("scope"), ir::strAttr(Str(buffer->scope())));
  if (buffer->elemOffset) decl.keywords.emplace_back(names_.intern("elem_offset"), buffer->elemOffset);
  return tDeclBuffer(decl, 0);
}

namespace {

/// How many elements lie behind the begin of a buffer; null where the numbers have no common type.
PrimExpr elementsOf(const tir::Buffer& buffer) {
  PrimExpr count = tir::intImm(1, DataType::Int(32));
  if (buffer.strides.size() == buffer.shape.size() && !buffer.strides.empty()) {
    PrimExpr stride = buffer.strides[0], rows = buffer.shape[0];
    return arith::matchTypes(stride, rows) ? arith::mul(stride, rows) : count;
  }
  for (const PrimExpr& dim : buffer.shape) {
    PrimExpr factor = dim;
    if (arith::matchTypes(count, factor)) count = arith::mul(count, factor);
  }
  return count;
}

}  // namespace

/// Where a vector lies: its indices, the last one a ramp over the lanes where the text gives its begin alone.
std::vector<NodeRef> Reader::vectorIndices(const NodeRef& begin, int16_t lanes) {
  const auto* list = as<ir::ArrayAttr>(begin);
  std::vector<NodeRef> indices = list ? list->items.vector() : std::vector<NodeRef>{begin};
  const PrimExpr last = indices.empty() ? nullptr : tryPrim(indices.back());
  if (last && last->dtype.isScalar() && lanes > 1) {
    indices.back() = make<tir::Ramp>(last, arith::constantInt(last->dtype, 1), tir::intImm(lanes, DataType::Int(32)),
                                     last->dtype.withLanes(lanes));
  }
  return indices;
}

NodeRef Reader::bufferVectorLoad(const tir::BufferRef& buffer, const Args& args) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"begin", "dtype", "predicate"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  const PrimExpr predicate = isNone(v[2]) ? nullptr : toPrim(v[2], args.call);
  const auto type = isNone(v[1]) ? std::optional<DataType>(buffer->dtype) : toType(v[1], args.call);
  return loadOf(buffer, vectorIndices(v[0], type ? type->lanes : int16_t{1}), args.call, predicate);
}

NodeRef Reader::bufferVectorStore(const tir::BufferRef& buffer, const Args& args) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"begin", "value", "predicate"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  const PrimExpr predicate = isNone(v[2]) ? nullptr : toPrim(v[2], args.call);
  const PrimExpr stored = toPrim(v[1], args.call);
  if (!stored) return nullptr;
  storeTo(buffer, vectorIndices(v[0], stored->dtype.lanes), stored, args.call, predicate);
  return ir::nullAttr();
}

/// "rw" or a number as tvm_access_ptr has it: 1 to read, 2 to write.
std::optional<int64_t> Reader::accessMask(const NodeRef& value, NodeId at) {
  const auto* text = as<ir::StrAttr>(value);
  if (!text) return toInt(value, at);
  int64_t mask = 0;
  for (const char c : text->value.view()) mask |= c == 'r' ? 1 : c == 'w' ? 2 : 0;
  return mask;
}

NodeRef Reader::bufferAccess(const tir::BufferRef& buffer, const Args& args) {
  NodeRef v[5];
  static constexpr std::string_view kNames[] = {"access_mask", "ptr_type", "content_lanes", "offset", "extent"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  const std::optional<int64_t> mask = accessMask(v[0], args.call);
  if (!mask) return nullptr;
  const int64_t lanes = isNone(v[2]) ? 1 : toInt(v[2], args.call).value_or(1);
  const PrimExpr zero = tir::intImm(0, DataType::Int(32));
  const PrimExpr offset = isNone(v[3]) ? zero : toPrim(v[3], args.call);
  PrimExpr extent = isNone(v[4]) ? elementsOf(*buffer) : toPrim(v[4], args.call);
  if (!offset || !extent) return nullptr;
  PrimExpr start = buffer->elemOffset ? buffer->elemOffset : zero;
  const bool moved = tir::asInt(offset) != 0;
  if (PrimExpr by = offset; isNone(v[4]) && moved && arith::matchTypes(extent, by)) extent = arith::sub(extent, by);
  if (PrimExpr by = offset; moved && arith::matchTypes(start, by)) start = arith::add(start, by);
  DataType element = buffer->dtype;
  if (lanes > 1 && lanes <= INT16_MAX) {
    element = element.withLanes(static_cast<int16_t>(lanes));
    extent = arith::div(extent, arith::constantInt(extent->dtype, lanes));
  }
  const PrimExpr kind = make<tir::Call>(element, op::tirOp("type_annotation"), Array<PrimExpr>());
  return make<tir::Call>(DataType::Handle(), op::tirOp("tvm_access_ptr"),
                         Array<PrimExpr>{kind, buffer->data, start, extent, tir::intImm(*mask, DataType::Int(32))});
}

}  // namespace rx::script
