#include "core/lower/builtin_lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/new_buffer.h"
#include "core/lower/with_parts.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Constant allocations on the CPU below this many bytes stay on the stack.
constexpr int64_t kMostOnStack = 1024;
constexpr int64_t kCpu = 1;

PrimExpr asInt32(const PrimExpr& value) { return arith::cast(DataType::Int(32), value); }
Stmt throwLastError() { return make<Evaluate>(intrinsic(DataType::Handle(), "tvm_throw_last_error", {})); }
Stmt throwIfNull(const VarRef& pointer) {
  return make<IfThenElse>(intrinsic(DataType::Bool(), "isnullptr", {pointer}), throwLastError());
}
Stmt throwUnlessZero(PrimExpr status) {
  return make<IfThenElse>(make<NE>(std::move(status), int32(0)), throwLastError());
}

StackFrame makeFrame(const StackSizes& most) {
  StackFrame frame;
  frame.most = most;
  frame.values = make<Var>(Str("stack_ffi_any"), DataType::Handle());
  frame.arrays = make<Var>(Str("stack_array"), DataType::Handle());
  frame.shapes = newBuffer(Str("stack_shape"), DataType::Int(64), {intImm(std::max<int64_t>(most.shapes, 0))});
  return frame;
}

Stmt stack(const VarRef& pointer, std::string_view of, int64_t slots) {
  return make<Bind>(pointer,
                    intrinsic(DataType::Handle(), "tvm_stack_alloca", {make<StringImm>(Str(of)), int32(slots)}));
}

/// Elements of a buffer whose shape is constant; 0 where it is not.
int64_t constantElements(const Buffer& buffer) {
  int64_t count = 1;
  for (const PrimExpr& dim : buffer.shape) {
    if (!asInt(dim) || __builtin_mul_overflow(count, *asInt(dim), &count)) return 0;
  }
  return count;
}

}  // namespace

/// The sizes that lowering the body as part of one frame asks for. Parallel loops in it have frames of their own.
StackSizes BuiltinLowering::measured(const Stmt& body) {
  BuiltinLowering trial(device_);
  trial.measuring_ = true;
  trial.frames_.push_back(makeFrame({}));
  trial.frees_.emplace_back();
  trial.rewrite(body);
  return trial.frame().most;
}

Stmt BuiltinLowering::framed(const Stmt& body) {
  if (measuring_) return body;
  frames_.push_back(makeFrame(measured(body)));
  const StackFrame here = frame();
  List list;
  if (here.most.values != 0) list.push_back(stack(here.values, "tvm_ffi_any", here.most.values));
  if (here.most.arrays != 0) list.push_back(stack(here.arrays, "array", here.most.arrays));
  if (here.most.shapes != -1) {
    list.push_back(stack(here.shapes->data, "shape", here.most.shapes));
    list.push_back(make<DeclBuffer>(here.shapes));
  }
  list.push_back(closed(body));
  frames_.pop_back();
  return seq(list);
}

/// The body, and behind it what frees its allocations, the last first.
Stmt BuiltinLowering::closed(const Stmt& body) {
  frees_.emplace_back();
  List list{rewrite(body)};
  list.insert(list.end(), frees_.back().rbegin(), frees_.back().rend());
  frees_.pop_back();
  return list.size() == 1 ? list.front() : seq(list);
}

Stmt BuiltinLowering::visit(const Stmt& statement) {
  if (frames_.empty()) return framed(statement);
  prepared_.emplace_back();
  Stmt changed = lowered(statement);
  List list = std::move(prepared_.back());
  prepared_.pop_back();
  const StackSizes& open = frame().running;
  if (open.shapes != -1 || open.arrays != 0) {
    refuse("lower.stack", "tvm_stack_make_shape and tvm_stack_make_array stand in arguments of packed calls only",
           statement->span);
    frame().running = {};
  }
  if (list.empty()) return changed;
  list.push_back(changed);
  return seq(list);
}

Stmt BuiltinLowering::lowered(const Stmt& statement) {
  if (const auto* one = as<For>(statement)) return loop(*one);
  if (const auto* one = as<IfThenElse>(statement)) return branch(*one);
  if (const auto* one = as<AttrStmt>(statement)) return attribute(*one);
  if (isa<AllocBuffer>(statement)) return allocate(*as<AllocBuffer>(parts(statement)));
  if (const auto* bind = as<Bind>(statement)) {
    if (const auto* call = asCallOf(bind->value, "nd_mem_alloc_with_scope")) return allocateTexture(*bind, *call);
  }
  return parts(statement);
}

