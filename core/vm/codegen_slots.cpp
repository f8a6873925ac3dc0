#include "core/vm/codegen_slots.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::vm {
namespace {

using SlotTexts = std::map<int64_t, std::string>;

/// The dimensions in `annotation=R.Tensor((n, 4), dtype="float32")` or `R.Shape([n, 4])`, split at top-level commas.
/// The context of a match_cast says `struct_info=` instead.
std::vector<std::string> annotationDims(std::string_view context) {
  size_t at = std::min(context.find("annotation="), context.find("struct_info="));
  if (at == std::string_view::npos) return {};
  at = context.find_first_of("([", context.find('(', at) + 1);
  if (at == std::string_view::npos) return {};
  std::vector<std::string> dims(1);
  int depth = 0;
  for (++at; at < context.size(); ++at) {
    const char c = context[at];
    if (depth == 0 && (c == ')' || c == ']')) break;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      dims.emplace_back();
    } else if (c != ' ' || !dims.back().empty()) {
      dims.back() += c;
    }
  }
  return dims;
}

std::vector<std::string> sinfoDims(const relax::StructInfo& info, const ExprText& text) {
  Array<tir::PrimExpr> values;
  if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
    if (const auto* shape = as<relax::ShapeExpr>(tensor->shape)) values = shape->values;
  } else if (const auto* shape = as<relax::ShapeStructInfo>(info)) {
    values = shape->values;
  } else if (const auto* prim = as<relax::PrimStructInfo>(info)) {
    if (prim->value) values = {prim->value};
  }
  std::vector<std::string> dims;
  for (const tir::PrimExpr& value : values) dims.push_back(text(value));
  return dims;
}

std::optional<int64_t> intArg(const relax::Call& call, size_t i) {
  const auto* value = i < call.args.size() ? as<relax::PrimValue>(call.args[i]) : nullptr;
  return value ? tir::asInt(value->value) : std::nullopt;
}

/// The pairs (code, slot) from `first` on; those with the codes 1 (store, load) and 3 (equals) name their slot.
void name(SlotTexts& slots, const relax::Call& call, size_t first, const std::vector<std::string>& dims) {
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const auto code = intArg(call, first + 2 * axis);
    const auto slot = intArg(call, first + 2 * axis + 1);
    if ((code == 1 || code == 3) && slot && !dims[axis].empty()) slots.emplace(*slot, dims[axis]);
  }
}

struct NamingRow {
  std::string_view callee;
  size_t first;     ///< index of the first code
  bool fromResult;  ///< the names are those of the result's StructInfo; else of the first argument
};
constexpr NamingRow kRows[] = {
    {"vm.builtin.match_shape", 3, false},
    {"vm.builtin.match_prim_value", 2, false},
    {"vm.builtin.make_shape", 2, true},
    {"vm.builtin.make_prim_value", 1, true},
};

void nameFrom(SlotTexts& slots, const relax::Call& call, const relax::Var& result,
              const std::map<const relax::ExprNode*, const relax::Var*>& aliases, const ExprText& exprText) {
  const auto* callee = as<relax::ExternFunc>(call.op);
  if (!callee || call.args.empty()) return;
  for (const NamingRow& row : kRows) {
    if (callee->globalSymbol != row.callee) continue;
    if (row.fromResult) return name(slots, call, row.first, sinfoDims(result.sinfo, exprText));
    if (const auto* text = as<relax::StringImm>(call.args.back()))
      name(slots, call, row.first, annotationDims(text->value.view()));
    // A match_cast leaves `y = x` behind, and y knows the new symbols.
    const auto alias = aliases.find(call.args[0].get());
    if (alias != aliases.end()) name(slots, call, row.first, sinfoDims(alias->second->sinfo, exprText));
    name(slots, call, row.first, sinfoDims(call.args[0]->sinfo, exprText));
  }
}

/// The slots that a host function of the module stores: `H[2] = H[0] * 4` is named by what slot 0 holds.
void nameComputed(SlotTexts& slots, const ir::IRModule& module, const relax::Call& call, const ExprText& exprText) {
  const auto* callee = as<relax::GlobalVar>(call.op);
  const auto function = callee ? refAs<tir::PrimFunc>(module.find(callee)) : nullptr;
  if (!function || call.args.size() != 1 || function->buffers.size() != 1 || !function->buffers[0]) return;
  const tir::BufferRef heap = function->buffers[0];
  walk(*function->body, Into::Parts, [&](const Node& node) {
    const auto* store = as<tir::BufferStore>(&node);
    if (!store || store->buffer != heap || store->indices.size() != 1) return true;
    const auto slot = tir::asInt(store->indices[0]);
    const NodeRef named = rewriteNodes(
        store->value, Into::Parts, [](const NodeRef&) { return NodeRef(); },
        [&](const NodeRef& part) -> NodeRef {
          const auto* load = as<tir::BufferLoad>(part);
          const auto from =
              load && load->buffer == heap && load->indices.size() == 1 ? tir::asInt(load->indices[0]) : std::nullopt;
          if (!from || !slots.count(*from)) return part;
          return make<tir::Var>(slots[*from], load->dtype);
        });
    if (slot) slots.emplace(*slot, exprText(cast<tir::ExprNode>(named)));
    return true;
  });
}

}  // namespace

SlotTexts heapSlotTexts(const ir::IRModule& module, const relax::Function& function, const ExprText& exprText) {
  std::vector<const relax::VarBinding*> bindings;
  std::vector<const relax::SeqExpr*> open = {function.body.get()};
  std::map<const relax::ExprNode*, const relax::Var*> aliases;
  while (!open.empty()) {
    const relax::SeqExpr* seq = open.back();
    open.pop_back();
    for (const relax::BlockRef& block : seq->blocks) {
      for (const relax::Binding& binding : block->bindings) {
        const auto* plain = as<relax::VarBinding>(binding);
        if (!plain) continue;
        bindings.push_back(plain);
        if (isa<relax::Var>(plain->value)) aliases.emplace(plain->value.get(), plain->var.get());
        if (const auto* branch = as<relax::If>(plain->value)) {
          open.push_back(branch->falseBranch.get());
          open.push_back(branch->trueBranch.get());
        }
      }
    }
  }
  SlotTexts slots;
  for (const relax::VarBinding* binding : bindings) {
    if (const auto* call = as<relax::Call>(binding->value)) nameFrom(slots, *call, *binding->var, aliases, exprText);
  }
  for (const relax::VarBinding* binding : bindings) {
    if (const auto* call = as<relax::Call>(binding->value)) nameComputed(slots, module, *call, exprText);
  }
  for (auto entry = slots.begin(); entry != slots.end();)
    entry = entry->second.empty() ? slots.erase(entry) : std::next(entry);
  return slots;
}

}  // namespace rx::vm
