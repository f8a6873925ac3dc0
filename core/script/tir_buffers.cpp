// Buffers: declarations, loads, stores, regions.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/op/op_table.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

namespace {
constexpr std::string_view kBufferParams[] = {"shape",       "dtype",           "data",  "strides",
                                              "elem_offset", "scope",           "align", "offset_factor",
                                              "buffer_type", "axis_separators", "layout"};
constexpr size_t kBufferParamCount = std::size(kBufferParams);
}  // namespace

/// Dimensions that a signature writes as texts (v0.26: parameters that come later), evaluated.
NodeRef Reader::textDims(const NodeRef& shape, NodeId at) {
  const auto* list = as<ir::ArrayAttr>(shape);
  bool any = false;
  for (size_t i = 0; list && i < list->items.size(); ++i) any |= isa<ir::StrAttr>(list->items[i]);
  if (!any) return shape;
  std::vector<NodeRef> dims;
  for (const NodeRef& item : list->items) {
    const auto* text = as<ir::StrAttr>(item);
    size_t inside =
        text && !text->value.empty() ? syntax_->textOf(at).find(text->value.view()) : std::string_view::npos;
    if (!text || inside == std::string_view::npos) {
      dims.push_back(item);
      continue;
    }
    uint32_t begin = this->at(at).begin + static_cast<uint32_t>(inside);
    NodeId expr = syntax_->expressionIn(begin, begin + static_cast<uint32_t>(text->value.view().size()));
    takeSyntaxErrors();
    NodeRef value = expr ? eval(expr) : nullptr;
    if (!value) return nullptr;
    dims.push_back(value);
  }
  return ir::arrayAttr(std::move(dims));
}

/// Strides that are texts are new variables of these names.
static NodeRef namedStrides(const NodeRef& strides, DataType index) {
  const auto* list = as<ir::ArrayAttr>(strides);
  if (!list) return strides;
  std::vector<NodeRef> items;
  for (const NodeRef& item : list->items) {
    const auto* name = as<ir::StrAttr>(item);
    items.push_back(name ? NodeRef(make<tir::Var>(name->value, index)) : item);
  }
  return ir::arrayAttr(std::move(items));
}

/// `values` in the order of kBufferParams; `scope` where the text names none.
tir::BufferRef Reader::makeBuffer(std::span<const NodeRef> v, NodeId at, Str scope) {
  auto buffer = std::make_unique<tir::Buffer>();
  bool ok = true;
  buffer->shape = toPrims(textDims(v[0], at), at, ok);
  auto numbers = [&](const Array<PrimExpr>& values, const char* what) {
    for (const PrimExpr& value : values) {
      if (!value->dtype.isHandle()) continue;
      error(at, "tir.shape",
            std::string(what) + " of a buffer must be a number, not " +
                (isa<tir::StringImm>(value) ? "a text" : value->dtype.str()));
      ok = false;
    }
  };
  if (ok) numbers(buffer->shape, "a dimension");
  auto type = isNone(v[1]) ? std::optional<DataType>(DataType::Float(32)) : toType(v[1], at);
  if (!type || !ok) return nullptr;
  buffer->dtype = *type;
  const DataType index = tir::indexType(buffer->shape);
  if (!isNone(v[3])) buffer->strides = toPrims(namedStrides(v[3], index), at, ok);
  if (ok) numbers(buffer->strides, "a stride");
  if (!isNone(v[4])) {
    buffer->elemOffset = toPrim(v[4], at);
    ok &= buffer->elemOffset != nullptr;
    if (ok) numbers({buffer->elemOffset}, "the offset");
    if (ok && tir::asInt(buffer->elemOffset) == 0 && buffer->elemOffset->dtype == index) buffer->elemOffset = nullptr;
  }
  if (!isNone(v[5])) {
    auto given = toText(v[5], at);
    if (!given) return nullptr;
    scope = *given;
  }
  auto number = [&](const NodeRef& value, int64_t fallback, int64_t& out) {
    if (isNone(value)) return;
    auto n = toInt(value, at);
    ok &= n.has_value();
    if (n) out = *n > 0 ? *n : fallback;
  };
  number(v[6], 64, buffer->dataAlignment);
  number(v[7], 1, buffer->offsetFactor);
  if (!isNone(v[8])) {
    auto kind = toText(v[8], at);
    if (!kind) return nullptr;
    buffer->autoBroadcast = *kind == "auto" || *kind == "auto_broadcast";
  }
  if (!isNone(v[9])) buffer->axisSeparators = toPrims(v[9], at, ok);
  if (!ok) return nullptr;
  if (!isNone(v[7]) && isNone(v[4]) && toInt(v[7], at).value_or(0) != 0) {
    buffer->elemOffset = make<tir::Var>(Str("elem_offset"), index);
  }
  if (isNone(v[2])) {
    buffer->data = tir::bufferPointer(buffer->dtype, Str(), scope.empty() ? Str("global") : scope);
  } else if (const auto* data = as<tir::Var>(v[2])) {
    buffer->data = Ref<tir::Var>(data);
  } else {
    error(at, "tir.buffer", "the data of a buffer must be a pointer variable");
    return nullptr;
  }
  buffer->span = spanOf(at);
  return tir::BufferRef(buffer.release());
}

