#include "core/op/op_table.h"

#include <deque>
#include <string>
#include <unordered_map>

#include "core/op/families.h"
#include "core/op/signature.h"

namespace rx::op {

namespace {

struct Table {
  std::vector<OpRow> rows;
  std::unordered_map<std::string_view, uint32_t> byName;
  Table();
};

/// Parameters of a kind in the order of `names` (separated by blanks), or of the signature.
std::vector<uint16_t> orderOf(const OpRow& row, std::string_view names, bool (*wanted)(ParamKind)) {
  std::vector<uint16_t> order;
  while (!names.empty()) {
    const size_t blank = std::min(names.find(' '), names.size());
    const int index = row.paramIndex(names.substr(0, blank));
    RX_ASSERT(index >= 0, "parameter order of {}", row.name());
    order.push_back(static_cast<uint16_t>(index));
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
  if (!order.empty()) return order;
  for (size_t i = 0; i < row.params.size(); ++i) {
    if (wanted(row.params[i].kind)) order.push_back(static_cast<uint16_t>(i));
  }
  return order;
}

ir::Attrs defaultsOf(const OpRow& row) {
  std::vector<std::pair<Str, NodeRef>> entries;
  for (uint16_t index : row.attrParams) {
    const OpParam& param = row.params[index];
    if (!param.fallback) return nullptr;
    entries.emplace_back(param.name, param.fallback);
  }
  return entries.empty() ? nullptr : make<ir::DictAttrs>(entries);
}

Table::Table() {
  for (auto* family :
       {unaryOps, binaryOps, createOps, manipulateOps, gatherOps, indexOps, linearAlgebraOps, statisticalOps, searchOps,
        nnOps, normOps, convOps, poolOps, imageOps, visionOps, gradOps, distributedOps, coreOps, memoryOps}) {
    for (const OpSpec& spec : family()) {
      OpRow row;
      row.spec = spec;
      row.params = parseSignature(spec.signature);
      row.attrParams = orderOf(row, spec.attrOrder, isAttribute);
      row.argParams = orderOf(row, spec.argOrder, isArgument);
      row.defaultAttrs = defaultsOf(row);
      row.op = make<relax::Op>(Str(spec.name), static_cast<uint32_t>(rows.size()));
      rows.push_back(std::move(row));
    }
  }
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const bool fresh = byName.emplace(rows[i].spec.name, i).second;
    RX_ASSERT(fresh, "two rows of operator {}", rows[i].name());
    byName.emplace(rows[i].spec.name.substr(std::string_view("relax.").size()), i);
  }
  // The text's name of call_tir with distributed tensors.
  byName.emplace("relax.dist.call_tir", byName.at("relax.call_tir"));
  byName.emplace("dist.call_tir", byName.at("relax.call_tir"));
}

const Table& table() {
  static const Table made;
  return made;
}

}  // namespace

int OpRow::paramIndex(std::string_view param) const {
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == param) return static_cast<int>(i);
  }
  return -1;
}

const OpRow* findOp(std::string_view name) {
  auto hit = table().byName.find(name);
  return hit == table().byName.end() ? nullptr : &table().rows[hit->second];
}

const OpRow* rowOf(const relax::Op* op) {
  if (!op) return nullptr;
  const auto& rows = table().rows;
  if (op->row < rows.size() && rows[op->row].op.get() == op) return &rows[op->row];
  return nullptr;
}

const OpRow* rowOf(const relax::Expr& callee) { return rowOf(as<relax::Op>(callee)); }
const OpRow* rowOf(const relax::Call& call) { return rowOf(as<relax::Op>(call.op)); }

relax::OpRef opRef(std::string_view name) {
  const OpRow* row = findOp(name);
  RX_ASSERT(row, "no operator named {}", name);
  return row->op;
}

std::span<const OpRow> allOps() { return table().rows; }

bool isCallTo(const relax::Call* call, std::string_view name) {
  const OpRow* row = call ? rowOf(*call) : nullptr;
  return row && row->name() == name;
}

}  // namespace rx::op
