#include "core/compile/request/operator_doc.h"

#include "core/op/op_table.h"
#include "core/relay/passes/op_doc.h"

namespace rx::compile {

namespace {

std::optional<OperatorDoc> relaxDoc(std::string_view op) {
  const op::OpRow* row = op::findOp(op);
  if (!row) return std::nullopt;
  OperatorDoc out;
  out.name = row->name();
  out.doc = row->spec.doc;
  out.signature = row->spec.signature;
  out.pure = row->pure();
  out.dataDependent = row->has(op::kDataDependent);
  return out;
}

std::optional<OperatorDoc> relayDoc(std::string_view op) {
  const relay::OpRow* row = relay::findOperator(op);
  if (!row) return std::nullopt;
  OperatorDoc out;
  out.name = row->name;
  out.signature = relay::signatureOf(*row);
  out.fusion = relay::fusionOf(*row);
  out.pure = !row->stateful;
  const std::string_view counterpart = relay::counterpartOf(*row);
  if (counterpart.empty()) return out;
  out.counterpart = "relax." + std::string(counterpart);
  if (const op::OpRow* same = op::findOp(out.counterpart)) out.doc = same->spec.doc;
  return out;
}

struct Table {
  std::string_view name, title;
  std::optional<OperatorDoc> (*find)(std::string_view op);
};
constexpr Table kTables[] = {{"relax", "Relax", relaxDoc}, {"relay", "Relay", relayDoc}};

}  // namespace

std::optional<OperatorDoc> operatorDoc(std::string_view language, std::string_view op) {
  for (const Table& table : kTables)
    if (table.name == language || table.title == language) return table.find(op);
  return std::nullopt;
}

}  // namespace rx::compile