tir::BufferRef Reader::bufferFromArgs(const Args& args, size_t skip, Str scope) {
  NodeRef values[kBufferParamCount];
  Args rest;
  rest.call = args.call;
  rest.values.assign(args.values.begin() + static_cast<std::ptrdiff_t>(std::min(skip, args.values.size())),
                     args.values.end());
  rest.keywords = args.keywords;
  std::erase_if(rest.keywords, [&](const auto& k) { return names_.text(k.first) == "annotations"; });
  if (!bind(rest, kBufferParams, 1, values)) return nullptr;
  if (isa<ir::DictAttrs>(values[10])) values[10] = nullptr;
  return makeBuffer(values, args.call, scope);
}

NodeRef Reader::tBuffer(const Args& args, uint32_t) { return bufferFromArgs(args, 0, Str("global")); }

NodeRef Reader::tMatchBuffer(const Args& args, uint32_t) {
  if (args.values.empty()) return error(args.call, "script.argument", "T.match_buffer needs what is matched");
  const NodeRef source = args.values[0];
  if (const auto* var = as<tir::Var>(source); var && var->dtype.isHandle()) {
    // The shape is a part of the signature, so it may not speak of what is bound further inside.
    if (frames_.empty() || top().kind != FrameKind::Function)
      return error(args.call, "tir.buffer", "a parameter is matched to a buffer right inside the function");
    tir::BufferRef buffer = bufferFromArgs(args, 1, Str("global"));
    if (!buffer) return nullptr;
    for (size_t i = 0; i < tirParams_.size(); ++i) {
      if (tirParams_[i].get() != var) continue;
      if (tirBuffers_[i]) return error(args.call, "tir.buffer", "this parameter has a buffer already");
      tirBuffers_[i] = buffer;
      return buffer;
    }
    return error(args.call, "tir.buffer", "only a parameter can be matched to a buffer",
                 "write T.decl_buffer(..., data=...)");
  }
  Frame* block = blockFrame();
  Ref<tir::BufferRegion> region = regionOf(source, args.call);
  if (!region) return nullptr;
  if (!block) return error(args.call, "tir.buffer", "a region can only be matched right inside a block");
  // A shape may be left out: that of the region.
  Args full = args;
  bool shapeGiven = args.values.size() > 1;
  for (const auto& [name, value] : args.keywords) shapeGiven |= names_.text(name) == "shape";
  if (!shapeGiven) {
    std::vector<NodeRef> shape;
    for (const auto& range : region->region) shape.push_back(range->extent);
    full.values.push_back(ir::arrayAttr(std::move(shape)));
  }
  bool typeGiven = args.values.size() > 2;
  for (const auto& [name, value] : args.keywords) typeGiven |= names_.text(name) == "dtype";
  if (!typeGiven) full.keywords.emplace_back(names_.intern("dtype"), ir::typeAttr(region->buffer->dtype));
  tir::BufferRef buffer = bufferFromArgs(full, 1, Str(region->buffer->scope()));
  if (!buffer) return nullptr;
  block->matches.push_back(make<tir::MatchBufferRegion>(buffer, region));
  return buffer;
}

