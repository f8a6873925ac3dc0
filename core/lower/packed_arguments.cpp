#include "core/lower/packed_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/script/print.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Type indices of arguments, with the numbers of TVM's calling convention.
enum TypeIndex : int64_t {
  kNoneIndex = 0,
  kIntIndex = 1,
  kBoolIndex = 2,
  kFloatIndex = 3,
  kPointerIndex = 4,
  kTensorPointerIndex = 7,
  kFirstObjectIndex = 64,
  kTensorIndex = 70,
};
/// Bytes of an object before the DLTensor that it holds.
constexpr int64_t kObjectHeader = 24;
constexpr std::string_view kWhenCalling = " when calling:\n  `";

constexpr DataType kInt32 = DataType::Int(32);
constexpr DataType kInt64 = DataType::Int(64);

PrimExpr isIndex(const PrimExpr& typeIndex, int64_t index) { return arith::eq(typeIndex, int32(index)); }
PrimExpr isNull(const PrimExpr& pointer) { return intrinsic(DataType::Bool(), "isnullptr", {pointer}); }
PrimExpr field(const VarRef& handle, StructField what, DataType type, int64_t index = 0) {
  return structGet(type, handle, index, what);
}
/// The type in which an argument of this type travels.
DataType carrierOf(DataType type) {
  if (type.isHandle()) return type;
  return type.isFloat() ? DataType::Float(64) : kInt64;
}
/// Elements of these types are packed, so their shape does not count them.
bool isPacked(DataType type) { return type.lanes == 1 && (type.bits == 1 || type.bits == 4) && type.isIntegral(); }

/// `param == value`, constants to the right as TVM's simplifier has them.
PrimExpr equality(const PrimExpr& param, const PrimExpr& value) {
  if (asInt(param) && param->dtype.isInt()) return arith::eq(value, param);
  arith::Analyzer analyzer;
  return arith::eq(analyzer.simplify(param), value);
}
bool holds(const PrimExpr& condition) { return asInt(condition) == 1; }

/// TVMScript of an expression on one line, with the types of its constants: messages leave them out, so they stand in
/// as names.
std::string valueText(const PrimExpr& expr) {
  NodeRef typed = rewriteNodes(expr, Into::Parts, nullptr, [](const NodeRef& node) -> NodeRef {
    const auto* number = as<IntImm>(node);
    if (!number || number->dtype == kInt32) return node;
    return make<Var>(Str(fmt::format("T.{}({})", number->dtype.str(), number->value)), number->dtype);
  });
  return script::printPrimExpr(cast<tir::ExprNode>(typed));
}

struct OperatorText {
  Kind kind;
  std::string_view before, between, after;
};
constexpr OperatorText kOperators[] = {
    {Kind::tir_Add, "", " + ", ""},
    {Kind::tir_Sub, "", " - ", ""},
    {Kind::tir_Mul, "", " * ", ""},
    {Kind::tir_Div, "", " / ", ""},
    {Kind::tir_Mod, "", " % ", ""},
    {Kind::tir_FloorDiv, "floordiv(", ", ", ")"},
    {Kind::tir_FloorMod, "floormod(", ", ", ")"},
    {Kind::tir_Min, "min(", ", ", ")"},
    {Kind::tir_Max, "max(", ", ", ")"},
};

std::string deviceName(int64_t type) {
  const std::string_view name = target::deviceTypeName(type);
  return name.empty() ? fmt::format("unknown type = {}", type) : std::string(name);
}

PrimExpr elementsOf(const Buffer& buffer) {
  PrimExpr product = intImm(1, buffer.shape.empty() ? kInt32 : buffer.shape[0]->dtype);
  for (const PrimExpr& extent : buffer.shape) product = arith::mul(product, extent);
  return product;
}

}  // namespace

