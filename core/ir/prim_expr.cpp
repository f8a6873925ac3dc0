#include "core/ir/prim_expr.h"

#include "core/ir/attrs.h"
#include "core/ir/stmt.h"

namespace rx::tir {

std::string_view Buffer::scope() const {
  const auto* pointer = data ? as<PointerType>(data->annotation) : nullptr;
  return pointer && !pointer->scope.empty() ? pointer->scope.view() : std::string_view("global");
}

bool isScalar(const Buffer& buffer) {
  const auto* layout = as<ir::StrAttr>(buffer.layout);
  return layout && layout->value == kScalarLayout && buffer.shape.size() == 1 && asInt(buffer.shape[0]) == 1 &&
         buffer.strides.empty() && !buffer.elemOffset && canBeScalar(buffer.dtype);
}

DataType indexType(std::span<const PrimExpr> shape) { return shape.empty() ? DataType::Int(32) : shape[0]->dtype; }

VarRef bufferPointer(DataType dtype, Str name, Str scope) {
  const DataType element = dtype.isBool() ? DataType::Int(8) : dtype;
  return make<Var>(std::move(name), DataType::Handle(), make<PointerType>(make<PrimType>(element), std::move(scope)));
}

PrimExpr intImm(int64_t value, DataType dtype) { return make<IntImm>(dtype, dtype.isBool() ? value != 0 : value); }
PrimExpr floatImm(double value, DataType dtype) { return make<FloatImm>(dtype, value); }
PrimExpr boolImm(bool value) { return make<IntImm>(DataType::Bool(), value ? 1 : 0); }

std::optional<int64_t> asInt(const PrimExpr& expr) {
  const auto* imm = as<IntImm>(expr);
  return imm ? std::optional<int64_t>(imm->value) : std::nullopt;
}

Stmt seq(std::span<const Stmt> statements) {
  std::vector<Stmt> flat;
  for (const Stmt& statement : statements) {
    if (const auto* inner = as<SeqStmt>(statement)) {
      // A SeqStmt never holds a SeqStmt, so one level is enough.
      flat.insert(flat.end(), inner->seq.begin(), inner->seq.end());
    } else if (statement) {
      flat.push_back(statement);
    }
  }
  if (flat.empty()) return make<Evaluate>(intImm(0, DataType::Int(32)));
  if (flat.size() == 1) return flat.front();
  return make<SeqStmt>(Array<Stmt>(std::move(flat)));
}

}  // namespace rx::tir
