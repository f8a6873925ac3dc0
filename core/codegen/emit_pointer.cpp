// Pointers: every one carries the bytes behind it that may be accessed, through bindings, choices and offsets.
#include "core/codegen/emitter.h"
#include "core/support/stack.h"

namespace rx::codegen {

void Emitter::define(const tir::Var& var, Pointer pointer) {
  vars_[&var] = pointer.base;
  limits_[&var] = pointer.limit;
}

std::optional<Pointer> Emitter::known(const tir::Var& var) const {
  const auto base = vars_.find(&var), limit = limits_.find(&var);
  if (base == vars_.end() || limit == limits_.end()) return std::nullopt;
  return Pointer{base->second, limit->second};
}

std::optional<Pointer> Emitter::pointer(const tir::PrimExpr& node) {
  return withStack([&] { return pointerHere(node); });
}

std::optional<Pointer> Emitter::pointerHere(const tir::PrimExpr& node) {
  if (const auto* var = as<tir::Var>(node)) {
    if (const auto found = known(*var)) return found;
  }
  if (const auto* select = as<tir::Select>(node))
    return choosePointer(select->condition, select->trueValue, select->falseValue);
  if (const auto* inner = as<tir::Let>(node)) {
    bind(inner->var, inner->value);
    return pointer(inner->body);
  }
  const auto* call = as<tir::Call>(node);
  const std::string_view name = call ? intrinsicName(*call) : std::string_view();
  if (name == "address_of" && call->args.size() == 1) return addressOf(*call);
  if (name == "tvm_access_ptr" && call->args.size() == 5) return accessPtr(*call);
  if (name == "if_then_else" && call->args.size() == 3)
    return choosePointer(call->args[0], call->args[1], call->args[2]);
  refuse(node->span, "this pointer has no memory here");
  return std::nullopt;
}

/// What is left of the buffer's memory from the element on.
std::optional<Pointer> Emitter::addressOf(const tir::Call& call) {
  const auto* load = as<tir::BufferLoad>(call.args[0]);
  if (!load || load->dtype.lanes != load->buffer->dtype.lanes) {
    refuse(call.span, "address_of needs one element of a buffer");
    return std::nullopt;
  }
  std::vector<llvm::Value*> values;
  for (const tir::PrimExpr& i : load->indices) {
    values.push_back(expr(i));
    if (!values.back()) return std::nullopt;
  }
  const auto state = buffer(*load->buffer);
  if (!state || !fits(*load->buffer, *state, values.size())) return std::nullopt;
  const LaneAccess lane = laneAccess(*state, load->indices, values, 0, nullptr);
  checkAccess(*load->buffer, *state, {lane}, nullptr);
  llvm::Value* before = builder_.CreateMul(lane.flat, i64(elementBytes(load->buffer->dtype)));
  return Pointer{elementPointer(*load->buffer, *state, lane.flat), builder_.CreateSub(state->memory.limit, before)};
}

/// tvm_access_ptr(type, data, offset, extent, mode): `extent` elements, `offset` elements into the data.
std::optional<Pointer> Emitter::accessPtr(const tir::Call& call) {
  const auto data = pointer(call.args[1]);
  llvm::Value* offset = expr(call.args[2]);
  llvm::Value* extent = expr(call.args[3]);
  if (!data || !offset || !extent) return std::nullopt;
  offset = index(offset, call.args[2]->dtype);
  extent = index(extent, call.args[3]->dtype);
  const int64_t size = elementBytes(call.args[0]->dtype);
  if (options_.checkAccess) {
    // Both count as unsigned: what is negative is too large.
    llvm::Value* elements = builder_.CreateUDiv(data->limit, i64(size));
    llvm::Value* wrong = builder_.CreateOr(builder_.CreateICmpUGT(offset, elements),
                                           builder_.CreateICmpUGT(extent, builder_.CreateSub(elements, offset)));
    failWhen(wrong, [&] { reportPart(offset, extent, data->limit); });
  }
  llvm::Value* before = builder_.CreateMul(offset, i64(size));
  return Pointer{builder_.CreateGEP(builder_.getInt8Ty(), data->base, before), builder_.CreateMul(extent, i64(size))};
}

void Emitter::pointerHolds(const Pointer& pointer, int64_t bytes) {
  failWhen(builder_.CreateICmpULT(pointer.limit, i64(bytes)), [&] { reportPart(i64(0), i64(bytes), pointer.limit); });
}

void Emitter::reportPart(llvm::Value* offset, llvm::Value* extent, llvm::Value* limit) {
  llvm::Type* word = builder_.getInt64Ty();
  builder_.CreateCall(host("rx_report_part", builder_.getVoidTy(), {builder_.getPtrTy(), word, word, word}),
                      {host_, offset, extent, limit});
}

std::optional<Pointer> Emitter::choosePointer(const tir::PrimExpr& condition, const tir::PrimExpr& yes,
                                              const tir::PrimExpr& no) {
  std::optional<Pointer> sides[2];
  llvm::BasicBlock* ends[2] = {};
  llvm::Value* test = expr(condition);
  if (!test) return std::nullopt;
  ifThen(
      convert(test, condition->dtype, DataType::Bool()),
      [&] {
        sides[0] = pointer(yes);
        ends[0] = builder_.GetInsertBlock();
      },
      [&] {
        sides[1] = pointer(no);
        ends[1] = builder_.GetInsertBlock();
      });
  if (!sides[0] || !sides[1]) return std::nullopt;
  auto join = [&](llvm::Value* a, llvm::Value* b) {
    auto* phi = builder_.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, ends[0]);
    phi->addIncoming(b, ends[1]);
    return phi;
  };
  Pointer joined;
  joined.base = join(sides[0]->base, sides[1]->base);
  joined.limit = join(sides[0]->limit, sides[1]->limit);
  return joined;
}

}  // namespace rx::codegen