PackedArguments::PackedArguments(const PrimFunc& function, std::string name, VarRef args, VarRef count,
                                 int64_t deviceType, VarRef deviceId)
    : function_(function),
      name_(std::move(name)),
      args_(std::move(args)),
      count_(std::move(count)),
      deviceType_(deviceType),
      deviceId_(std::move(deviceId)) {
  signature_ = signature();
}

std::string PackedArguments::signature() const {
  std::string text = name_ + "(";
  for (size_t i = 0; i < function_.params.size(); ++i) {
    if (i) text += ", ";
    const BufferRef& buffer = function_.buffers[i];
    if (!buffer) {
      text += function_.params[i]->name.string() + ": " + function_.params[i]->dtype.str();
      continue;
    }
    text += buffer->name.string() + ": Tensor([";
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      if (d) text += ", ";
      const auto* var = as<Var>(buffer->shape[d]);
      text += !var ? valueText(buffer->shape[d]) : var->name.empty() ? "v" : var->name.string();
    }
    text += "], " + buffer->dtype.str() + ")";
  }
  return text + ")";
}

PackedReads PackedArguments::run() {
  const size_t count = function_.params.size();
  require(arith::eq(count_, int32(static_cast<int64_t>(count))), "TypeError",
          {"Expected ", std::to_string(count), " arguments", std::string(kWhenCalling), signature_, "`"});
  if (count) {
    require(arith::logicalNot(isNull(args_)), "TypeError",
            {"args pointer is NULL", std::string(kWhenCalling), signature_, "`"});
  }
  for (size_t i = 0; i < count; ++i) readParam(i);
  for (size_t i = 0; i < count; ++i) {
    if (!function_.buffers[i]) continue;
    readTensor(i);
    out_.declarations.push_back(make<DeclBuffer>(function_.buffers[i]));
  }
  flushPending();
  return std::move(out_);
}

void PackedArguments::require(PrimExpr condition, const char* kind, Parts parts) {
  std::vector<PrimExpr> message;
  for (std::string& part : parts) message.push_back(make<StringImm>(Str(part)));
  out_.reads.push_back(make<AssertStmt>(std::move(condition), make<StringImm>(kind), std::move(message)));
}

PackedArguments::Parts PackedArguments::of(Parts parts, size_t index, std::string_view words) const {
  parts.insert(parts.end(),
               {std::to_string(index), std::string(kWhenCalling), signature_, "`,\n  expected " + std::string(words)});
  return parts;
}

PackedArguments::Parts PackedArguments::expecting(Parts parts, size_t index, std::string value) const {
  parts = of(std::move(parts), index, "");
  parts.push_back(std::move(value));
  return parts;
}

void PackedArguments::checkType(size_t index, PrimExpr condition, std::string expected) {
  require(std::move(condition), "TypeError", expecting({"Mismatched type on argument #"}, index, std::move(expected)));
}

PrimExpr PackedArguments::loaded(size_t index, DataType type) const {
  PrimExpr value = field(args_, StructField::AnyValue, carrierOf(type), static_cast<int64_t>(index));
  return value->dtype == type ? value : make<Cast>(type, value);
}

PrimExpr PackedArguments::handleOf(size_t index, const PrimExpr& typeIndex) {
  checkType(index,
            arith::logicalOr(
                arith::logicalOr(arith::logicalOr(isIndex(typeIndex, kNoneIndex), isIndex(typeIndex, kPointerIndex)),
                                 isIndex(typeIndex, kTensorPointerIndex)),
                arith::ge(typeIndex, int32(kFirstObjectIndex))),
            function_.buffers[index] ? "Tensor" : "pointer");
  const PrimExpr value = loaded(index, DataType::Handle());
  const PrimExpr inside = intrinsic(DataType::Handle(), "handle_add_byte_offset", {value, int32(kObjectHeader)});
  return make<Select>(isIndex(typeIndex, kTensorIndex), inside, value);
}

