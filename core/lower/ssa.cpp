#include "core/lower/ssa.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/with_parts.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

/// Forgets at its end what was remapped in it.
class SsaConverter::Region {
 public:
  explicit Region(SsaConverter& owner) : owner_(owner) { owner_.regions_.emplace_back(); }
  ~Region() {
    for (const Node* node : owner_.regions_.back()) owner_.identities_[node].pop_back();
    owner_.regions_.pop_back();
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  SsaConverter& owner_;
};

void SsaConverter::remap(const NodeRef& from, NodeRef to, size_t region) {
  defined_.insert(from);  // keeps the key alive
  identities_[from.get()].push_back({std::move(to), region});
  regions_[region].push_back(from.get());
}

const SsaConverter::Identity* SsaConverter::identityOf(const Node* node) const {
  auto found = identities_.find(node);
  return found == identities_.end() || found->second.empty() ? nullptr : &found->second.back();
}

VarRef SsaConverter::defineVar(const VarRef& var) {
  if (defined_.insert(var).second) return var;
  auto fresh = VarRef(isa<SizeVar>(var) ? new SizeVar(*as<SizeVar>(var)) : new Var(*var));
  remap(var, fresh, regions_.size() - 1);
  return fresh;
}

NodeRef SsaConverter::enter(const NodeRef& node) {
  if (isa<Var>(node)) {
    const Identity* identity = identityOf(node.get());
    return identity ? identity->node : node;
  }
  const auto* let = as<Let>(node);
  if (!let) return nullptr;
  return withStack([&]() -> NodeRef {
    PrimExpr value = rewrite(let->value);
    Region region(*this);
    VarRef var = defineVar(let->var);
    PrimExpr body = rewrite(let->body);
    if (value == let->value && var == let->var && body == let->body) return node;
    auto* copy = new Let(*let);
    copy->value = std::move(value);
    copy->var = std::move(var);
    copy->body = std::move(body);
    return NodeRef(copy);
  });
}

/// The innermost region that remapped a variable which the buffer is made of.
size_t SsaConverter::regionOf(const Buffer& buffer) const {
  size_t innermost = 0;
  auto see = [&](const PrimExpr& expr) {
    if (!expr) return;
    walk(*expr, Into::Parts, [&](const Node& node) {
      const Identity* identity = isa<Var>(&node) ? identityOf(&node) : nullptr;
      if (identity) innermost = std::max(innermost, identity->region);
      return true;
    });
  };
  see(buffer.data);
  for (const PrimExpr& dim : buffer.shape) see(dim);
  for (const PrimExpr& stride : buffer.strides) see(stride);
  see(buffer.elemOffset);
  return innermost;
}

/// The buffer over the present identities; the very same one where nothing in it was remapped.
BufferRef SsaConverter::rebuiltBuffer(const BufferRef& buffer) {
  auto shape = rewrite(buffer->shape), strides = rewrite(buffer->strides);
  PrimExpr offset = rewrite(buffer->elemOffset);
  VarRef data = cast<Var>(rewrite(PrimExpr(buffer->data)));
  if (shape.same(buffer->shape) && strides.same(buffer->strides) && offset == buffer->elemOffset &&
      data == buffer->data) {
    return buffer;
  }
  auto* copy = new Buffer(*buffer);
  copy->shape = std::move(shape);
  copy->strides = std::move(strides);
  copy->elemOffset = std::move(offset);
  copy->data = std::move(data);
  return BufferRef(copy);
}

BufferRef SsaConverter::use(const BufferRef& buffer) {
  if (const Identity* identity = identityOf(buffer.get())) return cast<Buffer>(identity->node);
  BufferRef changed = rebuiltBuffer(buffer);
  if (changed != buffer) remap(buffer, changed, regionOf(*buffer));
  return changed;
}

BufferRef SsaConverter::define(const BufferRef& buffer) {
  const bool again = !defined_.insert(buffer).second;
  BufferRef changed = rebuiltBuffer(buffer);
  if (changed == buffer && again) changed = BufferRef(new Buffer(*buffer));
  if (changed != buffer) remap(buffer, changed, regions_.size() - 1);
  return changed;
}

Stmt SsaConverter::body(const Stmt& statement) {
  if (!statement) return nullptr;
  Region region(*this);
  return rewrite(statement);
}

Stmt SsaConverter::binding(const Bind& bind) {
  PrimExpr value = rewrite(bind.value);
  VarRef var = defineVar(bind.var);
  if (value == bind.value && var == bind.var) return Stmt(&bind);
  auto* copy = new Bind(bind);
  copy->value = std::move(value);
  copy->var = std::move(var);
  return Stmt(copy);
}

Stmt SsaConverter::branch(const IfThenElse& branch) {
  PrimExpr condition = rewrite(branch.condition);
  Stmt thenCase = body(branch.thenCase), elseCase = body(branch.elseCase);
  return withParts(branch, std::move(condition), std::move(thenCase), std::move(elseCase));
}

/// A launch defines its variable for the whole function, in which it may be launched again. A mark on the variable of a
/// loop that follows does not: the loop does.
Stmt SsaConverter::attribute(const Ref<AttrStmt>& attribute) {
  const auto* iter = as<IterVar>(attribute->node);
  if (iter && !identityOf(iter->var.get()) && defined_.contains(iter->var)) {
    remap(iter->var, make<Var>(*iter->var), 0);
  }
  Stmt changed;
  {
    Region region(*this);
    changed = parts(attribute);
  }
  if (iter && defined_.insert(iter->var).second) remap(iter->var, iter->var, 0);
  return changed;
}

Stmt SsaConverter::visit(const Stmt& statement) {
  if (regions_.empty()) return body(statement);
  if (const auto* one = as<Bind>(statement)) return binding(*one);
  if (const auto* one = as<IfThenElse>(statement)) return branch(*one);
  if (auto one = refAs<AttrStmt>(statement)) return attribute(one);
  if (const auto* one = as<AllocBuffer>(statement)) {
    defineVar(one->buffer->data);
  } else if (const auto* allocate = as<Allocate>(statement)) {
    defineVar(allocate->var);
  }
  if (!isa<For>(statement) && !isa<While>(statement) && !isa<Block>(statement)) return parts(statement);
  Region region(*this);
  if (const auto* loop = as<For>(statement)) {
    defineVar(loop->loopVar);
  } else if (const auto* block = as<Block>(statement)) {
    for (const auto& iter : block->iterVars) defineVar(iter->var);
    for (const auto& buffer : block->allocBuffers) defineVar(buffer->data);
    for (const auto& match : block->matchBuffers) defineVar(match->buffer->data);
  }
  return parts(statement);
}

/// Buffers of parameters, and the sizes that they define where no parameter does.
Array<BufferRef> SsaConverter::parameterBuffers(const PrimFunc& function) {
  std::unordered_set<const Node*> seen;
  for (const VarRef& param : function.params) seen.insert(param.get());
  std::vector<BufferRef> changed;
  auto see = [&](const PrimExpr& expr) {
    if (!expr) return;
    for (const VarRef& var : arith::freeVars(expr)) {
      if (seen.insert(var.get()).second) defineVar(var);
    }
  };
  for (const BufferRef& buffer : function.buffers) {
    if (buffer) {
      see(buffer->data);
      for (const PrimExpr& dim : buffer->shape) see(dim);
      for (const PrimExpr& stride : buffer->strides) see(stride);
      see(buffer->elemOffset);
    }
    changed.push_back(buffer ? define(buffer) : buffer);
  }
  const bool same = std::equal(changed.begin(), changed.end(), function.buffers.begin());
  return same ? function.buffers : Array<BufferRef>(std::move(changed));
}

PrimFuncRef SsaConverter::function(const PrimFuncRef& function) {
  Region region(*this);
  std::vector<VarRef> params;
  for (const VarRef& param : function->params) params.push_back(defineVar(param));
  Array<BufferRef> buffers = parameterBuffers(*function);
  Stmt changed = body(function->body);
  const bool same = std::equal(params.begin(), params.end(), function->params.begin());
  if (same && buffers.same(function->buffers) && changed == function->body) return function;
  auto* copy = new PrimFunc(*function);
  if (!same) copy->params = Array<VarRef>(std::move(params));
  copy->buffers = std::move(buffers);
  copy->body = std::move(changed);
  return PrimFuncRef(copy);
}

Stmt toSsa(const Stmt& body) { return SsaConverter().rewrite(body); }

}  // namespace rx::lower
