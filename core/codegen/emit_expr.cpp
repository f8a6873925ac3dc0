// Expressions other than arithmetic and calls.
#include "core/codegen/emitter.h"
#include "core/support/stack.h"

namespace rx::codegen {

/// Null after a refusal, which has been noted.
llvm::Value* Emitter::expr(const tir::PrimExpr& node) {
  return withStack([&] { return exprHere(node); });
}

llvm::Value* Emitter::exprHere(const tir::PrimExpr& node) {
  if (isa<tir::BinaryNode>(node)) return binary(*as<tir::BinaryNode>(node));
  using Handler = llvm::Value* (*)(Emitter&, const tir::PrimExpr&);
  static const std::unordered_map<Kind, Handler> kHandlers = {
      {Kind::tir_IntImm,
       [](Emitter& e, const tir::PrimExpr& n) -> llvm::Value* {
         return llvm::ConstantInt::get(e.registerType(n->dtype), static_cast<uint64_t>(as<tir::IntImm>(n)->value),
                                       n->dtype.isInt());
       }},
      {Kind::tir_FloatImm,
       [](Emitter& e, const tir::PrimExpr& n) -> llvm::Value* {
         const double value = as<tir::FloatImm>(n)->value;
         const FloatFormat* format = emulated(n->dtype) ? smallFloatFormat(n->dtype.element()) : nullptr;
         return e.number(n->dtype, format ? decodeFloat(*format, encodeFloat(*format, value)) : value);
       }},
      {Kind::tir_StringImm,
       [](Emitter& e, const tir::PrimExpr& n) -> llvm::Value* {
         return e.builder_.CreateGlobalString(std::string(as<tir::StringImm>(n)->value.view()));
       }},
      {Kind::tir_Cast,
       [](Emitter& e, const tir::PrimExpr& n) -> llvm::Value* {
         const auto* cast = as<tir::Cast>(n);
         llvm::Value* value = e.expr(cast->value);
         return value ? e.convert(value, cast->value->dtype, n->dtype) : nullptr;
       }},
      {Kind::tir_Not,
       [](Emitter& e, const tir::PrimExpr& n) -> llvm::Value* {
         const auto* inner = as<tir::Not>(n);
         llvm::Value* value = e.expr(inner->a);
         return value ? e.builder_.CreateNot(e.convert(value, inner->a->dtype, DataType::Bool(inner->a->dtype.lanes)))
                      : nullptr;
       }},
      {Kind::tir_Select,
       [](Emitter& e, const tir::PrimExpr& n) -> llvm::Value* {
         const auto* select = as<tir::Select>(n);
         if (select->condition->dtype.lanes == 1)
           return e.choose(select->condition, select->trueValue, select->falseValue);
         llvm::Value* c = e.expr(select->condition);
         if (!c) return nullptr;
         llvm::Value* t = e.inLanes(c, [&] { return e.expr(select->trueValue); });
         llvm::Value* f = e.inLanes(e.builder_.CreateNot(c), [&] { return e.expr(select->falseValue); });
         return t && f ? e.builder_.CreateSelect(c, t, f) : nullptr;
       }},
      {Kind::tir_BufferLoad, [](Emitter& e, const tir::PrimExpr& n) { return e.load(*as<tir::BufferLoad>(n)); }},
      {Kind::tir_Ramp, [](Emitter& e, const tir::PrimExpr& n) { return e.ramp(*as<tir::Ramp>(n)); }},
      {Kind::tir_Broadcast, [](Emitter& e, const tir::PrimExpr& n) { return e.broadcast(*as<tir::Broadcast>(n)); }},
      {Kind::tir_Shuffle, [](Emitter& e, const tir::PrimExpr& n) { return e.shuffle(*as<tir::Shuffle>(n)); }},
      {Kind::tir_Let, [](Emitter& e, const tir::PrimExpr& n) { return e.let(*as<tir::Let>(n)); }},
      {Kind::tir_Reduce, [](Emitter& e, const tir::PrimExpr& n) { return e.reduce(*as<tir::Reduce>(n)); }},
      {Kind::tir_Call, [](Emitter& e, const tir::PrimExpr& n) { return e.call(*as<tir::Call>(n)); }},
  };
  if (const auto* var = as<tir::Var>(node)) {
    const auto found = vars_.find(var);
    return found != vars_.end()
               ? found->second
               : refuse(node->span, fmt::format("the variable {} has no value here", var->name.view()));
  }
  const auto found = kHandlers.find(node->kind());
  if (found == kHandlers.end())
    return refuse(node->span, fmt::format("{} has no machine code", kindName(node->kind())));
  return found->second(*this, node);
}

llvm::Value* Emitter::ramp(const tir::Ramp& node) {
  const auto lanes = tir::asInt(node.lanes);
  llvm::Value* base = expr(node.base);
  llvm::Value* stride = expr(node.stride);
  if (!base || !stride) return nullptr;
  if (!lanes || *lanes != node.dtype.lanes || *lanes < 1 || base->getType() != stride->getType())
    return refuse(node.span, "a ramp of this length has no machine code");
  llvm::Value* result = llvm::PoisonValue::get(registerType(node.dtype));
  for (int64_t lane = 0; lane < *lanes; ++lane) {
    llvm::Value* step =
        builder_.CreateMul(stride, llvm::ConstantInt::get(stride->getType(), static_cast<uint64_t>(lane)));
    result = builder_.CreateInsertElement(result, builder_.CreateAdd(base, step), static_cast<uint64_t>(lane));
  }
  return result;
}

llvm::Value* Emitter::broadcast(const tir::Broadcast& node) {
  const auto lanes = tir::asInt(node.lanes);
  llvm::Value* value = expr(node.value);
  if (!value) return nullptr;
  if (!lanes || *lanes != node.dtype.lanes || *lanes < 1 || node.value->dtype.lanes != 1)
    return refuse(node.span, "a broadcast of this length has no machine code");
  return builder_.CreateVectorSplat(static_cast<unsigned>(*lanes), value);
}

llvm::Value* Emitter::shuffle(const tir::Shuffle& node) {
  std::vector<llvm::Value*> elements;
  for (const tir::PrimExpr& vector : node.vectors) {
    llvm::Value* value = expr(vector);
    if (!value) return nullptr;
    for (int lane = 0; lane < vector->dtype.lanes; ++lane) {
      elements.push_back(vector->dtype.lanes == 1 ? value
                                                  : builder_.CreateExtractElement(value, static_cast<uint64_t>(lane)));
    }
  }
  std::vector<llvm::Value*> picked;
  for (const tir::PrimExpr& i : node.indices) {
    const auto at = tir::asInt(i);
    if (!at || *at < 0 || *at >= static_cast<int64_t>(elements.size()))
      return refuse(node.span, "a shuffle needs constant indices within its vectors");
    picked.push_back(elements[static_cast<size_t>(*at)]);
  }
  if (picked.size() == 1) return picked[0];
  llvm::Value* result = llvm::PoisonValue::get(registerType(node.dtype));
  for (size_t lane = 0; lane < picked.size(); ++lane) result = builder_.CreateInsertElement(result, picked[lane], lane);
  return result;
}

llvm::Value* Emitter::let(const tir::Let& node) { return bind(node.var, node.value) ? expr(node.body) : nullptr; }

/// A reduction that was not made a block: loops over its axes with the accumulators in memory.
llvm::Value* Emitter::reduce(const tir::Reduce& node) {
  const tir::CommReducer& combiner = *node.combiner;
  std::vector<llvm::Value*> cells;
  for (const tir::PrimExpr& identity : combiner.identity) {
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    cells.push_back(entry.CreateAlloca(registerType(identity->dtype)));
    llvm::Value* start = expr(identity);
    if (!start) return nullptr;
    builder_.CreateStore(start, cells.back());
  }
  bool sound = true;
  std::function<void(size_t)> nest = [&](size_t axis) {
    if (axis < node.axis.size()) {
      const tir::IterVar& iter = *node.axis[axis];
      llvm::Value* first = expr(iter.dom->min);
      llvm::Value* extent = expr(iter.dom->extent);
      if (!first || !extent) return void(sound = false);
      return loop(iter.var, first, extent, [&] { nest(axis + 1); });
    }
    auto accumulate = [&] {
      for (size_t i = 0; i < cells.size(); ++i) {
        vars_[combiner.lhs[i].get()] = builder_.CreateLoad(registerType(combiner.identity[i]->dtype), cells[i]);
        vars_[combiner.rhs[i].get()] = expr(node.source[i]);
        sound = sound && vars_[combiner.rhs[i].get()];
      }
      std::vector<llvm::Value*> results;
      for (const tir::PrimExpr& result : combiner.result) results.push_back(sound ? expr(result) : nullptr);
      for (size_t i = 0; i < cells.size(); ++i) {
        sound = sound && results[i];
        if (sound) builder_.CreateStore(results[i], cells[i]);
      }
    };
    llvm::Value* condition = node.condition ? expr(node.condition) : nullptr;
    condition ? ifThen(condition, accumulate) : accumulate();
  };
  nest(0);
  const auto index = static_cast<size_t>(node.valueIndex);
  return sound ? builder_.CreateLoad(registerType(node.dtype), cells[index]) : nullptr;
}

}  // namespace rx::codegen