void PackedArguments::readParam(size_t index) {
  const VarRef& param = function_.params[index];
  auto typeIndex = make<Var>(Str(param->name.string() + ".type_index"), kInt32);
  out_.reads.push_back(
      make<Bind>(typeIndex, field(args_, StructField::AnyTypeIndex, kInt32, static_cast<int64_t>(index))));
  const DataType type = param->dtype;
  PrimExpr value;
  if (type.isHandle()) {
    value = handleOf(index, typeIndex);
  } else if (type.isBool()) {
    checkType(index, arith::logicalOr(isIndex(typeIndex, kBoolIndex), isIndex(typeIndex, kIntIndex)), "boolean");
    value = make<Cast>(DataType::Bool(), loaded(index, kInt64));
  } else if (type.isFloat()) {
    checkType(index,
              arith::logicalOr(arith::logicalOr(isIndex(typeIndex, kFloatIndex), isIndex(typeIndex, kIntIndex)),
                               isIndex(typeIndex, kBoolIndex)),
              "float");
    value = make<Select>(isIndex(typeIndex, kFloatIndex), loaded(index, type), make<Cast>(type, loaded(index, kInt64)));
  } else {
    checkType(index, arith::logicalOr(isIndex(typeIndex, kIntIndex), isIndex(typeIndex, kBoolIndex)), "int");
    value = loaded(index, type);
  }
  const BufferRef& buffer = function_.buffers[index];
  bind(param, value, {(buffer ? buffer->name : param->name).string(), index});
}

bool PackedArguments::bind(const PrimExpr& param, const PrimExpr& value, const Place& place) {
  auto var = refAs<Var>(param);
  if (!var) {
    PrimExpr condition = equality(param, value);
    if (!holds(condition)) pending_.push_back({condition, param, place});
    return false;
  }
  const auto [at, isNew] = known_.emplace(var.get(), Known{var, place.path});
  if (isNew) {
    out_.reads.push_back(make<Bind>(var, value));
    return true;
  }
  const PrimExpr condition = arith::eq(at->second.value, value);
  if (holds(condition)) return false;
  std::vector<std::string> parts{
      "Mismatched ", place.path, " on argument #", std::to_string(place.param), std::string(kWhenCalling), signature_};
  const std::string& first = at->second.path;
  if (!first.empty() && first != place.path) {
    parts.insert(parts.end(), {"`,\n  expected to match ", first});
  } else {
    parts.emplace_back("`,\n  expected matching value");
  }
  require(condition, "ValueError", std::move(parts));
  out_.checks.push_back(out_.reads.back());
  out_.reads.pop_back();
  return false;
}

void PackedArguments::flushPending() {
  std::vector<Pending> pending = std::move(pending_);
  for (Pending& check : pending) {
    require(check.condition, "ValueError",
            expecting({"Invalid ", check.place.path, " on argument #"}, check.place.param, rendered(check.expected)));
    out_.checks.push_back(out_.reads.back());
    out_.reads.pop_back();
  }
}

std::string PackedArguments::rendered(const PrimExpr& expr) const {
  std::unordered_map<const Node*, std::string> texts;
  walkPostOrder(*expr, Into::Parts, [&](const Node& node) {
    const auto* part = as<tir::ExprNode>(&node);
    if (!part || texts.contains(part)) return;
    std::string& text = texts[part];
    if (const auto* var = as<Var>(part)) {
      const auto found = known_.find(var);
      text = found == known_.end() || found->second.path.empty() ? var->name.string() : found->second.path;
    } else if (const auto* number = as<IntImm>(part)) {
      text = std::to_string(number->value);
    } else if (const auto* cast = as<Cast>(part)) {
      text = texts[cast->value.get()];
    } else if (const auto* binary = as<BinaryNode>(part)) {
      const auto* row = std::find_if(std::begin(kOperators), std::end(kOperators),
                                     [&](const OperatorText& r) { return r.kind == binary->kind(); });
      if (row != std::end(kOperators)) {
        text = fmt::format("{}{}{}{}{}", row->before, texts[binary->a.get()], row->between, texts[binary->b.get()],
                           row->after);
      }
    }
    if (text.empty()) text = script::printPrimExpr(PrimExpr(part));
  });
  return texts[expr.get()];
}

