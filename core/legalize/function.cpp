#include "core/legalize/function.h"

#include <unordered_set>

#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::te {

using namespace tir;

namespace {

/// Buffers that an expression reads, those in indices before the buffer itself.
void buffersRead(const PrimExpr& e, std::vector<const Buffer*>& out) {
  walkPostOrder(*e, Into::Parts, [&](const Node& node) {
    if (const auto* load = as<BufferLoad>(&node)) out.push_back(load->buffer.get());
  });
}

class FunctionMaker {
 public:
  explicit FunctionMaker(const Graph& graph) : graph_(graph) {}

  PrimFuncRef make(const std::vector<std::variant<Tensor, VarRef>>& params, const std::vector<Tensor>& outputs) {
    std::vector<VarRef> vars;
    std::vector<BufferRef> buffers;
    std::unordered_set<const Buffer*> given;
    for (const auto& param : params) {
      if (const auto* scalar = std::get_if<VarRef>(&param)) {
        vars.push_back(*scalar);
        buffers.push_back(nullptr);
        continue;
      }
      const BufferRef& buffer = std::get<Tensor>(param).buffer;
      vars.push_back(rx::make<Var>(Str("var_" + buffer->name.string()), DataType::Handle(), nullptr));
      buffers.push_back(buffer);
      given.insert(buffer.get());
    }
    for (const Tensor& output : outputs) order(graph_.stageOf(output.buffer.get()));
    std::vector<Stmt> body;
    std::vector<BufferRef> allocated;
    for (const Stage* stage : order_) {
      if (stage->kind == StageKind::Param) continue;
      for (const Tensor& t : stage->outputs) {
        if (!given.contains(t.buffer.get())) allocated.push_back(t.buffer);
      }
      body.push_back(stage->kind == StageKind::Extern ? externBlock(*stage) : computeNest(*stage));
    }
    if (allocated.empty() && body.size() == 1 && order_.back()->kind == StageKind::Extern) {
      // A lone block of statements is the root itself.
      return finish(vars, buffers, body.front());
    }
    Block root;
    root.name = "root";
    root.allocBuffers = Array<BufferRef>(std::move(allocated));
    root.body = seq(body);
    Stmt whole = rx::make<BlockRealize>(Array<PrimExpr>(), boolImm(true), rx::make<Block>(root));
    return finish(vars, buffers, whole);
  }

 private:
  static PrimFuncRef finish(std::vector<VarRef> vars, std::vector<BufferRef> buffers, const Stmt& whole) {
    std::vector<std::pair<Str, NodeRef>> attrs{{"tirx.noalias", ir::boolAttr(true)}};
    return rx::make<PrimFunc>(Array<VarRef>(std::move(vars)), Array<BufferRef>(std::move(buffers)), whole, nullptr,
                              rx::make<ir::DictAttrs>(attrs));
  }

  /// Appends the stage after all that it reads, in the order in which it reads them.
  void order(const Stage* root) {
    struct Frame {
      const Stage* stage;
      std::vector<const Buffer*> reads;
      size_t next = 0;
    };
    std::vector<Frame> open;
    auto enter = [&](const Stage* stage) {
      if (!stage || !seen_.insert(stage).second) return;
      Frame frame{stage, {}, 0};
      for (const Tensor& t : stage->inputs) frame.reads.push_back(t.buffer.get());
      for (const PrimExpr& e : stage->body) buffersRead(e, frame.reads);
      open.push_back(std::move(frame));
    };
    enter(root);
    while (!open.empty()) {
      Frame& top = open.back();
      if (top.next < top.reads.size()) {
        enter(graph_.stageOf(top.reads[top.next++]));
        continue;
      }
      order_.push_back(top.stage);
      open.pop_back();
    }
  }

  struct Nest {
    std::vector<VarRef> loops;
    std::vector<PrimExpr> extents;
    std::vector<IterRef> iters;
    std::vector<PrimExpr> bindings;
    arith::VarMap toBlock;  ///< stage axis -> block iteration variable
    arith::VarMap toLoop;   ///< stage axis -> loop variable
  };

  void addAxis(Nest& nest, const IterRef& axis, IterType type) {
    DataType dtype = axis->var->dtype;
    auto loop = rx::make<Var>(axis->var->name, dtype);
    auto inner = rx::make<Var>(Str("v_" + axis->var->name.string()), dtype);
    // How far a window reaches may depend on where it is: on a loop further out.
    PrimExpr extent = analyzer_.simplify(arith::substitute(axis->dom->extent, nest.toLoop));
    nest.loops.push_back(loop);
    nest.extents.push_back(extent);
    nest.iters.push_back(rx::make<IterVar>(rx::make<Range>(axis->dom->min, extent), inner, type));
    nest.bindings.push_back(loop);
    nest.toBlock[axis->var.get()] = inner;
    nest.toLoop[axis->var.get()] = loop;
  }

