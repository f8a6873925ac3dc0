// ForceNarrowIndexToInt32: every 64-bit index becomes a 32-bit one, whatever it holds. Buffers of wider integers and
// constants that do not fit are refused.
#include <fmt/format.h>

#include <limits>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/index_types.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr DataType kIndex = DataType::Int(32);
constexpr std::string_view kRule = "lower.index-range";

bool isWide(DataType type) { return type.isInt() && type.bits > 32; }

class IndexForcer : public IndexTypes {
 public:
  Result<PrimFuncRef> function(const PrimFuncRef& func) {
    // What is an index anywhere is one everywhere: the first walk only finds the variables.
    rewrite(func->body);
    searching_ = false;
    auto* copy = new PrimFunc(*func);
    const PrimFuncRef made(copy);
    std::vector<VarRef> params;
    std::vector<BufferRef> buffers;
    for (size_t i = 0; i < func->params.size(); ++i) {
      const BufferRef& buffer = func->buffers[i];
      if (buffer && isWide(buffer->dtype)) refuseBuffer("parameter", *buffer);
      buffers.push_back(buffer ? define(buffer) : nullptr);
      if (!buffer && isIndex(func->params[i]->dtype) && !isRemapped(func->params[i])) {
        remap(func->params[i], typed(func->params[i], kIndex));
      }
      params.push_back(remapped(func->params[i]));
    }
    copy->params = std::move(params);
    copy->buffers = std::move(buffers);
    auto body = run(func->body);
    if (!body) return fail(body.diagnostics());
    copy->body = *body;
    return unlessSame(func, made);
  }

 protected:
  DataType offsetType(DataType) const override { return kIndex; }
  VarRef variable(const VarRef& var) override {
    return indexed() && isIndex(var->dtype) && var->dtype != kIndex ? typed(var, kIndex) : nullptr;
  }
  PrimExpr constant(const Ref<IntImm>& number) override {
    if (number->dtype != DataType::Int(64)) return number;
    if (searching_) return intImm(number->value, kIndex);
    if (number->value > std::numeric_limits<int32_t>::max() || number->value < std::numeric_limits<int32_t>::min()) {
      refuse(std::string(kRule), fmt::format("{} does not fit an index of 32 bits", number->value), number->span);
      return number;
    }
    return intImm(number->value, kIndex);
  }
  PrimExpr conversion(const Ref<Cast>& node, PrimExpr value) override {
    if (indexed() && isIndex(node->dtype)) return value->dtype == kIndex ? value : PrimExpr(make<Cast>(kIndex, value));
    return value == node->value ? PrimExpr(node) : PrimExpr(make<Cast>(node->dtype, value));
  }

  Stmt visit(const Stmt& statement) override {
    if (const auto* block = as<Block>(statement); block && !searching_) {
      for (const BufferRef& buffer : block->allocBuffers) {
        if (isWide(buffer->dtype)) refuseBuffer("allocation", *buffer);
      }
    }
    return IndexTypes::visit(statement);
  }

 private:
  bool searching_ = true;  ///< the first walk
  static bool isIndex(DataType type) { return type.isInt() && type.bits >= 32; }
  void refuseBuffer(std::string_view what, const Buffer& buffer) {
    refuse(std::string(kRule),
           fmt::format("the {} {} holds {}, which indices of 32 bits can not compute", what, buffer.name.view(),
                       buffer.dtype.str()),
           buffer.span);
  }
};

}  // namespace

Result<PrimFuncRef> forceNarrowIndexToInt32(const PrimFuncRef& func, Scope&) { return IndexForcer().function(func); }

}  // namespace rx::lower