VarRef PackedArguments::pointerTo(size_t index, int64_t what, std::string_view suffix) {
  const VarRef& handle = function_.params[index];
  auto pointer = make<Var>(Str(fmt::format("{}.{}_{}", name_, handle->name.view(), suffix)), DataType::Handle());
  out_.reads.push_back(make<Bind>(pointer, field(handle, static_cast<StructField>(what), DataType::Handle())));
  return pointer;
}

void PackedArguments::readTensor(size_t index) {
  const VarRef& handle = function_.params[index];
  const Buffer& buffer = *function_.buffers[index];
  const std::string name = buffer.name.string();
  checkType(index, arith::logicalNot(isNull(handle)), "Tensor");
  const auto rank = static_cast<int64_t>(buffer.shape.size());
  require(arith::eq(int32(rank), field(handle, StructField::TensorRank, kInt32)), "ValueError",
          expecting({"Mismatched ", name, ".ndim on argument #"}, index, std::to_string(rank)));
  checkElementType(index);
  readShape(index);
  readOffset(index);
  readDevice(index);
  readData(index);
}

void PackedArguments::checkElementType(size_t index) {
  const VarRef& handle = function_.params[index];
  const Buffer& buffer = *function_.buffers[index];
  if (isPacked(buffer.dtype)) return;
  auto matches = [&](StructField what, uint8_t bits, int64_t value) {
    const DataType type = DataType::UInt(bits);
    return arith::eq(field(handle, what, type), intImm(value, type));
  };
  const PrimExpr condition =
      arith::logicalAnd(arith::logicalAnd(matches(StructField::TensorTypeCode, 8, buffer.dtype.dlpackCode()),
                                          matches(StructField::TensorTypeBits, 8, buffer.dtype.bits)),
                        matches(StructField::TensorTypeLanes, 16, buffer.dtype.lanes));
  require(condition, "TypeError",
          expecting({"Mismatched ", buffer.name.string(), ".dtype on argument #"}, index, buffer.dtype.str()));
}

void PackedArguments::readShape(size_t index) {
  const Buffer& buffer = *function_.buffers[index];
  const VarRef shape = pointerTo(index, static_cast<int64_t>(StructField::TensorShape), "shape");
  for (size_t d = 0; d < buffer.shape.size() && !isPacked(buffer.dtype); ++d) {
    const PrimExpr extent = field(shape, StructField::Int64Element, kInt64, static_cast<int64_t>(d));
    bind(buffer.shape[d], arith::cast(buffer.shape[d]->dtype, extent),
         {fmt::format("{}.shape[{}]", buffer.name.view(), d), index});
  }
  const VarRef strides = pointerTo(index, static_cast<int64_t>(StructField::TensorStrides), "strides");
  buffer.strides.empty() ? checkCompact(index, strides) : readStrides(index, strides, shape);
}

void PackedArguments::checkCompact(size_t index, const VarRef& strides) {
  const Buffer& buffer = *function_.buffers[index];
  if (buffer.shape.empty()) return;
  const DataType type = buffer.shape[0]->dtype;
  PrimExpr expected = intImm(1, type), condition = boolImm(true);
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    const PrimExpr stride =
        arith::cast(type, field(strides, StructField::Int64Element, kInt64, static_cast<int64_t>(d)));
    const PrimExpr one = intImm(1, buffer.shape[d]->dtype);
    condition =
        arith::logicalAnd(condition, arith::logicalOr(arith::eq(buffer.shape[d], one), arith::eq(expected, stride)));
    expected = arith::mul(expected, buffer.shape[d]);
  }
  require(condition, "ValueError",
          of({"Mismatched ", buffer.name.string(), ".strides on argument #"}, index, "to be compact array"));
  out_.checks.push_back(make<IfThenElse>(arith::logicalNot(isNull(strides)), out_.reads.back()));
  out_.reads.pop_back();
}

