#include "core/lower/pointer_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"
#include "core/script/print.h"
#include "core/support/stack.h"
#include "core/tensor/element.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kPackedCalls[] = {"tvm_call_packed", "tvm_call_cpacked"};
/// What calls by name what is not of the module, and no function that checks its arguments.
constexpr std::string_view kOutside[] = {"call_extern", "call_pure_extern", "call_llvm_intrin", "call_llvm_pure_intrin",
                                         "call_spirv_pure_glsl450"};

class PointerChecker : public Rewriter {
 public:
  explicit PointerChecker(const PrimFunc& function) {
    for (size_t i = 0; i < function.params.size(); ++i) {
      know(function.params[i]);
      if (function.buffers[i]) know(function.buffers[i]->data);
    }
  }

  Result<Unit> run(const Stmt& body) {
    (void)rewrite(body);
    if (!errors_.empty()) return fail(std::move(errors_));
    return Unit{};
  }

 protected:
  /// In the order of the text: a definition is met before its uses, and ends with the statement that holds it.
  Stmt visit(const Stmt& statement) override {
    if (const auto* branch = as<IfThenElse>(statement)) {
      (void)rewrite(branch->condition);
      for (const Stmt& side : {branch->thenCase, branch->elseCase}) scoped([&] { (void)rewrite(side); });
    } else if (isa<SeqStmt>(statement) || isa<For>(statement) || isa<While>(statement) || isa<AttrStmt>(statement)) {
      scoped([&] { (void)parts(statement); });
    } else {
      (void)parts(statement);
      look(*statement);
    }
    return statement;
  }
  NodeRef enter(const NodeRef& node) override {
    look(*node);
    return nullptr;
  }

 private:
  void know(const VarRef& pointer) {
    if (known_.insert(pointer.get()).second) defined_.push_back(pointer.get());
  }
  template <class F>
  void scoped(F&& inside) {
    const size_t before = defined_.size();
    inside();
    for (size_t i = before; i < defined_.size(); ++i) known_.erase(defined_[i]);
    defined_.resize(before);
  }

  void refuse(Span span, std::string message) {
    errors_.push_back(errorAt(span, "tir.pointer-limit", std::move(message)));
  }

  /// Numbers of other types have no form that all who run a kernel know.
  static bool isHostType(DataType type) {
    if (!type.isFloat()) return type.isHandle() || type.isVoid() || type.bits <= 64;
    const bool known = type.code == TypeCode::Float && (type.bits == 32 || type.bits == 64);
    return known || smallFloatFormat(type.element());
  }

  void look(const Node& node) {
    if (isa<ExprNode>(&node)) {
      const auto& part = static_cast<const ExprNode&>(node);
      if (!isHostType(part.dtype)) {
        errors_.push_back(
            errorAt(part.span, "tir.host-type", fmt::format("no host computes with {}", part.dtype.str())));
      }
    }
    if (const auto* allocation = as<AllocBuffer>(&node)) know(allocation->buffer->data);
    if (const auto* allocation = as<Allocate>(&node)) know(allocation->var);
    // A declaration over a pointer that nothing made is an allocation of its own.
    if (const auto* view = as<DeclBuffer>(&node)) know(view->buffer->data);
    if (const auto* bind = as<Bind>(&node)) defined(bind->var, bind->value);
    if (const auto* let = as<Let>(&node)) defined(let->var, let->value);
    if (const auto* load = as<BufferLoad>(&node)) access(*load->buffer, load->indices, load->span);
    if (const auto* store = as<BufferStore>(&node)) access(*store->buffer, store->indices, store->span);
    if (const auto* cast = as<tir::Cast>(&node)) number(cast->value, cast->dtype, cast->span);
    if (const auto* shuffle = as<Shuffle>(&node)) lanes(*shuffle);
    if (const auto* both = as<BinaryNode>(&node)) number(both->a, both->dtype, both->span);
    if (const auto* call = as<tir::Call>(&node)) look(*call);
  }

  void defined(const VarRef& var, const PrimExpr& value) {
    if (!var->dtype.isHandle()) {
      if (value->dtype.isHandle()) refuse(value->span, "a pointer is no number");
      return;
    }
    pointer(value);
    know(var);
  }

  void access(const Buffer& buffer, const Array<PrimExpr>& indices, Span span) {
    for (const PrimExpr& index : indices) {
      if (!index->dtype.isIntegral()) refuse(span, fmt::format("an index is an integer, not {}", index->dtype.str()));
    }
    if (indices.size() != buffer.shape.size()) {
      errors_.push_back(errorAt(
          span, "tir.index-count",
          fmt::format("{} has {} dimensions, not {}", buffer.name.view(), buffer.shape.size(), indices.size())));
    }
    if (!isHostType(buffer.dtype)) {
      errors_.push_back(errorAt(span, "tir.host-type", fmt::format("no host computes with {}", buffer.dtype.str())));
    }
    if (buffer.dtype.isHandle()) refuse(span, "memory holds no pointers: nothing says what they would point at");
    if (!known_.contains(buffer.data.get()))
      refuse(span, fmt::format("the buffer {} has no memory here", buffer.name.view()));
  }

