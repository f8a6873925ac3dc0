#include "core/transform/fused_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/analysis/forward_graph.h"
#include "core/build/module_context.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/lower/fresh.h"
#include "core/op/rules.h"
#include "core/support/stack.h"
#include "core/transform/kernel_symbols.h"

namespace rx::transform {

namespace {

using relax::Expr;
using tir::BufferRef;
using tir::PrimExpr;
using Buffers = std::vector<BufferRef>;

/// The buffers that a value of this StructInfo stands for.
size_t countTensors(const relax::StructInfo& info) {
  const auto* tuple = as<relax::TupleStructInfo>(info);
  if (!tuple) return 1;
  size_t count = 0;
  for (const relax::StructInfo& field : tuple->items) count += countTensors(field);
  return count;
}

/// Of each output, the parameter of the kernel that holds it.
std::vector<size_t> outputPositions(const relax::Call& call, size_t inputs, size_t outputs) {
  std::vector<size_t> positions;
  const auto* inplace = as<ir::ArrayAttr>(ir::attrOf(call.attrs, "inplace_indices"));
  size_t next = inputs;
  for (size_t i = 0; i < outputs; ++i) {
    const auto* index = inplace && i < inplace->items.size() ? as<ir::IntAttr>(inplace->items[i]) : nullptr;
    positions.push_back(index && index->value >= 0 ? static_cast<size_t>(index->value) : next++);
  }
  return positions;
}

/// Whether two buffers whose elements lie one behind the other are one but for how their sizes are said, which what
/// both are given has to fit anyway.
bool differInSizes(const tir::Buffer& a, const tir::Buffer& b) {
  const auto isPlain = [](const tir::Buffer& buffer) {
    const auto* offset = as<tir::IntImm>(buffer.elemOffset);
    return buffer.strides.empty() && (!buffer.elemOffset || (offset && offset->value == 0)) && !buffer.autoBroadcast;
  };
  return isPlain(a) && isPlain(b) && a.dtype == b.dtype && a.scope() == b.scope() &&
         a.shape.size() == b.shape.size() && a.dataAlignment == b.dataAlignment && a.offsetFactor == b.offsetFactor &&
         a.axisSeparators.empty() && b.axisSeparators.empty() && structuralEqual(a.layout, b.layout);
}

}  // namespace

void eachKernelBuffer(const relax::Function& function, const ir::IRModule& module,
                      const std::function<void(const Node& value, const tir::BufferRef& buffer, Span span)>& note) {
  for (const relax::BlockRef& block : function.body->blocks) {
    for (const relax::Binding& binding : block->bindings) {
      const auto* bound = as<relax::VarBinding>(binding);
      const auto* call = bound ? as<relax::Call>(bound->value) : nullptr;
      const tir::PrimFunc* kernel = call ? analysis::kernelOf(*call, module) : nullptr;
      if (!kernel) continue;
      const auto at = [&](const Node& value, size_t position) {
        const BufferRef buffer = position < kernel->buffers.size() ? kernel->buffers[position] : nullptr;
        if (buffer) note(value, buffer, call->span);
      };
      const Array<Expr>& args = analysis::kernelArguments(*call);
      for (size_t i = 0; i < args.size(); ++i) at(*args[i], i);
      at(*binding->var, outputPositions(*call, args.size(), 1)[0]);
    }
  }
}

namespace {

class KernelFuser {
 public:
  explicit KernelFuser(const ir::IRModule& module) : module_(module) {}

  Result<FusedKernel> run(const relax::Function& function) {
    RX_CHECK(noteKernelBuffers(function));
    for (const relax::VarRef& param : function.params) RX_CHECK(addParameter(*param));
    for (const relax::BlockRef& block : function.body->blocks) {
      for (const relax::Binding& binding : block->bindings) RX_CHECK(addBinding(*binding));
    }
    const std::optional<Buffers> results = buffersOf(function.body->body);
    if (!results || results->empty()) return refused(function.span, "the function gives no tensor");
    FusedKernel out;
    out.inplace = addOutputs(*results);
    params_.insert(params_.end(), scalars_.begin(), scalars_.end());
    buffers_.resize(params_.size());
    out.function = construct(*results);
    return out;
  }

