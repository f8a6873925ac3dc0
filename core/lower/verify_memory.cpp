// VerifyMemory: code of the host must not touch the memory of a GPU.
#include <fmt/format.h>

#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

class MemoryVerifier {
 public:
  explicit MemoryVerifier(const PrimFunc& function) : function_(function) {}

  std::vector<Diagnostic> run() {
    walk(*function_.body, Into::Parts, [this](const Node& node) {
      const auto* attribute = as<AttrStmt>(&node);
      if (attribute && attribute->key == "thread_extent") return false;
      if (const auto* bind = as<Bind>(&node)) values_[bind->var.get()] = bind->value.get();
      if (const auto* store = as<BufferStore>(&node)) check(*store->buffer, store->span);
      if (const auto* load = as<BufferLoad>(&node)) check(*load->buffer, load->span);
      return !isa<Buffer>(&node);
    });
    return std::move(errors_);
  }

 private:
  /// Whether the pointer is a parameter's memory: that of a buffer, or what is read out of the first parameter.
  bool isArgument(const Var* pointer) const {
    for (size_t i = 0; i < function_.params.size(); ++i) {
      const BufferRef& buffer = function_.buffers[i];
      if (buffer && buffer->data.get() == pointer) return true;
    }
    while (!function_.params.empty() && pointer != function_.params[0].get()) {
      const auto value = values_.find(pointer);
      const Call* read = value == values_.end() ? nullptr : asCallOf(PrimExpr(value->second), "tvm_struct_get");
      pointer = read ? as<Var>(read->args[0]) : nullptr;
      if (!pointer) return false;
    }
    return pointer != nullptr;
  }

  void check(const Buffer& buffer, Span span) {
    if (!isArgument(buffer.data.get())) return;
    Diagnostic error =
        errorAt(span, "lower.memory", fmt::format("host code accesses the device memory of '{}'", buffer.name.view()));
    error.fix = "bind the loops around it to threads";
    errors_.push_back(std::move(error));
  }

  const PrimFunc& function_;
  std::unordered_map<const Var*, const tir::ExprNode*> values_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Result<PrimFuncRef> verifyMemory(const PrimFuncRef& func, Scope&) {
  RX_TRY(target, targetOf(*func));
  if (!target || !target->isGpu() || ir::intAttrOf(func->attrs, "calling_conv", 0) != 0) return func;
  std::vector<Diagnostic> errors = MemoryVerifier(*func).run();
  if (!errors.empty()) return fail(std::move(errors));
  return func;
}

}  // namespace rx::lower