  Stmt closeNest(const Nest& nest, Block block) {
    Regions regions = accessRegions(block.init, block.body);
    block.reads = regions.reads;
    block.writes = regions.writes;
    block.iterVars = Array<IterRef>(nest.iters);
    Stmt body = rx::make<BlockRealize>(Array<PrimExpr>(nest.bindings), boolImm(true), rx::make<Block>(block));
    for (size_t i = nest.loops.size(); i-- > 0;) {
      PrimExpr zero = intImm(0, nest.loops[i]->dtype);
      body = rx::make<For>(nest.loops[i], zero, nest.extents[i], ForKind::Serial, body);
    }
    return body;
  }

  PrimExpr inBlock(const Nest& nest, const PrimExpr& e) {
    return analyzer_.simplify(arith::substitute(e, nest.toBlock));
  }

  Stmt computeNest(const Stage& stage) {
    Nest nest;
    for (const IterRef& axis : stage.axes) addAxis(nest, axis, IterType::DataPar);
    const auto* reduce = as<Reduce>(stage.body.front());
    if (reduce) {
      for (const IterRef& axis : reduce->axis) addAxis(nest, axis, IterType::CommReduce);
    }
    if (nest.iters.empty()) {
      // The variable of a lone block takes the type of the indices in it, or of what is cast to 64 bits.
      DataType type = DataType::Int(indexes(stage) ? 64 : 32);
      nest.iters.push_back(rx::make<IterVar>(rx::make<Range>(intImm(0, type), intImm(1, type)),
                                             rx::make<Var>(Str("vi"), type), IterType::DataPar));
      nest.bindings.push_back(i64(0));
    }
    std::vector<PrimExpr> target;
    for (const IterRef& axis : stage.axes) target.push_back(nest.toBlock[axis->var.get()]);
    if (stage.writeMap) {
      target = stage.writeMap(target);
      arith::Analyzer ranged;
      arith::VarMap single;
      for (const IterRef& iter : nest.iters) {
        // A variable of one value keeps its name, except in sums.
        auto extent = asInt(iter->dom->extent);
        if (extent && *extent > 0) ranged.setBound(iter->var, {0, *extent - 1});
        if (extent == 1) single[iter->var.get()] = intImm(0, iter->var->dtype);
      }
      for (PrimExpr& e : target) e = ranged.simplify(isa<Var>(e) ? e : arith::substitute(e, single));
    }
    Block block;
    block.name = stage.name;
    block.annotations = stage.attrs;
    if (reduce) {
      reduceBody(stage, *reduce, nest, target, block);
    } else {
      PrimExpr value = inBlock(nest, stage.body.front());
      block.body = rx::make<BufferStore>(stage.outputs.front().buffer, value, Array<PrimExpr>(target));
    }
    return closeNest(nest, std::move(block));
  }

  static bool indexes(const Stage& stage) {
    bool found = false;
    for (const PrimExpr& e : stage.body) {
      walk(*e, Into::Parts, [&](const Node& node) {
        const auto* load = as<BufferLoad>(&node);
        const auto* wide = as<tir::Cast>(&node);
        found = found || (load && !load->indices.empty()) || (wide && wide->dtype == DataType::Int(64));
        return !found && !isa<Buffer>(&node);
      });
    }
    return found;
  }

  void reduceBody(const Stage& stage, const Reduce& reduce, const Nest& nest, const std::vector<PrimExpr>& target,
                  Block& block) {
    Array<PrimExpr> indices(target);
    const CommReducer& combiner = *reduce.combiner;
    arith::VarMap operands;
    std::vector<Stmt> inits, updates, stores;
    size_t count = stage.outputs.size();
    for (size_t i = 0; i < count; ++i) {
      const Tensor& out = stage.outputs[i];
      PrimExpr identity = reduce.init.empty() ? combiner.identity[i] : reduce.init[i];
      inits.push_back(rx::make<BufferStore>(out.buffer, identity, indices));
      operands[combiner.lhs[i].get()] = rx::make<BufferLoad>(out.buffer, indices, out.dtype());
      operands[combiner.rhs[i].get()] = inBlock(nest, reduce.source[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      const Tensor& out = stage.outputs[i];
      PrimExpr value = arith::substitute(combiner.result[i], operands);
      if (count == 1) {
        updates.push_back(rx::make<BufferStore>(out.buffer, value, indices));
        continue;
      }
      auto kept = rx::make<Var>(Str("v_" + out.buffer->name.string()), value->dtype);
      updates.push_back(rx::make<Bind>(kept, value));
      stores.push_back(rx::make<BufferStore>(out.buffer, kept, indices));
    }
    updates.insert(updates.end(), stores.begin(), stores.end());
    block.init = seq(inits);
    block.body = seq(updates);
  }

  Stmt externBlock(const Stage& stage) {
    Block block;
    block.name = stage.name;
    block.annotations = stage.attrs;
    block.body = stage.statement;
    return rx::make<BlockRealize>(Array<PrimExpr>(), boolImm(true), rx::make<Block>(block));
  }

  const Graph& graph_;
  arith::Analyzer analyzer_;
  std::unordered_set<const Stage*> seen_;
  std::vector<const Stage*> order_;
};

}  // namespace

PrimFuncRef makeFunction(const Graph& graph, const std::vector<std::variant<Tensor, VarRef>>& params,
                         const std::vector<Tensor>& outputs) {
  return FunctionMaker(graph).make(params, outputs);
}

}  // namespace rx::te