 private:
  /// Of each variable that a kernel reads or writes, the buffer of the kernel. All of them have to agree: a parameter
  /// lies where the kernel wants it.
  Result<Unit> noteKernelBuffers(const relax::Function& function) {
    Result<Unit> agreed = Unit{};
    eachKernelBuffer(function, module_, [&](const Node& value, const BufferRef& buffer, Span span) {
      const auto [known, isNew] = kernelBuffer_.try_emplace(&value, buffer);
      if (agreed && !isNew && !structuralEqual(known->second, buffer) && !differInSizes(*known->second, *buffer))
        agreed = refused(span, "two kernels, or two parameters of one, declare different buffers for one value");
    });
    return agreed;
  }

  Result<Unit> addParameter(const relax::Var& param) {
    Buffers& made = buffersOf_[&param];
    if (const Array<PrimExpr>* shape = op::dimsOf(param.sinfo)) {
      made.push_back(parameterBuffer(param, *shape));
      params_.push_back(make<tir::Var>(Str(fmt::format("p_{}", param.name.view())), DataType::Handle()));
      buffers_.push_back(made.back());
      return Unit{};
    }
    std::vector<PrimExpr> values;
    if (const auto* prim = as<relax::PrimStructInfo>(param.sinfo); prim && prim->value) values.push_back(prim->value);
    if (const auto* shape = as<relax::ShapeStructInfo>(param.sinfo); shape && shape->known) {
      values = shape->values.vector();
    } else if (values.empty()) {
      return refused(param.span,
                     fmt::format("{} is no tensor of known shape, no scalar and no shape", param.name.view()));
    }
    for (const PrimExpr& value : values) {
      auto symbol = refAs<tir::Var>(value);
      if (!symbol) return refused(param.span, fmt::format("{} is no plain symbol", param.name.view()));
      scalars_.push_back(std::move(symbol));
    }
    return Unit{};
  }

  BufferRef parameterBuffer(const relax::Var& param, const Array<PrimExpr>& shape) const {
    const auto known = kernelBuffer_.find(&param);
    auto* buffer = new tir::Buffer();
    buffer->dtype = as<relax::TensorStructInfo>(param.sinfo)->dtype;
    buffer->shape = shape;
    buffer->name = param.name;
    Str scope("global");
    if (known != kernelBuffer_.end()) {
      scope = Str(known->second->scope());
      buffer->axisSeparators = known->second->axisSeparators;
    }
    buffer->data = tir::bufferPointer(buffer->dtype, param.name, scope);
    return BufferRef(buffer);
  }

  Result<Unit> addBinding(const relax::BindingNode& binding) {
    const auto* bound = as<relax::VarBinding>(&binding);
    if (!bound) return refused(binding.span, "a fused function has no match_cast");
    if (const auto* call = as<relax::Call>(bound->value)) {
      const tir::PrimFunc* kernel = analysis::kernelOf(*call, module_);
      if (!kernel) return refused(call->span, "only kernels can be fused, by call_tir and call_tir_inplace");
      return addKernel(*call, *kernel, buffersOf_[binding.var.get()]);
    }
    std::optional<Buffers> value = buffersOf(bound->value);
    if (!value) return refused(binding.span, fmt::format("{} is no result of a kernel", binding.var->name.view()));
    buffersOf_[binding.var.get()] = std::move(*value);
    return Unit{};
  }

  /// What a variable, tuple or field of a tuple stands for.
  std::optional<Buffers> buffersOf(const Expr& expr) const {
    if (const auto* tuple = as<relax::Tuple>(expr)) {
      Buffers all;
      for (const Expr& field : tuple->items) {
        const std::optional<Buffers> some = withStack([&] { return buffersOf(field); });
        if (some) all.insert(all.end(), some->begin(), some->end());
      }
      return all;
    }
    if (const auto* field = as<relax::TupleGetItem>(expr)) {
      const std::optional<Buffers> all = withStack([&] { return buffersOf(field->tuple); });
      const auto* info = as<relax::TupleStructInfo>(field->tuple->sinfo);
      if (!all || !info || field->index >= static_cast<int64_t>(info->items.size())) return std::nullopt;
      size_t begin = 0;
      for (int64_t i = 0; i < field->index; ++i) begin += countTensors(info->items[static_cast<size_t>(i)]);
      const size_t count = countTensors(info->items[static_cast<size_t>(field->index)]);
      if (begin + count > all->size()) return std::nullopt;
      const auto first = all->begin() + static_cast<std::ptrdiff_t>(begin);
      return Buffers(first, first + static_cast<std::ptrdiff_t>(count));
    }
    const auto known = buffersOf_.find(expr.get());
    return known == buffersOf_.end() ? std::nullopt : std::optional(known->second);
  }

