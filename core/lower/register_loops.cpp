#include "core/lower/register_loops.h"

#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kMaxStep = "pragma_auto_unroll_max_step";

using Variables = std::unordered_set<const Var*>;

/// The variables in the indices of memory that is one thread's own.
Variables indexingRegisters(const Stmt& body) {
  Variables found;
  const auto take = [&](const Buffer& buffer, const Array<PrimExpr>& indices) {
    if (!buffer.scope().starts_with("local")) return;
    for (const PrimExpr& index : indices) {
      walkOnce(*index, Into::Parts, [&](const Node& node) {
        if (const auto* var = as<Var>(&node)) found.insert(var);
        return true;
      });
    }
  };
  walkOnce(*body, Into::Parts, [&](const Node& node) {
    if (const auto* store = as<BufferStore>(&node)) take(*store->buffer, store->indices);
    if (const auto* load = as<BufferLoad>(&node)) take(*load->buffer, load->indices);
    return true;
  });
  return found;
}

/// What the pragma is around, without it.
Stmt marked(const AttrStmt& pragma, const Variables& registers) {
  return cast<StmtNode>(rewriteNodes(pragma.body, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
    const auto* loop = as<For>(node.get());
    if (!loop || loop->forKind != ForKind::Serial || !asInt(loop->extent)) return node;
    if (!registers.contains(loop->loopVar.get())) return node;
    auto* copy = new For(*loop);
    copy->forKind = ForKind::Unrolled;
    return NodeRef(copy);
  }));
}

}  // namespace

Stmt withRegisterLoops(const Stmt& body) {
  Variables registers;
  bool known = false;
  return cast<StmtNode>(rewriteNodes(body, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
    const auto* pragma = as<AttrStmt>(node.get());
    if (!pragma || pragma->key != kMaxStep || asInt(pragma->value).value_or(0) <= 0) return node;
    if (!known) registers = indexingRegisters(body);
    known = true;
    return marked(*pragma, registers);
  }));
}

}  // namespace rx::lower
