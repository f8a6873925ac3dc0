// InjectPTXLDG32: guarded loads of CUDA kernels become loads of 32 bits under a
// predicate, which need no branch.
#include "core/ir/all_nodes.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/pass/options.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using namespace tir;

namespace {

BufferRef registers(std::string_view name, DataType dtype, int64_t count) {
  return newBuffer(Str(name), dtype, {int32(count)}, "local");
}

class LoadInjector : public Rewriter {
 public:
  /// The body with the registers that its loads need, where no allocation in it
  /// brought them.
  Stmt run(const Stmt& body) {
    const Stmt made = rewrite(body);
    return needed_ && !allocated_ ? withRegisters(made) : made;
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (isa<AllocBuffer>(statement)) {
      const Stmt made = parts(statement);
      return needed_ && !allocated_ ? withRegisters(made) : made;
    }
    const auto* store = as<BufferStore>(statement);
    if (!store) return parts(statement);
    const Call* choice = asCallOf(store->value, "if_then_else");
    if (!choice || choice->args.size() != 3 || store->indices.size() != 1) return parts(statement);
    const bool first = isa<BufferLoad>(choice->args[1]);
    const auto* load = as<BufferLoad>(choice->args[first ? 1 : 2]);
    if (!load || load->indices.size() != 1 || isa<Ramp>(load->indices[0])) return parts(statement);
    return guarded(*store, *load, choice->args[0], choice->args[first ? 2 : 1]);
  }

 private:
  Stmt withRegisters(const Stmt& statement) {
    allocated_ = true;
    const Stmt all[] = {make<AllocBuffer>(predicate_), make<AllocBuffer>(address_), statement};
    return inOrder(all);
  }

  /// `address_` holds where to load from and where to store; the value is what
  /// stays where the predicate is false.
  Stmt guarded(const BufferStore& store, const BufferLoad& load, const PrimExpr& predicate, const PrimExpr& value) {
    if (!needed_) {
      needed_ = true;
      address_ = registers("addr", DataType::Int(32), 2);
      predicate_ = registers("predicate", DataType::Bool(), 1);
    }
    auto address = [&](int64_t which) -> PrimExpr {
      return make<BufferLoad>(address_, Array<PrimExpr>{int32(which)}, address_->dtype);
    };
    const PrimExpr source = make<BufferLoad>(load.buffer, Array<PrimExpr>{address(0)}, load.buffer->dtype);
    const PrimExpr holds = make<BufferLoad>(predicate_, Array<PrimExpr>{int32(0)}, predicate_->dtype);
    const Array<PrimExpr> args{store.buffer->data, holds, source, address(1)};
    const Stmt all[] = {
        make<BufferStore>(address_, load.indices[0], Array<PrimExpr>{int32(0)}),
        make<BufferStore>(address_, store.indices[0], Array<PrimExpr>{int32(1)}),
        make<BufferStore>(predicate_, predicate, Array<PrimExpr>{int32(0)}),
        make<BufferStore>(store.buffer, value, Array<PrimExpr>{address(1)}),
        make<Evaluate>(intrinsic(store.buffer->data->dtype, "ptx.ldg32", args)),
    };
    return seq(all);
  }

  bool needed_ = false, allocated_ = false;
  BufferRef address_, predicate_;
};

}  // namespace

Result<PrimFuncRef> injectPtxLdg32(const PrimFuncRef& func, Scope& scope) {
  if (!pass::flagOf(scope.options, "enable_inject_ptx_intrin")) return func;
  RX_TRY(target, targetOf(*func));
  if (!target || !target::hasTrait(target->kind(), target::DeviceTrait::PredicatedLoads)) return func;
  return withBody(func, LoadInjector().run(func->body));
}

}  // namespace rx::lower