  Result<Unit> addKernel(const relax::Call& call, const tir::PrimFunc& original, Buffers& results) {
    const tir::PrimFuncRef kernel = lower::freshCopy(tir::PrimFuncRef(&original));
    const auto* root = as<tir::BlockRealize>(kernel->body);
    if (!root) return refused(call.span, "only kernels that are one block can be fused");
    allocated_.insert(allocated_.end(), root->block->allocBuffers.begin(), root->block->allocBuffers.end());
    bodies_.push_back(root->block->body);
    const Array<Expr>& args = analysis::kernelArguments(call);
    RX_CHECK(mapInputs(call, *kernel, args));
    RX_CHECK(makeOutputs(call, *kernel, args.size(), results));
    const auto* symbols = call.args.size() > 2 ? as<relax::ShapeExpr>(call.args[2]) : nullptr;
    if (!symbols) return Unit{};
    if (symbols->values.size() > kernel->params.size()) return refused(call.span, "the kernel has fewer parameters");
    const size_t first = kernel->params.size() - symbols->values.size();
    for (size_t i = 0; i < symbols->values.size(); ++i) {
      if (!symbols_.match(kernel->params[first + i], symbols->values[i])) return mismatch(call);
    }
    return Unit{};
  }

  Result<Unit> mapInputs(const relax::Call& call, const tir::PrimFunc& kernel, const Array<Expr>& args) {
    for (size_t i = 0; i < args.size(); ++i) {
      const std::optional<Buffers> given = buffersOf(args[i]);
      const bool fits = given && given->size() == 1 && i < kernel.buffers.size() && kernel.buffers[i];
      if (!fits) return refused(call.span, "an argument is no tensor of the function");
      const BufferRef& actual = given->front();
      if (!symbols_.match(kernel.buffers[i]->shape, actual->shape)) return mismatch(call);
      substitute_[kernel.buffers[i].get()] = actual;
    }
    return Unit{};
  }

  Result<Unit> makeOutputs(const relax::Call& call, const tir::PrimFunc& kernel, size_t inputs, Buffers& results) {
    const relax::StructInfo& info = call.sinfoArgs.empty() ? call.sinfo : call.sinfoArgs[0];
    const auto* tuple = as<relax::TupleStructInfo>(info);
    const std::vector<relax::StructInfo> outputs = tuple ? tuple->items.vector() : std::vector{info};
    const std::vector<size_t> positions = outputPositions(call, inputs, outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Array<PrimExpr>* shape = op::dimsOf(outputs[i]);
      if (!shape || positions[i] >= kernel.buffers.size() || !kernel.buffers[positions[i]]) {
        return refused(call.span, "an output has no known shape or is no buffer of the kernel");
      }
      const BufferRef& declared = kernel.buffers[positions[i]];
      if (positions[i] < inputs) {
        results.push_back(substitute_.at(declared.get()));
        continue;
      }
      auto* made = new tir::Buffer(*declared);
      made->shape = *shape;
      made->name = names_.fresh(fmt::format("{}_intermediate", declared->name.view()));
      results.push_back(BufferRef(made));
      allocated_.push_back(results.back());
      if (!symbols_.match(declared->shape, made->shape)) return mismatch(call);
      substitute_[declared.get()] = results.back();
    }
    return Unit{};
  }