NodeRef Reader::tBlockAllocBuffer(const Args& args, uint32_t) {
  tir::BufferRef buffer = bufferFromArgs(args, 0, Str("global"));
  if (!buffer) return nullptr;
  size_t home = frames_.size();
  while (home > 0 && frames_[home - 1].kind != FrameKind::Block && frames_[home - 1].kind != FrameKind::Function)
    --home;
  if (home == 0) return error(args.call, "tir.buffer", "a buffer can only be allocated in a function");
  // The block holds it, so it may not speak of what is bound further inside.
  for (const PrimExpr& dim : buffer->shape) {
    for (const tir::VarRef& var : arith::freeVars(dim)) {
      if (!boundFrom(home, var)) continue;
      return error(
          args.call, "tir.buffer",
          "the shape speaks of '" + var->name.string() + "', which is bound inside of the block of the buffer");
    }
  }
  frames_[home - 1].allocs.push_back(buffer);
  return buffer;
}

bool Reader::boundFrom(size_t frame, const tir::VarRef& var) const {
  for (; frame < frames_.size(); ++frame) {
    for (const Loop& loop : frames_[frame].loops) {
      if (loop.var == var) return true;
    }
    for (const tir::Stmt& stmt : frames_[frame].stmts) {
      const auto* bind = as<tir::Bind>(stmt);
      if (bind && bind->var == var) return true;
    }
  }
  return false;
}

NodeRef Reader::tAllocBuffer(const Args& args, uint32_t row) {
  if (row == 0 && !hints_.statementAllocation) return tBlockAllocBuffer(args, row);
  static constexpr std::string_view kScopes[] = {"global", "local", "shared"};
  tir::BufferRef buffer = bufferFromArgs(args, 0, Str(kScopes[row]));
  if (!buffer) return nullptr;
  ir::Attrs annotations;
  for (const auto& [name, value] : args.keywords) {
    if (names_.text(name) == "annotations") annotations = attrDict(value, args.call);
  }
  emit(withSpan(make<tir::AllocBuffer>(buffer, annotations), spanOf(args.call)));
  return buffer;
}

NodeRef Reader::tDeclBuffer(const Args& args, uint32_t) {
  bool data = args.values.size() > 2 && !isNone(args.values[2]);
  for (const auto& [name, value] : args.keywords) data |= names_.text(name) == "data" && !isNone(value);
  tir::BufferRef buffer = bufferFromArgs(args, 0, Str("global"));
  if (!buffer) return nullptr;
  if (!data && !hints_.statementAllocation) {  // before v0.24 it allocates as T.allocate does
    emit(withSpan(make<tir::Allocate>(buffer->data, buffer->dtype, buffer->shape, tir::boolImm(true), ir::Attrs()),
                  spanOf(args.call)));
    data = true;
  }
  if (data) {
    emit(withSpan(make<tir::DeclBuffer>(buffer), spanOf(args.call)));
  } else {
    emit(withSpan(make<tir::AllocBuffer>(buffer), spanOf(args.call)));
  }
  return buffer;
}

// Elements and regions ------------------------------------------------------------------------------------------------

std::vector<NodeRef> Reader::evalIndices(const SynNode& index, bool& ok) {
  std::vector<NodeId> kids(syntax_->kids(index).begin(), syntax_->kids(index).end());
  // A[()] of a buffer without dimensions.
  if (kids.size() == 1 && at(kids[0]).kind == Syn::Tuple) {
    SynNode tuple = at(kids[0]);
    return evalIndices(tuple, ok);
  }
  std::vector<NodeRef> values;
  for (NodeId kid : kids) {
    const SynNode item = at(kid);
    if (item.kind == Syn::Slice) {
      NodeRef parts[3];
      const NodeId ids[3] = {item.a, item.b, item.c};
      for (int i = 0; i < 3; ++i) {
        parts[i] = ids[i] ? eval(ids[i]) : ir::nullAttr();
        ok &= parts[i] != nullptr;
      }
      if (ok)
        values.push_back(make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{
            {Str("begin"), parts[0]}, {Str("end"), parts[1]}, {Str("step"), parts[2]}}));
      continue;
    }
    if (item.kind == Syn::Star) {
      NodeRef list = eval(item.a);
      const auto* array = as<ir::ArrayAttr>(list);
      ok &= array != nullptr;
      if (array) values.insert(values.end(), array->items.begin(), array->items.end());
      continue;
    }
    NodeRef value = eval(kid);
    ok &= value != nullptr;
    values.push_back(std::move(value));
  }
  return values;
}

