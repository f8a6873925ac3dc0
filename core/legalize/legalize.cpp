#include "core/legalize/legalize.h"

#include <algorithm>
#include <unordered_map>

#include "core/legalize/families.h"
#include "core/legalize/lowering.h"
#include "core/op/op_table.h"

namespace rx::legalize {

namespace {

bool known(const relax::StructInfo& root) {
  std::vector<relax::StructInfo> open{root};
  while (!open.empty()) {
    relax::StructInfo info = std::move(open.back());
    open.pop_back();
    if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
      open.insert(open.end(), tuple->items.begin(), tuple->items.end());
    } else if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
      if (!isa<relax::ShapeExpr>(tensor->shape)) return false;
    } else if (const auto* shape = as<relax::ShapeStructInfo>(info)) {
      if (!shape->known) return false;
    }
  }
  return true;
}

/// A call on tensors that lie on several devices: LowerDistIR says what each of them computes, before that there is no
/// loop to write.
bool distributed(const relax::Call& call) {
  const auto spread = [](const relax::StructInfo& info) { return isa<relax::DTensorStructInfo>(info); };
  return spread(call.sinfo) ||
         std::any_of(call.args.begin(), call.args.end(), [&](const relax::Expr& arg) { return spread(arg->sinfo); });
}

const std::vector<LegalizeRow>& table() {
  // Made once and never changed.
  static const std::vector<LegalizeRow> kRows = [] {
    std::vector<LegalizeRow> rows;
    for (auto family :
         {elementwiseRows, reduceRows,   manipulateRows, createRows,  indexRows,    nnRows,      convRows,
          attentionRows,   scatterRows,  gradRows,       dynamicRows, imageRows,    productRows, tensorIndexRows,
          medianRows,      samplingRows, detectionRows,  nmsRows,     allClassRows, layoutRows}) {
      std::span<const LegalizeRow> part = family();
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return kRows;
}

}  // namespace

std::span<const LegalizeRow> allLegalizations() { return table(); }

const LegalizeRow* findLegalization(std::string_view op) {
  static const std::unordered_map<std::string_view, const LegalizeRow*> kIndex = [] {
    std::unordered_map<std::string_view, const LegalizeRow*> index;
    for (const LegalizeRow& row : table()) index.emplace(row.op, &row);
    return index;
  }();
  auto found = kIndex.find(op);
  return found == kIndex.end() ? nullptr : found->second;
}

bool shapesKnown(const relax::Call& call) {
  const op::OpRow* row = op::rowOf(call);
  if (row && row->has(op::kNoShapesNeeded)) return true;
  for (const relax::Expr& arg : call.args) {
    if (!arg->sinfo || !known(arg->sinfo)) return false;
  }
  return call.sinfo && ((row && row->has(op::kDataDependent)) || known(call.sinfo));
}

Result<relax::Expr> legalizeCall(const relax::Call& call, build::BlockBuilder& builder) {
  const auto* op = as<relax::Op>(call.op);
  const LegalizeRow* row = op ? findLegalization(op->name.view()) : nullptr;
  if (!row || distributed(call) || (!row->anyShape && !shapesKnown(call))) return relax::Expr();
  Lowering lowering(call, builder);
  return row->run(lowering);
}

bool canBeWritten(std::string_view op) {
  if (findLegalization(op)) return true;
  auto has = [&](std::span<const LegalizeRow> rows) {
    return std::any_of(rows.begin(), rows.end(), [&](const LegalizeRow& row) { return row.op == op; });
  };
  return has(sortScanRows()) || has(ownRows());
}

namespace {
Result<relax::Expr> writeFrom(std::span<const LegalizeRow> rows, const relax::Call& call,
                              build::BlockBuilder& builder) {
  const auto* op = as<relax::Op>(call.op);
  for (const LegalizeRow& row : rows) {
    if (!op || op->name.view() != row.op || distributed(call) || !(row.anyShape || shapesKnown(call))) continue;
    Lowering lowering(call, builder);
    return row.run(lowering);
  }
  return relax::Expr();
}
}  // namespace

Result<relax::Expr> legalizeSortScan(const relax::Call& call, build::BlockBuilder& builder) {
  return writeFrom(sortScanRows(), call, builder);
}
Result<relax::Expr> legalizeSortScanOnDevice(const relax::Call& call, build::BlockBuilder& builder) {
  RX_TRY(sorted, writeFrom(deviceSortRows(), call, builder));
  return sorted ? sorted : writeFrom(deviceScanRows(), call, builder);
}
Result<relax::Expr> legalizeSamplingOnDevice(const relax::Call& call, build::BlockBuilder& builder) {
  return writeFrom(deviceSamplingRows(), call, builder);
}
Result<relax::Expr> legalizeFastMath(const relax::Call& call, build::BlockBuilder& builder) {
  return writeFrom(fastMathRows(), call, builder);
}
Result<relax::Expr> legalizeOwn(const relax::Call& call, build::BlockBuilder& builder) {
  return writeFrom(ownRows(), call, builder);
}

}  // namespace rx::legalize