  void lanes(const Shuffle& shuffle) {
    int64_t count = 0;
    for (const PrimExpr& vector : shuffle.vectors) count += vector->dtype.lanes;
    for (const PrimExpr& index : shuffle.indices) {
      const auto lane = asInt(index);
      if (lane && *lane >= 0 && *lane < count) continue;
      errors_.push_back(errorAt(shuffle.span, "tir.lanes",
                                fmt::format("a shuffle picks lanes of its {} by constant numbers", count)));
    }
  }

  void number(const PrimExpr& value, DataType to, Span span) {
    if (value->dtype.isHandle() || to.isHandle()) refuse(span, "a pointer is no number, and no number is a pointer");
  }

  void look(const tir::Call& call) {
    const op::TirIntrinsic* row = calledIntrinsic(&call);
    const std::string_view name = row ? row->name : std::string_view();
    if (std::ranges::find(kPackedCalls, name) != std::end(kPackedCalls)) return packed(call);
    if (std::ranges::find(kOutside, name) != std::end(kOutside)) {
      errors_.push_back(
          errorAt(call.span, "tir.outside-call",
                  fmt::format("{} calls what is no part of the module, and nothing checks what that accesses", name)));
    }
    if (name == "reinterpret" && call.args.size() == 1) number(call.args[0], call.dtype, call.span);
    if (name == "isnullptr" && call.args.size() == 1) pointer(call.args[0]);
    if (name == "ret" && call.args.size() == 1) number(call.args[0], call.args[0]->dtype, call.span);
    if (name == "address_of" || name == "tvm_access_ptr") pointer(PrimExpr(&call));
    if ((name == "tvm_stack_make_array" || name == "tvm_stack_make_shape") && !placed_.contains(&call))
      refuse(call.span, fmt::format("{} stands in the arguments of packed calls only", name));
  }

  void packed(const tir::Call& call) {
    for (const PrimExpr& arg : call.args) {
      const auto* array = asCallOf(arg, "tvm_stack_make_array");
      if (array && array->args.size() == 6) {
        placed_.insert(array);
        arrayArgument(*array);
      } else if (arg->dtype.isHandle() && !isa<StringImm>(arg)) {
        refuse(arg->span.known() ? arg->span : call.span, "a raw pointer can not be handed to a packed function");
      }
    }
  }

  /// data, shape, strides (0: compact), rank, an element that shows the type, offset in elements
  void arrayArgument(const tir::Call& array) {
    pointer(array.args[0]);
    const auto* shape = asCallOf(array.args[1], "tvm_stack_make_shape");
    if (!shape) return refuse(array.span, "the sizes of an array are given by tvm_stack_make_shape");
    placed_.insert(shape);
    if (asInt(array.args[3]) != static_cast<int64_t>(shape->args.size())) {
      refuse(array.span, fmt::format("the rank of this array is the number of its sizes, {}", shape->args.size()));
    }
    if (asInt(array.args[2]) != 0) refuse(array.span, "an array with strides can not be handed to a packed function");
    if (array.args[4]->dtype.isHandle()) refuse(array.span, "an array holds no pointers");
  }

  void pointer(const PrimExpr& value) {
    withStack([&] { pointerHere(value); });
  }

  void pointerHere(const PrimExpr& value) {
    if (const auto* var = as<Var>(value); var && known_.contains(var)) return;
    if (const auto* choice = as<Select>(value)) return both(choice->trueValue, choice->falseValue);
    if (const auto* let = as<Let>(value)) {
      defined(let->var, let->value);
      return pointer(let->body);
    }
    if (const auto* call = asCallOf(value, "if_then_else"); call && call->args.size() == 3)
      return both(call->args[1], call->args[2]);
    if (const auto* call = asCallOf(value, "address_of"); call && call->args.size() == 1) {
      const auto* element = as<BufferLoad>(call->args[0]);
      if (!element || element->predicate || element->dtype.lanes != element->buffer->dtype.lanes)
        refuse(call->span, "address_of takes one element of a buffer");
      return;
    }
    if (const auto* call = asCallOf(value, "tvm_access_ptr"); call && call->args.size() == 5)
      return pointer(call->args[1]);
    // What is made of a number is refused as such.
    if (isa<tir::Cast>(value) || asCallOf(value, "reinterpret")) return;
    refuse(value->span, fmt::format("nothing says how much memory lies behind {}", script::printNode(*value)));
  }

  void both(const PrimExpr& yes, const PrimExpr& no) {
    pointer(yes);
    pointer(no);
  }

  std::unordered_set<const Node*> known_, placed_;
  std::vector<const Node*> defined_;  ///< what is known, in the order of the text
  std::vector<Diagnostic> errors_;
};

}  // namespace

Result<Unit> checkPointers(const PrimFunc& function) { return PointerChecker(function).run(function.body); }

}  // namespace rx::lower