namespace {
struct Slice {
  NodeRef begin, end, step;
};
bool asSlice(const NodeRef& value, Slice& out) {
  const auto* dict = as<ir::DictAttrs>(value);
  if (!dict) return false;
  out = {dict->get("begin"), dict->get("end"), dict->get("step")};
  return true;
}
}  // namespace

PrimExpr Reader::toIndex(const NodeRef& value, NodeId at) {
  PrimExpr index = toPrim(value, at);
  if (!index || !index->dtype.isHandle()) return index;
  error(at, "tir.type",
        std::string("an index is a number, not ") + (isa<tir::StringImm>(index) ? "a text" : "a pointer"));
  return nullptr;
}

bool Reader::fitsRank(const tir::Buffer& buffer, size_t count, NodeId at) {
  if (count == buffer.shape.size() || (buffer.shape.empty() && count == 1)) return true;
  error(at, "tir.index-count",
        "the buffer has " + std::to_string(buffer.shape.size()) + " dimensions, but " + std::to_string(count) +
            " indices are given");
  return false;
}

bool Reader::toIndices(const tir::BufferRef& buffer, std::span<const NodeRef> values, NodeId at,
                       std::vector<PrimExpr>& out) {
  if (!fitsRank(*buffer, values.size(), at)) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    Slice slice;
    if (!asSlice(values[i], slice)) {
      out.push_back(toIndex(values[i], at));
      if (!out.back()) return false;
      continue;
    }
    PrimExpr begin = isNone(slice.begin) ? PrimExpr(tir::intImm(0, DataType::Int(32))) : toIndex(slice.begin, at);
    PrimExpr end = isNone(slice.end) ? (i < buffer->shape.size() ? buffer->shape[i] : nullptr) : toIndex(slice.end, at);
    PrimExpr step = isNone(slice.step) ? nullptr : toIndex(slice.step, at);
    if (!begin || !end || !arith::matchTypes(begin, end)) return false;
    PrimExpr one = arith::constantInt(begin->dtype, 1);
    if (!step) step = one;
    if (step->dtype != begin->dtype) step = arith::cast(begin->dtype, step);
    arith::Analyzer analyzer;
    PrimExpr lanes = arith::sub(end, begin);
    if (tir::asInt(step) != 1) lanes = arith::floorDiv(arith::sub(arith::add(lanes, step), one), step);
    lanes = analyzer.simplify(lanes);
    if (tir::asInt(lanes) == 1) {
      out.push_back(begin);
      continue;
    }
    Args ramp;
    ramp.call = at;
    if (tir::asInt(lanes)) lanes = tir::intImm(*tir::asInt(lanes), DataType::Int(32));
    ramp.values = {begin, step, lanes};
    NodeRef made = tRamp(ramp, 0);
    if (!made) return false;
    out.push_back(refAs<tir::ExprNode>(made));
  }
  return true;
}

namespace {
DataType loadedType(const tir::Buffer& buffer, std::span<const PrimExpr> indices) {
  if (indices.empty()) return buffer.dtype;
  int lanes = indices.back()->dtype.lanes * buffer.dtype.lanes;
  return buffer.dtype.withLanes(static_cast<int16_t>(lanes));
}
}  // namespace

NodeRef Reader::loadOf(const tir::BufferRef& buffer, std::vector<NodeRef> indices, NodeId at, PrimExpr predicate) {
  std::vector<PrimExpr> out;
  if (!toIndices(buffer, indices, at, out)) return nullptr;
  DataType type = loadedType(*buffer, out);
  return withSpan(make<tir::BufferLoad>(buffer, Array<PrimExpr>(std::move(out)), type, std::move(predicate)),
                  spanOf(at));
}

