// UnifyThreadBinding: in one kernel all loops and launches over one thread axis are one loop, around the whole kernel.
#include <fmt/format.h>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/pass_functions.h"
#include "core/lower/substituter.h"

namespace rx::lower {

using namespace tir;

namespace {

bool opensKernel(std::string_view tag) {
  return tag.starts_with("blockIdx.") || tag.starts_with("clusterIdx.") || tag.starts_with("clusterCtaIdx");
}

class Unifier : public Substituter {
 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement); loop && loop->forKind == ForKind::ThreadBinding) return bound(*loop);
    const auto* attribute = as<AttrStmt>(statement);
    const bool launches =
        attribute && (attribute->key.view() == "thread_extent" || attribute->key.view() == "virtual_thread");
    const auto* iter = launches ? as<IterVar>(attribute->node) : nullptr;
    if (!iter) return parts(statement);
    const PrimExpr zero = arith::constantInt(attribute->value->dtype, 0);
    return axis(iter->var, iter->threadTag, {zero, attribute->value}, attribute->body, attribute->span);
  }

 private:
  /// An axis of the kernel: its variable and where it runs.
  struct Axis {
    std::string_view tag;
    VarRef var;
    Range domain;
  };

  Stmt bound(const For& loop);
  Stmt axis(const VarRef& var, const Str& tag, const Range& domain, const Stmt& body, Span span);
  const Axis& axisOf(const Str& tag, const Range& domain, Span span);
  Stmt launched(Stmt body);

  std::vector<Axis> axes_;  ///< of the present kernel, in order of first meeting
  int depth_ = 0;           ///< of blocks of threads
  arith::Analyzer analyzer_;
};

/// What annotates the loop stays with the loop that comes of it, or gets one of its own.
Stmt Unifier::bound(const For& loop) {
  Stmt made = axis(loop.loopVar, loop.threadBinding->threadTag, {loop.min, loop.extent}, loop.body, loop.span);
  if (!loop.annotations || loop.annotations->size() == 0) return made;
  if (const auto* inner = as<For>(made)) {
    auto* copy = new For(*inner);
    copy->annotations = loop.annotations;
    return Stmt(copy);
  }
  const DataType type = loop.loopVar->dtype;
  return make<For>(make<Var>(Str("var"), type), arith::constantInt(type, 0), arith::constantInt(type, 1),
                   ForKind::Serial, made, nullptr, loop.annotations);
}

const Unifier::Axis& Unifier::axisOf(const Str& tag, const Range& domain, Span span) {
  for (const Axis& known : axes_) {
    if (known.tag != tag.view()) continue;
    if (!analyzer_.canProveEqual(domain.min, known.domain.min) ||
        !analyzer_.canProveEqual(domain.extent, known.domain.extent)) {
      refuse("lower.thread-extent", fmt::format("loops over {} of one kernel have different extents", tag.view()),
             span);
    }
    return known;
  }
  axes_.push_back({tag.view(), make<Var>(tag, domain.extent->dtype), domain});
  return axes_.back();
}

Stmt Unifier::axis(const VarRef& var, const Str& tag, const Range& domain, const Stmt& body, Span span) {
  const int before = depth_;
  const bool outermost = depth_ == 0;
  if (opensKernel(tag.view()) || outermost) {
    if (outermost) axes_.clear();
    ++depth_;
  }
  values[var.get()] = arith::cast(var->dtype, axisOf(tag, domain, span).var);
  Stmt made = rewrite(body);
  depth_ = before;
  return outermost ? launched(std::move(made)) : made;
}

/// Loops over all axes of the kernel around its body.
Stmt Unifier::launched(Stmt body) {
  for (auto it = axes_.rbegin(); it != axes_.rend(); ++it) {
    auto thread =
        make<IterVar>(Ref<Range>(), make<Var>(Str(""), DataType::Int(32)), IterType::ThreadIndex, Str(it->tag));
    body = make<For>(it->var, it->domain.min, it->domain.extent, ForKind::ThreadBinding, body, thread);
  }
  axes_.clear();
  return body;
}

}  // namespace

Result<PrimFuncRef> unifyThreadBinding(const PrimFuncRef& func, Scope&) {
  Result<Stmt> body = Unifier().run(func->body);
  if (!body) return body.failure();
  return withBody(func, *body);
}

}  // namespace rx::lower