Stmt BuiltinLowering::loop(const For& loop) {
  PrimExpr min = rewrite(loop.min), extent = rewrite(loop.extent);
  Stmt body = loop.forKind == ForKind::Parallel ? framed(loop.body) : closed(loop.body);
  return withParts(loop, std::move(min), std::move(extent), loop.step, std::move(body));
}

Stmt BuiltinLowering::branch(const IfThenElse& branch) {
  PrimExpr condition = rewrite(branch.condition);
  Stmt thenCase = closed(branch.thenCase), elseCase = branch.elseCase ? closed(branch.elseCase) : nullptr;
  return withParts(branch, std::move(condition), std::move(thenCase), std::move(elseCase));
}

Stmt BuiltinLowering::attribute(const AttrStmt& attribute) {
  PrimExpr* named = attribute.key.view() == "device_id"     ? &device_.id
                    : attribute.key.view() == "device_type" ? &device_.type
                                                            : nullptr;
  if (named) {
    PrimExpr outer = std::exchange(*named, attribute.value);
    Stmt body = closed(attribute.body);
    *named = outer;
    return body;
  }
  PrimExpr value = rewrite(attribute.value);
  Stmt body = closed(attribute.body);
  return withParts(attribute, std::move(value), std::move(body));
}

bool BuiltinLowering::needsDevice(const StmtNode* statement, bool id) {
  const Span span = statement ? statement->span : Span{};
  if (!device_.type) refuse("lower.no-device", "the device type is not known here", span);
  if (id && !device_.id) refuse("lower.no-device", "the device id is not known here", span);
  return device_.type && (!id || device_.id);
}

/// A buffer in device memory, or too large for the stack: allocated from the device, checked, freed at the end of its
/// region.
Stmt BuiltinLowering::allocate(const AllocBuffer& allocation) {
  const Buffer& buffer = *allocation.buffer;
  const Stmt same(&allocation);
  if (ir::boolAttrOf(allocation.annotations, "disable_lower_builtin", false)) return same;
  if (buffer.dtype.lanes < -1) return same;
  if (buffer.scope() == "global" && device_.type && asInt(device_.type) == kCpu) {
    const int64_t bytes = constantElements(buffer) * buffer.dtype.bytes();
    if (bytes > 0 && bytes < kMostOnStack) return same;
  }
  if (!needsDevice(&allocation)) return same;
  PrimExpr bytes = intImm(buffer.dtype.bytes(), DataType::UInt(64));
  for (const PrimExpr& dim : buffer.shape) bytes = arith::mul(bytes, dim);
  const PrimExpr type = asInt32(device_.type), id = asInt32(device_.id);
  PrimExpr memory = intrinsic(DataType::Handle(), "TVMBackendAllocWorkspace",
                              {type, id, bytes, int32(buffer.dtype.dlpackCode()), int32(buffer.dtype.bits)});
  frees_.back().push_back(
      throwUnlessZero(intrinsic(DataType::Int(32), "TVMBackendFreeWorkspace", {type, id, buffer.data})));
  return make<SeqStmt>(Array<Stmt>{make<Bind>(buffer.data, memory), throwIfNull(buffer.data)});
}

/// An allocation in a special memory of the device (textures): a packed function of the device makes and frees it.
Stmt BuiltinLowering::allocateTexture(const Bind& bind, const tir::Call& call) {
  const auto* pointer = as<PointerType>(bind.var->annotation);
  const auto* element = pointer ? as<PrimType>(pointer->element) : nullptr;
  if (!element) refuse("lower.allocation", "nd_mem_alloc_with_scope needs a typed pointer", bind.span);
  if (!needsDevice(&bind) || !element || call.args.empty()) return Stmt(&bind);
  std::vector<PrimExpr> args{deviceMethod("alloc_nd"), device_.type, device_.id, int32(element->dtype.dlpackCode()),
                             int32(element->dtype.bits)};
  args.insert(args.end(), call.args.begin(), call.args.end());
  PrimExpr memory = intrinsic(DataType::Handle(), "tvm_call_packed", Array<PrimExpr>(std::move(args)));
  PrimExpr freed = intrinsic(DataType::Int(32), "tvm_call_packed",
                             {deviceMethod("free_nd"), device_.type, device_.id, call.args[0], bind.var});
  frees_.back().push_back(rewrite(throwUnlessZero(freed)));
  return rewrite(make<SeqStmt>(Array<Stmt>{make<Bind>(bind.var, memory), throwIfNull(bind.var)}));
}

}  // namespace rx::lower