NodeRef Reader::slicedRegion(const tir::BufferRef& buffer, std::span<const NodeRef> indices, NodeId id) {
  if (!fitsRank(*buffer, indices.size(), id)) return nullptr;
  std::vector<Ref<tir::Range>> region;
  for (size_t i = 0; i < indices.size(); ++i) {
    Slice slice;
    if (!asSlice(indices[i], slice)) {
      PrimExpr p = toIndex(indices[i], id);
      if (!p) return nullptr;
      region.push_back(make<tir::Range>(p, arith::constantInt(p->dtype.element(), 1)));
      continue;
    }
    PrimExpr end = isNone(slice.end) ? (i < buffer->shape.size() ? buffer->shape[i] : nullptr) : toIndex(slice.end, id);
    PrimExpr begin =
        isNone(slice.begin) ? (end ? arith::constantInt(end->dtype, 0) : nullptr) : toIndex(slice.begin, id);
    if (!begin || !end) return nullptr;
    if (!arith::matchTypes(begin, end)) return error(id, "tir.type", "these bounds have no common type");
    arith::Analyzer analyzer;
    region.push_back(make<tir::Range>(begin, analyzer.simplify(arith::sub(end, begin))));
  }
  return make<tir::BufferRegion>(buffer, Array<Ref<tir::Range>>(std::move(region)));
}

NodeRef Reader::indexBuffer(const tir::BufferRef& buffer, std::vector<NodeRef> indices, NodeId id) {
  bool sliced = false, stepped = false;
  for (const NodeRef& index : indices) {
    Slice slice;
    bool is = asSlice(index, slice);
    sliced |= is;
    stepped |= is && !isNone(slice.step);
  }
  if (!sliced || stepped) return loadOf(buffer, std::move(indices), id, nullptr);
  return slicedRegion(buffer, indices, id);
}

NodeRef Reader::evalIndex(NodeId id) {
  const SynNode node = at(id);
  const SynNode base = at(node.a);
  if (base.kind == Syn::Name && names_.text(base.a) == "metadata") return callR(id, "metadata", node.a);
  if (base.kind == Syn::Index && at(base.a).kind == Syn::Name && names_.text(at(base.a).a) == "metadata") {
    return callR(id, "metadata", node.a);
  }
  NameId root;
  std::string path;
  if (dottedPath(node.a, root, path) && !scope_.lookup(root) && isDialect(root) != path.empty()) {
    // Types with square brackets: T.Buffer[(n,), "float32"], Tensor[(n, m), "float32"], T.let[T.float32].
    if (root == kT_ && path == "let") return eval(syntax_->kids(node)[0]);
    if (root == kT_) return callT(id, path, node.a);
    if (root == kI_) return callI(id, path, node.a);
    return callR(id, path.empty() ? nameText(root) : path, node.a);
  }
  NodeRef value = eval(node.a);
  if (!value) return nullptr;
  if (isa<relax::ExprNode>(value)) return relaxIndex(value, node, id);
  bool ok = true;
  std::vector<NodeRef> indices = evalIndices(node, ok);
  if (!ok) return nullptr;
  if (isa<tir::Buffer>(value)) return indexBuffer(refAs<tir::Buffer>(value), std::move(indices), id);
  if (const auto* part = as<tir::BufferRegion>(value)) return indexPart(*part, indices, id);
  if (const auto* part = as<ir::DictAttrs>(value); part && part->get("relax.strides") && indices.size() == 1) {
    Args args;
    args.call = id;
    args.values = {part->get("relax.strides"), indices[0]};
    args.nodes = {kNoNode, kNoNode};
    if (const op::OpRow* row = op::findOp("relax.inspect.tensor_stride_i")) return callOp(*row, args);
  }
  if (const auto* array = as<ir::ArrayAttr>(value)) {
    auto size = static_cast<int64_t>(array->items.size());
    if (indices.size() == 1) {
      Slice slice;
      if (asSlice(indices[0], slice)) {
        auto clampIndex = [&](const NodeRef& v, int64_t fallback) {
          if (isNone(v)) return fallback;
          int64_t i = toInt(v, id).value_or(0);
          return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size);
        };
        int64_t begin = clampIndex(slice.begin, 0), end = clampIndex(slice.end, size);
        std::vector<NodeRef> part;
        for (int64_t i = begin; i < end; ++i) part.push_back(array->items[static_cast<size_t>(i)]);
        return ir::arrayAttr(std::move(part));
      }
      auto index = toInt(indices[0], id);
      if (!index) return nullptr;
      int64_t i = *index < 0 ? *index + size : *index;
      if (i < 0 || i >= size)
        return error(id, "script.index", "the index is out of range, the length is " + std::to_string(size));
      return array->items[static_cast<size_t>(i)];
    }
  }
  return error(id, "script.index", "this value can not be indexed");
}

