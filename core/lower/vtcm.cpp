// LowerVtcmAlloc and VerifyVTCMLimit: the fast memory of Hexagon processors, which is small and allocated by calls.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kScope = "global.vtcm";
bool isInVtcm(const Buffer& buffer) { return buffer.scope().find(kScope) != std::string_view::npos; }

/// Finds the most bytes that are allocated at one time. An allocation lives to the end of the loop, branch or attribute
/// around it; one of unknown size counts nothing.
class VtcmMeter : public Rewriter {
 public:
  int64_t most() const { return most_; }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* allocation = as<AllocBuffer>(statement)) count(*allocation->buffer);
    if (!isa<For>(statement) && !isa<IfThenElse>(statement) && !isa<AttrStmt>(statement)) return parts(statement);
    const int64_t before = now_;
    parts(statement);
    now_ = before;
    return statement;
  }

 private:
  void count(const Buffer& buffer) {
    if (buffer.scope() != kScope) return;
    int64_t bytes = buffer.dtype.bytes();
    for (const PrimExpr& extent : buffer.shape) {
      // Beyond every limit is enough to know.
      if (__builtin_mul_overflow(bytes, asInt(extent).value_or(0), &bytes)) bytes = INT64_MAX / 2;
    }
    now_ = std::min(now_, INT64_MAX / 2) + std::min(bytes, INT64_MAX / 2);
    most_ = std::max(most_, now_);
  }

  int64_t now_ = 0, most_ = 0;
};

/// Bytes of the memory that the target has; 0 where neither target nor configuration says it.
int64_t capacity(const target::TargetRef& target, const pass::PassContext& context) {
  if (target && target->kind() == "hexagon") {
    const int64_t bytes = target->number("vtcm-capacity").value_or(0);
    if (bytes > 0) return bytes;
  }
  return target ? pass::configNumber(context, "tirx.vtcm_capacity") : 0;
}

}  // namespace

Result<PrimFuncRef> lowerVtcmAlloc(const PrimFuncRef& func, Scope&) {
  return withBody(
      func, rewriteStatements(func->body, [](const Stmt& statement) -> Stmt {
        const auto* allocation = as<AllocBuffer>(statement);
        if (!allocation || !isInVtcm(*allocation->buffer)) return statement;
        const Buffer& buffer = *allocation->buffer;
        const PrimExpr shape = intrinsic(DataType::Handle(), "tvm_stack_make_shape", buffer.shape);
        const PrimExpr memory =
            intrinsic(DataType::Handle(), "nd_mem_alloc_with_scope",
                      {make<StringImm>(Str(buffer.scope())), intImm(static_cast<int64_t>(buffer.shape.size())), shape});
        return seq(std::vector<Stmt>{make<Bind>(buffer.data, memory), make<DeclBuffer>(allocation->buffer)});
      }));
}

Result<PrimFuncRef> verifyVTCMLimit(const PrimFuncRef& func, Scope& scope) {
  RX_TRY(own, targetOf(*func));
  target::TargetRef target = own;
  if (const NodeRef fallback = ir::attrOf(scope.options, "default_target");
      !target && fallback && !isa<ir::NullAttr>(fallback)) {
    RX_TRY(given, target::targetOf(fallback));
    target = given;
  }
  const int64_t limit = capacity(target, scope.context);
  if (limit <= 0) return func;
  VtcmMeter meter;
  meter.rewrite(func->body);
  if (meter.most() <= limit) return func;
  return fail("lower.memory",
              fmt::format("{} bytes of {} are allocated at one time, and there are {}", meter.most(), kScope, limit));
}

}  // namespace rx::lower