  /// Parameters for the results that are in none yet; which parameter holds each, where that is not so of all.
  std::vector<int64_t> addOutputs(const Buffers& results) {
    std::vector<int64_t> inplace;
    bool any = false;
    const size_t inputs = params_.size();
    for (const BufferRef& result : results) {
      const auto input = std::find(buffers_.begin(), buffers_.begin() + static_cast<std::ptrdiff_t>(inputs), result);
      const bool isInput = input != buffers_.begin() + static_cast<std::ptrdiff_t>(inputs);
      inplace.push_back(isInput ? input - buffers_.begin() : -1);
      any = any || isInput;
      if (isInput) continue;
      params_.push_back(make<tir::Var>(Str(fmt::format("p_output{}", params_.size() - inputs)), DataType::Handle()));
      buffers_.push_back(result);
    }
    return any ? inplace : std::vector<int64_t>();
  }

  tir::PrimFuncRef construct(const Buffers& results) const {
    std::vector<BufferRef> inside;
    for (const BufferRef& buffer : allocated_) {
      if (std::find(results.begin(), results.end(), buffer) == results.end()) inside.push_back(buffer);
    }
    auto* block = new tir::Block();
    const Ref<tir::Block> root(block);
    block->name = Str("root");
    block->allocBuffers = Array<BufferRef>(std::move(inside));
    block->body = tir::seq(bodies_);
    auto whole = make<tir::BlockRealize>(Array<PrimExpr>(), make<tir::IntImm>(DataType::Bool(), 1), root);
    const ir::Attrs attrs = ir::withAttr(nullptr, Str("tirx.noalias"), ir::boolAttr(true));
    // Another copy: a symbol of the function must not be one of the kernel's, too.
    return lower::freshCopy(make<tir::PrimFunc>(Array<tir::VarRef>(params_), Array<BufferRef>(buffers_),
                                                cast<tir::StmtNode>(substituted(whole)), nullptr, attrs));
  }

  NodeRef substituted(const NodeRef& body) const {
    build::NameSupply names;
    auto pre = [&](const NodeRef& node) -> NodeRef {
      const auto buffer = isa<tir::Buffer>(node) ? substitute_.find(node.get()) : substitute_.end();
      if (buffer != substitute_.end()) return buffer->second;
      const auto* symbol = as<tir::Var>(node);
      const auto value = symbol ? symbols_.values().find(symbol) : symbols_.values().end();
      return value == symbols_.values().end() ? nullptr : NodeRef(value->second);
    };
    auto post = [&](const NodeRef& node) -> NodeRef {
      const auto* block = as<tir::Block>(node);
      if (!block) return node;
      auto* made = new tir::Block(*block);
      const Ref<tir::Block> kept(made);
      made->name = names.fresh(block->name.view());
      made->reads = firstOfEach(block->reads);
      made->writes = firstOfEach(block->writes);
      return kept;
    };
    return rewriteNodes(body, Into::Parts, pre, post);
  }

  /// Two buffers of a kernel may have become one: its first region stands for both.
  static Array<Ref<tir::BufferRegion>> firstOfEach(const Array<Ref<tir::BufferRegion>>& regions) {
    std::unordered_set<const tir::Buffer*> seen;
    std::vector<Ref<tir::BufferRegion>> kept;
    for (const auto& region : regions) {
      if (seen.insert(region->buffer.get()).second) kept.push_back(region);
    }
    return kept.size() == regions.size() ? regions : Array<Ref<tir::BufferRegion>>(std::move(kept));
  }

  static Failure refused(Span span, std::string message) {
    return fail(errorAt(span, "pass.fused-kernel", std::move(message)));
  }
  static Failure mismatch(const relax::Call& call) {
    return refused(call.span, "the kernel declares another shape than it is given");
  }

  const ir::IRModule& module_;
  std::unordered_map<const Node*, BufferRef> kernelBuffer_;
  std::unordered_map<const Node*, Buffers> buffersOf_;  ///< of parameters and bound variables
  std::vector<tir::VarRef> params_, scalars_;
  Buffers buffers_;  ///< of params_
  Buffers allocated_;
  std::vector<tir::Stmt> bodies_;
  std::unordered_map<const Node*, BufferRef> substitute_;  ///< by buffer of a kernel
  KernelSymbols symbols_;
  build::NameSupply names_;
};

}  // namespace

Result<FusedKernel> fuseKernels(const relax::Function& function, const ir::IRModule& module) {
  return KernelFuser(module).run(function);
}

}  // namespace rx::transform