void PackedArguments::readStrides(size_t index, const VarRef& strides, const VarRef& shape) {
  const Buffer& buffer = *function_.buffers[index];
  const PrimExpr none = isNull(strides);
  PrimExpr compact = int32(1);
  for (size_t d = buffer.strides.size(); d-- > 0;) {
    const DataType type = buffer.shape[d]->dtype;
    auto element = [&](const VarRef& list) {
      return arith::cast(type, field(list, StructField::Int64Element, kInt64, static_cast<int64_t>(d)));
    };
    PrimExpr stride = element(strides), dense = compact;
    arith::matchTypes(dense, stride);
    bind(buffer.strides[d], intrinsic(stride->dtype, "if_then_else", {none, dense, stride}),
         {fmt::format("{}.strides[{}]", buffer.name.view(), d), index});
    compact = arith::mul(compact, element(shape));
  }
}

void PackedArguments::readOffset(size_t index) {
  const Buffer& buffer = *function_.buffers[index];
  const DataType type = DataType::UInt(64);
  const PrimExpr bytes = field(function_.params[index], StructField::TensorByteOffset, type);
  const int64_t elementBytes = buffer.dtype.bytes();
  const Place place{buffer.name.string() + ".byte_offset", index};
  const std::optional<int64_t> fixed = buffer.elemOffset ? asInt(buffer.elemOffset) : std::optional<int64_t>(0);
  if (fixed) {
    bind(intImm(*fixed * elementBytes, type), bytes, place);
    return;
  }
  const DataType offsetType = buffer.elemOffset->dtype;
  const PrimExpr offset = arith::cast(offsetType, arith::truncDiv(bytes, intImm(elementBytes, type)));
  if (!bind(buffer.elemOffset, offset, place) || buffer.offsetFactor <= 1) return;
  const PrimExpr aligned =
      arith::eq(arith::truncMod(buffer.elemOffset, intImm(buffer.offsetFactor, offsetType)), intImm(0, offsetType));
  if (holds(aligned)) return;
  Parts parts = of({"Misaligned Tensor data on argument #"}, index, "data alignment=");
  parts.insert(parts.end(), {std::to_string(buffer.offsetFactor * elementBytes), " bytes"});
  require(aligned, "ValueError", std::move(parts));
}

void PackedArguments::readDevice(size_t index) {
  const VarRef& handle = function_.params[index];
  const std::string name = function_.buffers[index]->name.string();
  require(arith::eq(field(handle, StructField::TensorDeviceType, kInt32), int32(deviceType_)), "ValueError",
          expecting({"Mismatched ", name, ".device_type on argument #"}, index, deviceName(deviceType_)));
  bind(deviceId_, field(handle, StructField::TensorDeviceId, kInt32), {name + ".device_id", index});
  out_.usesDevice = true;
}

void PackedArguments::readData(size_t index) {
  const Buffer& buffer = *function_.buffers[index];
  const std::string name = buffer.name.string();
  const PrimExpr data = field(function_.params[index], StructField::TensorData, DataType::Handle());
  if (!bind(buffer.data, data, {name + ".data", index})) return;
  const PrimExpr elements = elementsOf(buffer);
  const PrimExpr empty = arith::eq(elements, intImm(0, elements->dtype));
  require(arith::logicalOr(empty, arith::logicalNot(isNull(buffer.data))), "ValueError",
          of({name, " data pointer is NULL on argument #"}, index, "non-NULL data pointer"));
  out_.checks.push_back(out_.reads.back());
  out_.reads.pop_back();
  out_.reads.push_back(make<AttrStmt>(buffer.data, "storage_alignment", int32(buffer.dataAlignment), seq({})));
}

}  // namespace rx::lower
