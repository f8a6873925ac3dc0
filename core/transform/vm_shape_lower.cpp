// VMShapeLower: symbolic shapes at run time. Every distinct symbolic expression gets a slot in a shape heap; parameters
// and match_casts are checked and store their dimensions; dependent expressions are computed by host functions
// (`shape_func`); shapes and scalars that the body needs are made from the heap.
#include <fmt/format.h>

#include "core/arith/equal.h"
#include "core/pass/options.h"
#include "core/script/print.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"
#include "core/transform/shape_slots.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

/// Codes of vm.builtin.match_shape and match_prim_value.
enum MatchCode : int64_t { kEqualsImmediate = 0, kStore = 1, kSkip = 2, kEqualsLoaded = 3 };
/// Codes of vm.builtin.make_shape and make_prim_value.
enum MakeCode : int64_t { kUseImmediate = 0, kLoad = 1 };

/// A value whose dimensions (or whose scalar) are still to be matched.
struct MatchItem {
  Expr input;
  std::vector<PrimExpr> pattern;
  bool scalar = false;
  std::string where;
};

StructInfo heapSinfo() { return make<relax::TensorStructInfo>(DataType::Int(64), int64_t{1}); }

class ShapeLowerer : public build::Mutator {
 public:
  ShapeLowerer(build::ModuleContext& module, bool errorContext)
      : Mutator("VMShapeLower", &module), module_(module), errorContext_(errorContext) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    if (function_) {  // it would need a heap of its own
      builder.report(errorAt(function->span, "pass.local-function",
                             "shapes of local functions can not be lowered: LambdaLift has to run before"));
      return function;
    }
    slots_ = std::make_unique<ShapeSlots>(*function);
    function_ = function;
    return Mutator::visitFunction(function);
  }

  /// The function's own sequence begins with the heap and the checks of the parameters and ends with the check of the
  /// result; what a branch stores is not known after it.
  relax::SeqRef visitSeq(const relax::SeqRef& seq) override {
    std::vector<bool> before = slots_->snapshot();
    relax::SeqRef branch = Mutator::visitSeq(seq);
    slots_->restore(before);
    return branch;
  }

  Expr visitBody(const relax::SeqRef& body) override {
    emitHeap();
    matchParams();
    for (const relax::BlockRef& block : body->blocks) visitBlock(block);
    Expr result = builder.normalizeArgument(visit(body->body));
    matchResult(result);
    return result;
  }

  Expr visitShapeExpr(const Ref<relax::ShapeExpr>& shape) override {
    if (allConstant(shape->values)) return shape;
    std::vector<Expr> args{heap_, primInt(static_cast<int64_t>(shape->values.size()))};
    for (const PrimExpr& value : shape->values) appendMake(args, value);
    // Each kernel's buffer has such a call: what they have in common is shared.
    Array<StructInfo>& infos = shapeInfos_[shape->values.size()];
    if (infos.empty()) infos = {make<relax::ShapeStructInfo>(static_cast<int64_t>(shape->values.size()))};
    return make<relax::Call>(makeShape_, Array<Expr>(std::move(args)), nullptr, infos);
  }

  Expr visitPrimValue(const Ref<relax::PrimValue>& node) override {
    if (isa<tir::IntImm>(node->value) || isa<tir::FloatImm>(node->value)) return node;
    std::vector<Expr> args{heap_};
    appendMake(args, node->value);
    return callPacked("vm.builtin.make_prim_value", std::move(args), {make<relax::PrimStructInfo>(node->value)});
  }

  void visitMatchCast(const Ref<relax::MatchCast>& binding) override {
    Expr value = builder.normalizeArgument(visit(binding->value));
    std::vector<MatchItem> items;
    std::string where =
        fmt::format("ErrorContext(match_cast, struct_info={}) ", script::printStructInfo(binding->structInfo));
    check(binding->structInfo, value, false, false, where, items);
    runMatches(std::move(items));
    recast(binding, value);
  }

 private:
  void emitHeap() {
    if (slots_->size() == 0) {
      heap_ = builder.emit(op::makeCall("relax.null_value", {}), builder.names().fresh("shape_heap"));
      return;
    }
    Expr size = make<relax::Tuple>(Array<Expr>{primInt(static_cast<int64_t>(slots_->size()))});
    Expr builtin = make<relax::ExternFunc>("vm.builtin.alloc_shape_heap");
    auto call = make<relax::Call>(op::opRef("relax.call_builtin_with_ctx"), Array<Expr>{builtin, size}, nullptr,
                                  Array<StructInfo>{heapSinfo()});
    heap_ = builder.emit(call, builder.names().fresh("shape_heap"));
  }

  void matchParams() {
    int64_t inputs = ir::intAttrOf(function_->attrs, "num_input", static_cast<int64_t>(function_->params.size()));
    const std::string_view name = functionName();
    std::vector<MatchItem> items;
    for (size_t i = 0; i < function_->params.size(); ++i) {
      const relax::VarRef& param = function_->params[i];
      std::string where = fmt::format("ErrorContext(fn={}, loc=param[{}], param={}, annotation={}) ", name, i,
                                      param->name.view(), script::printStructInfo(param->sinfo));
      // Weights with static shapes come from the compiled package itself.
      check(param->sinfo, param, true, static_cast<int64_t>(i) >= inputs, where, items);
    }
    runMatches(std::move(items));
  }

  void matchResult(const Expr& result) {
    std::vector<MatchItem> items;
    std::string where = fmt::format("ErrorContext(fn={}, loc=return, annotation={}) ",
                                    functionName(), script::printStructInfo(function_->retSinfo));
    check(function_->retSinfo, result, false, false, where, items);
    runMatches(std::move(items));
  }

  std::string_view functionName() const {
    for (const auto& [var, function] : module_.entries()) {
      if (function == ir::BaseFunc(function_)) return var->name.view();
    }
    return "main";
  }

  Expr context(const std::string& where) const {
    return textImm(errorContext_ ? std::string_view(where) : std::string_view());
  }

  /// Emits the checks of category, rank and type, and notes what has dimensions to match. `always`: even where the
  /// value's own StructInfo proves it (a caller's promise is not a proof). `dynamicOnly`: static shapes are trusted.
  void check(const StructInfo& info, const Expr& value, bool always, bool dynamicOnly, const std::string& where,
             std::vector<MatchItem>& items) {
    if (!always && value->sinfo && op::isBaseOf(info, value->sinfo, builder.context())) return;
    if (const auto* tensor = as<relax::TensorStructInfo>(info))
      return checkTensor(*tensor, value, always, dynamicOnly, where, items);
    if (const auto* shape = as<relax::ShapeStructInfo>(info))
      return checkShape(*shape, value, always, dynamicOnly, where, items);
    if (const auto* prim = as<relax::PrimStructInfo>(info)) return checkPrim(*prim, value, always, where, items);
    if (const auto* tuple = as<relax::TupleStructInfo>(info))
      return checkTuple(*tuple, value, always, dynamicOnly, where, items);
    if (isa<relax::FuncStructInfo>(info) && (always || !isa<relax::FuncStructInfo>(value->sinfo))) {
      emitVoid(builder, callPacked("vm.builtin.check_func_info", {bound(value), context(where)}, {relax::voidSinfo()}));
    }
  }

  bool known(const StructInfo& info, const Expr& value, bool always) {
    return !always && value->sinfo && op::isBaseOf(info, value->sinfo, builder.context());
  }

  void note(const Expr& value, std::span<const PrimExpr> pattern, bool dynamicOnly, const std::string& where,
            std::vector<MatchItem>& items) {
    if (dynamicOnly && allConstant(pattern)) return;
    items.push_back({value, std::vector<PrimExpr>(pattern.begin(), pattern.end()), false, where});
  }

  void checkTensor(const relax::TensorStructInfo& info, const Expr& value, bool always, bool dynamicOnly,
                   const std::string& where, std::vector<MatchItem>& items) {
    const auto* shape = as<relax::ShapeExpr>(info.shape);
    if (dynamicOnly && shape && allConstant(shape->values)) return;
    if (!known(make<relax::TensorStructInfo>(info.dtype, info.ndim), value, always)) {
      emitVoid(builder, callPacked("vm.builtin.check_tensor_info",
                                   {bound(value), primInt(info.ndim), typeImm(info.dtype), context(where)},
                                   {relax::voidSinfo()}));
    }
    if (shape) note(value, shape->values, dynamicOnly, where, items);
  }

  void checkShape(const relax::ShapeStructInfo& info, const Expr& value, bool always, bool dynamicOnly,
                  const std::string& where, std::vector<MatchItem>& items) {
    if (!known(make<relax::ShapeStructInfo>(info.ndim), value, always)) {
      emitVoid(builder, callPacked("vm.builtin.check_shape_info", {bound(value), primInt(info.ndim), context(where)},
                                   {relax::voidSinfo()}));
    }
    if (info.known) note(value, info.values, dynamicOnly, where, items);
  }

  void checkPrim(const relax::PrimStructInfo& info, const Expr& value, bool always, const std::string& where,
                 std::vector<MatchItem>& items) {
    if (!known(make<relax::PrimStructInfo>(info.dtype), value, always)) {
      emitVoid(builder, callPacked("vm.builtin.check_prim_value_info",
                                   {bound(value), typeImm(info.dtype), context(where)}, {relax::voidSinfo()}));
    }
    if (info.value) items.push_back({value, {info.value}, true, where});
  }

  void checkTuple(const relax::TupleStructInfo& info, const Expr& value, bool always, bool dynamicOnly,
                  const std::string& where, std::vector<MatchItem>& items) {
    const auto* have = as<relax::TupleStructInfo>(value->sinfo);
    bool sameCount = have && have->items.size() == info.items.size();
    if (always || !sameCount) {
      emitVoid(builder, callPacked("vm.builtin.check_tuple_info",
                                   {bound(value), primInt(static_cast<int64_t>(info.items.size())), context(where)},
                                   {relax::voidSinfo()}));
    }
    for (size_t i = 0; i < info.items.size(); ++i) {
      check(info.items[i], fieldOf(value, i, sameCount ? have : nullptr), always, dynamicOnly, where, items);
    }
  }

  /// A field, or the call that gives it; bound where it is used first.
  static Expr fieldOf(const Expr& value, size_t index, const relax::TupleStructInfo* info) {
    if (const auto* literal = as<relax::Tuple>(value)) return literal->items[index];
    const auto at = static_cast<int64_t>(index);
    if (info) return make<relax::TupleGetItem>(value, at, info->items[index]);
    auto get = make<relax::ExternFunc>("vm.builtin.tuple_getitem");
    return make<relax::Call>(get, Array<Expr>{value, primInt(at)}, nullptr, Array<StructInfo>{relax::objectSinfo()},
                             relax::objectSinfo());
  }

  /// The variable of a field, bound now if it was not.
  Expr bound(const Expr& value) {
    const auto* get = as<relax::TupleGetItem>(value);
    if (!get && !isa<relax::Call>(value)) return value;
    Expr& var = fields_[value];
    if (!var) {
      Expr made = value;
      if (get) made = make<relax::TupleGetItem>(bound(get->tuple), get->index, get->sinfo);
      var = builder.emit(made);
    }
    return var;
  }

  /// Matches what can be matched, computes what became computable, then matches the rest.
  void runMatches(std::vector<MatchItem> items) {
    std::vector<MatchItem> rest = matchRound(items, false);
    computeReady();
    matchRound(rest, true);
  }

  std::vector<MatchItem> matchRound(const std::vector<MatchItem>& items, bool last) {
    std::vector<MatchItem> rest;
    for (const MatchItem& item : items) {
      std::vector<std::pair<int64_t, int64_t>> codes;
      bool skipped = false, useful = false;
      for (const PrimExpr& dim : item.pattern) {
        codes.push_back(matchCode(dim, last));
        skipped |= codes.back().first == kSkip;
        useful |= codes.back().first != kSkip;
      }
      if (skipped) rest.push_back(item);
      if (useful) emitMatch(item, codes);
    }
    return rest;
  }

  std::pair<int64_t, int64_t> matchCode(const PrimExpr& dim, bool last) {
    if (std::optional<int64_t> constant = tir::asInt(dim)) return {kEqualsImmediate, *constant};
    size_t index = slots_->indexOf(dim);
    ShapeSlot& slot = (*slots_)[index];
    if (slot.computed) return {kEqualsLoaded, static_cast<int64_t>(index)};
    if (slot.isVar) {
      slots_->store(index);
      return {kStore, static_cast<int64_t>(index)};
    }
    if (last) {
      builder.report(
          errorAt(function_->span, "pass.undefined-symbol",
                  fmt::format("{} is needed here, but a variable in it has no value yet", script::printPrimExpr(dim))));
      slot.computed = true;  // said once
    }
    return {kSkip, 0};
  }

  void emitMatch(const MatchItem& item, const std::vector<std::pair<int64_t, int64_t>>& codes) {
    std::vector<Expr> args{bound(item.input), heap_};
    if (!item.scalar) args.push_back(primInt(static_cast<int64_t>(codes.size())));
    for (auto [code, value] : codes) {
      args.push_back(primInt(code));
      args.push_back(primInt(value));
    }
    args.push_back(context(item.where));
    const char* builtin = item.scalar ? "vm.builtin.match_prim_value" : "vm.builtin.match_shape";
    emitVoid(builder, callPacked(builtin, std::move(args), {relax::voidSinfo()}));
  }

  /// Adds a host function that stores all slots that can be computed now, and calls it.
  void computeReady() {
    std::vector<size_t> ready = slots_->takeReady();
    if (ready.empty()) return;
    emitVoid(builder, make<relax::Call>(module_.add(shapeFunction(ready), "shape_func", true), Array<Expr>{heap_}));
    for (size_t index : ready) (*slots_)[index].computed = true;
  }

  tir::PrimFuncRef shapeFunction(const std::vector<size_t>& ready) const {
    auto pointer = make<tir::PointerType>(make<tir::PrimType>(DataType::Int(64)), Str("global"));
    auto* buffer = new tir::Buffer();
    buffer->data = make<tir::Var>("H", DataType::Handle(), pointer);
    buffer->dtype = DataType::Int(64);
    buffer->shape = {tir::intImm(static_cast<int64_t>(slots_->size()))};
    buffer->name = "H";
    tir::BufferRef heap(buffer);
    auto param = make<tir::Var>("H", DataType::Handle());
    auto slotIndex = [](size_t i) { return tir::intImm(static_cast<int64_t>(i)); };
    std::vector<tir::Stmt> stores;
    for (size_t index : ready) {
      arith::VarMap loads;
      for (size_t need : (*slots_)[index].needs) {
        loads[as<tir::Var>((*slots_)[need].expr)] =
            make<tir::BufferLoad>(heap, Array<PrimExpr>{slotIndex(need)}, DataType::Int(64));
      }
      PrimExpr value = arith::substitute((*slots_)[index].expr, loads);
      if (value->dtype != DataType::Int(64)) value = make<tir::Cast>(DataType::Int(64), value);
      stores.push_back(make<tir::BufferStore>(heap, value, Array<PrimExpr>{slotIndex(index)}));
    }
    auto attrs = ir::withAttr(nullptr, "tirx.is_host_func", ir::boolAttr(true));
    return make<tir::PrimFunc>(Array<tir::VarRef>{param}, Array<tir::BufferRef>{heap}, tir::seq(stores), tir::Type(),
                               attrs);
  }

  void appendMake(std::vector<Expr>& args, const PrimExpr& value) {
    if (std::optional<int64_t> constant = tir::asInt(value)) {
      args.push_back(primInt(kUseImmediate));
      args.push_back(primInt(*constant));
      return;
    }
    size_t index = slots_->indexOf(value);
    if (!(*slots_)[index].computed) {
      builder.report(
          errorAt(function_->span, "pass.undefined-symbol",
                  fmt::format("{} is used before its variables have a value", script::printPrimExpr(value))));
      (*slots_)[index].computed = true;  // said once
    }
    args.push_back(primInt(kLoad));
    args.push_back(primInt(static_cast<int64_t>(index)));
  }

  build::ModuleContext& module_;
  bool errorContext_;
  relax::FunctionRef function_;
  std::unique_ptr<ShapeSlots> slots_;
  Expr heap_;
  const Expr makeShape_ = make<relax::ExternFunc>("vm.builtin.make_shape");
  std::unordered_map<size_t, Array<StructInfo>> shapeInfos_;  ///< by rank
  std::unordered_map<Expr, Expr> fields_;                     ///< fields that a check used, and their variables
};

}  // namespace

Result<ir::Module> vmShapeLower(const ir::Module& module, const ir::Attrs& options, pass::PassContext& pass) {
  bool errorContext = pass::flagOf(options, "emit_err_ctx");
  return build::mutateFunctions(module, pass.cancel, [&](build::ModuleContext& context) {
    return std::make_unique<ShapeLowerer>(context, errorContext);
  });
}

}  // namespace rx::transform