Ref<tir::BufferRegion> Reader::regionOf(const NodeRef& value, NodeId at) {
  if (isa<tir::BufferRegion>(value)) return refAs<tir::BufferRegion>(value);
  if (isa<tir::Buffer>(value)) {
    auto buffer = refAs<tir::Buffer>(value);
    std::vector<Ref<tir::Range>> region;
    for (const PrimExpr& dim : buffer->shape)
      region.push_back(make<tir::Range>(arith::constantInt(dim->dtype, 0), dim));
    return make<tir::BufferRegion>(buffer, Array<Ref<tir::Range>>(std::move(region)));
  }
  if (const auto* load = as<tir::BufferLoad>(value)) {
    std::vector<Ref<tir::Range>> region;
    for (const PrimExpr& index : load->indices) {
      if (const auto* ramp = as<tir::Ramp>(index)) {
        PrimExpr lanes = arith::cast(ramp->base->dtype, ramp->lanes);
        region.push_back(make<tir::Range>(ramp->base, arith::mul(ramp->stride, lanes)));
      } else {
        region.push_back(make<tir::Range>(index, arith::constantInt(index->dtype, 1)));
      }
    }
    return make<tir::BufferRegion>(load->buffer, Array<Ref<tir::Range>>(std::move(region)));
  }
  if (value) error(at, "tir.region", "a part of a buffer is needed here");
  return nullptr;
}

void Reader::storeTo(const tir::BufferRef& buffer, std::vector<NodeRef> indices, NodeRef value, NodeId at,
                     PrimExpr predicate) {
  std::vector<PrimExpr> out;
  if (!toIndices(buffer, indices, at, out)) return;
  PrimExpr v = toPrim(value, at);
  if (!v) return;
  DataType type = loadedType(*buffer, out);
  if (v->dtype.lanes != type.lanes) {
    if (v->dtype.lanes != 1) {
      error(at, "tir.type", "a value of " + v->dtype.str() + " can not be stored to " + type.str());
      return;
    }
    v = castTo(type.element(), v, at);
    if (!v) return;
    PrimExpr lanes = tir::intImm(type.lanes, DataType::Int(32));
    if (const auto* ramp = out.empty() ? nullptr : as<tir::Ramp>(out.back())) lanes = ramp->lanes;
    v = make<tir::Broadcast>(v, lanes, type);
  } else if (const auto* broadcast = v->dtype != type ? as<tir::Broadcast>(v) : nullptr) {
    PrimExpr element = castTo(type.element(), broadcast->value, at);
    if (!element) return;
    v = make<tir::Broadcast>(element, broadcast->lanes, type);
  } else {
    v = castTo(type, v, at);
    if (!v) return;
  }
  emit(withSpan(make<tir::BufferStore>(buffer, v, Array<PrimExpr>(std::move(out)), std::move(predicate)),
                statementSpan_));
}

NodeRef Reader::tBufferStore(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"buffer", "value", "indices", "predicate"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  const auto* list = as<ir::ArrayAttr>(v[2]);
  if (!isa<tir::Buffer>(v[0]) || !list)
    return error(args.call, "script.argument", "a buffer and a list of indices are needed here");
  PrimExpr predicate = isNone(v[3]) ? nullptr : toPrim(v[3], args.call);
  storeTo(refAs<tir::Buffer>(v[0]), list->items.vector(), v[1], args.call, predicate);
  return ir::nullAttr();
}

}  // namespace rx::script
