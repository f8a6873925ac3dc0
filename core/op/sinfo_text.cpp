#include "core/op/sinfo_text.h"

#include <fmt/format.h>

#include "core/support/stack.h"

namespace rx::op {

using namespace relax;

namespace {

/// How an arithmetic node is written: between its operands or as a call.
struct OperatorText {
  Kind kind;
  std::string_view infix;
  std::string_view call;
};
constexpr OperatorText kOperators[] = {
    {Kind::tir_Add, " + ", ""},   {Kind::tir_Sub, " - ", ""},        {Kind::tir_Mul, " * ", ""},
    {Kind::tir_Div, " / ", ""},   {Kind::tir_FloorDiv, " // ", ""},  {Kind::tir_FloorMod, " % ", ""},
    {Kind::tir_EQ, " == ", ""},   {Kind::tir_NE, " != ", ""},        {Kind::tir_LT, " < ", ""},
    {Kind::tir_LE, " <= ", ""},   {Kind::tir_GT, " > ", ""},         {Kind::tir_GE, " >= ", ""},
    {Kind::tir_And, " and ", ""}, {Kind::tir_Or, " or ", ""},        {Kind::tir_Min, "", "T.min"},
    {Kind::tir_Max, "", "T.max"}, {Kind::tir_Mod, "", "T.truncmod"},
};

/// Text of an expression; below `depth` levels an ellipsis stands.
std::string primTextTo(const tir::PrimExpr& expr, int depth) {
  if (!expr) return "?";
  if (const auto* imm = as<tir::IntImm>(expr)) return std::to_string(imm->value);
  if (const auto* imm = as<tir::FloatImm>(expr)) return fmt::format("{}", imm->value);
  if (const auto* var = as<tir::Var>(expr)) return var->name.string();
  if (depth == 0) return "...";
  if (const auto* cast = as<tir::Cast>(expr)) {
    return fmt::format("T.Cast(\"{}\", {})", cast->dtype.str(), primTextTo(cast->value, depth - 1));
  }
  if (const auto* binary = as<tir::BinaryNode>(expr)) {
    for (const OperatorText& row : kOperators) {
      if (row.kind != expr->kind()) continue;
      const std::string a = primTextTo(binary->a, depth - 1), b = primTextTo(binary->b, depth - 1);
      if (!row.call.empty()) return fmt::format("{}({}, {})", row.call, a, b);
      auto wrap = [](const tir::PrimExpr& e, const std::string& text) {
        return isa<tir::BinaryNode>(e) && e->kind() != Kind::tir_Min && e->kind() != Kind::tir_Max ? "(" + text + ")"
                                                                                                   : text;
      };
      return wrap(binary->a, a) + std::string(row.infix) + wrap(binary->b, b);
    }
  }
  return fmt::format("<{}>", kindName(expr->kind()));
}

std::string listText(std::span<const StructInfo> infos) {
  std::string text;
  for (size_t i = 0; i < infos.size(); ++i) text += (i ? ", " : "") + sinfoText(infos[i]);
  return text;
}

std::string tensorText(const TensorStructInfo& info) {
  std::vector<std::string> parts;
  if (const auto* shape = as<ShapeExpr>(info.shape)) {
    parts.push_back(shapeText(shape->values));
  } else if (const auto* var = as<Var>(info.shape)) {
    parts.push_back(var->name.string());
  }
  if (!info.dtype.isVoid()) parts.push_back(fmt::format("\"{}\"", info.dtype.str()));
  if (!info.shape && info.ndim != kUnknownDim) parts.push_back(fmt::format("ndim={}", info.ndim));
  if (info.vdevice) {
    parts.push_back(fmt::format("vdevice=\"{}:{}:{}\"", ir::targetKind(info.vdevice->target), info.vdevice->vdeviceId,
                                info.vdevice->memoryScope.view()));
  }
  if (parts.empty()) return "R.Tensor";
  return fmt::format("R.Tensor({})", fmt::join(parts, ", "));
}

}  // namespace

std::string primText(const tir::PrimExpr& expr) { return primTextTo(expr, 12); }

std::string shapeText(std::span<const tir::PrimExpr> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + primText(dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

std::string placementText(const ir::Placement& placement) {
  std::string text;
  for (const auto& spec : placement.dimSpecs) {
    text += (text.empty() ? "" : ", ") + (spec->axis < 0 ? "R" : fmt::format("S[{}]", spec->axis));
  }
  return text;
}

std::string sinfoText(const StructInfo& info) {
  if (!info) return "unknown";
  if (const auto* tensor = as<TensorStructInfo>(info)) return tensorText(*tensor);
  if (const auto* prim = as<PrimStructInfo>(info)) {
    return prim->value ? fmt::format("R.Prim(value={})", primText(prim->value))
                       : fmt::format("R.Prim(\"{}\")", prim->dtype.str());
  }
  if (const auto* shape = as<ShapeStructInfo>(info)) {
    if (shape->known) {
      std::string dims = shapeText(shape->values);
      if (shape->values.size() == 1) dims.erase(dims.size() - 2, 1);
      return fmt::format("R.Shape([{}])", std::string_view(dims).substr(1, dims.size() - 2));
    }
    return shape->ndim == kUnknownDim ? "R.Shape" : fmt::format("R.Shape(ndim={})", shape->ndim);
  }
  if (const auto* tuple = as<TupleStructInfo>(info)) {
    return withStack([&] { return fmt::format("R.Tuple({})", listText(tuple->items)); });
  }
  if (const auto* func = as<FuncStructInfo>(info)) {
    if (!func->paramsKnown) return "R.Callable";
    return withStack([&] { return fmt::format("R.Callable(({}), {})", listText(func->params), sinfoText(func->ret)); });
  }
  if (const auto* placed = as<DTensorStructInfo>(info)) {
    return fmt::format("{} placed \"{}\"", sinfoText(placed->tensor),
                       placed->placement ? placementText(*placed->placement) : "");
  }
  return "R.Object";
}

}  // namespace rx::op
