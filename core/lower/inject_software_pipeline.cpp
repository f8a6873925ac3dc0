// InjectSoftwarePipeline: loops whose annotations give their statements stages run these stages side by side, those of
// one step of the loop in several steps of the new one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/software_pipeline.h"
#include "core/lower/ssa.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kStage = "software_pipeline_stage", kOrder = "software_pipeline_order",
                           kAsync = "software_pipeline_async_stages", kDouble = "double_buffer_scope";

std::optional<std::vector<int64_t>> numbersOf(const NodeRef& value) {
  const auto* list = as<ir::ArrayAttr>(value);
  if (!list) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const NodeRef& item : list->items) {
    const auto* number = as<ir::IntAttr>(item);
    const auto* imm = as<IntImm>(item);
    if (!number && !imm) return std::nullopt;
    numbers.push_back(number ? number->value : imm->value);
  }
  return numbers;
}

class Injector : public CheckedRewriter {
 public:
  explicit Injector(const PrimFunc& function) {
    for (const BufferRef& buffer : function.buffers) {
      if (buffer) known_[buffer->data.get()] = buffer;
    }
  }

 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    if (auto block = refAs<Block>(statement)) return ofBlock(block);
    auto loop = refAs<For>(statement);
    if (!loop || (!ir::attrOf(loop->annotations, kStage) && !ir::attrOf(loop->annotations, kOrder)))
      return parts(statement);
    return ofLoop(cast<For>(parts(statement)));
  }

 private:
  Stmt ofBlock(const Ref<Block>& block) {
    for (const BufferRef& buffer : block->allocBuffers) known_[buffer->data.get()] = buffer;
    if (ir::attrOf(block->annotations, kDouble)) {
      const int64_t index = ir::intAttrOf(block->annotations, kDouble, -1);
      if (index < 0 || index >= static_cast<int64_t>(block->writes.size())) {
        refuse("lower.pipeline", fmt::format("the block {} writes no buffer {}", block->name.view(), index),
               block->span);
      } else {
        doubled_.push_back(block->writes[static_cast<size_t>(index)]->buffer);
      }
    }
    Stmt made = parts(block);
    for (const BufferRef& buffer : block->allocBuffers) known_.erase(buffer->data.get());
    return made;
  }

  Stmt refused(const Ref<For>& loop, std::string message) {
    refuse("lower.pipeline", std::move(message), loop->span);
    return loop;
  }

  Stmt ofLoop(const Ref<For>& loop) {
    const auto stages = numbersOf(ir::attrOf(loop->annotations, kStage));
    const auto orders = numbersOf(ir::attrOf(loop->annotations, kOrder));
    if (!stages || !orders) return refused(loop, "a software pipeline has both stages and orders, lists of numbers");
    const NodeRef marked = ir::attrOf(loop->annotations, kAsync);
    const auto async = marked ? numbersOf(marked) : std::vector<int64_t>();
    if (!async) return refused(loop, "the asynchronous stages of a software pipeline are a list of numbers");
    SoftwarePipeline pipeline;
    pipeline.loop = loop;
    pipeline.doubled = doubled_;
    pipeline.annotations = loop->annotations;
    for (const std::string_view key : {kStage, kOrder, kAsync}) {
      pipeline.annotations = ir::withoutAttr(pipeline.annotations, key);
    }
    if (pipeline.annotations && pipeline.annotations->size() == 0) pipeline.annotations = nullptr;
    Stmt body = loop->body;
    if (const auto* realize = as<BlockRealize>(body)) {
      body = realize->block->body;
      take(pipeline, *realize->block);
    }
    const auto* list = as<SeqStmt>(body);
    if (!list) return refused(loop, "the body of a software pipeline is a sequence of statements");
    for (const Stmt& part : list->seq) addSteps(pipeline, part);
    if (stages->size() != pipeline.steps.size() || orders->size() != pipeline.steps.size()) {
      return refused(loop, fmt::format("a software pipeline of {} statements has {} stages and {} orders",
                                       pipeline.steps.size(), stages->size(), orders->size()));
    }
    for (size_t i = 0; i < stages->size(); ++i) {
      pipeline.steps[i].stage = (*stages)[i];
      pipeline.steps[i].order = (*orders)[i];
      pipeline.steps[i].async = std::find(async->begin(), async->end(), (*stages)[i]) != async->end();
    }
    if (!isValid(pipeline)) return loop;
    auto made = pipelined(pipeline, known_);
    for (const BufferRef& buffer : pipeline.allocations) known_.erase(buffer->data.get());
    if (made) return *made;
    for (const Diagnostic& error : made.diagnostics()) refuse(error.rule, error.message, error.span);
    return loop;
  }

  void take(SoftwarePipeline& pipeline, const Block& block) {
    for (const BufferRef& buffer : block.allocBuffers) {
      pipeline.allocations.push_back(buffer);
      known_[buffer->data.get()] = buffer;
    }
  }

  /// A statement of the body, or those of a block of several that has no predicate.
  void addSteps(SoftwarePipeline& pipeline, const Stmt& part) {
    const auto* realize = as<BlockRealize>(part);
    const auto* inner = realize && arith::isOne(realize->predicate) ? as<SeqStmt>(realize->block->body) : nullptr;
    if (!inner) {
      pipeline.steps.push_back({blockOf(part, known_)});
      return;
    }
    take(pipeline, *realize->block);
    for (const Stmt& nested : inner->seq) pipeline.steps.push_back({blockOf(nested, known_)});
  }

  /// Every statement has an order of its own, and what one makes is used by none before it.
  bool isValid(const SoftwarePipeline& pipeline) {
    std::set<int64_t> orders;
    const Span span = pipeline.loop->span;
    for (const PipelineStep& step : pipeline.steps) {
      if (orders.insert(step.order).second) continue;
      refuse("lower.pipeline", "two statements of a software pipeline have the same order", span);
      return false;
    }
    std::unordered_map<const Var*, std::vector<const PipelineStep*>> writers;
    for (const PipelineStep& step : pipeline.steps) {
      for (const auto& read : step.block->reads) {
        for (const PipelineStep* writer : writers[read->buffer->data.get()]) {
          if (writer->stage < step.stage || (writer->stage == step.stage && writer->order < step.order)) continue;
          refuse("lower.pipeline",
                 fmt::format("a statement of a software pipeline reads {} before it is written",
                             read->buffer->name.view()),
                 span);
          return false;
        }
      }
      for (const auto& write : step.block->writes) writers[write->buffer->data.get()].push_back(&step);
    }
    return true;
  }

  BufferByPointer known_;
  std::vector<BufferRef> doubled_;
};

}  // namespace

Result<PrimFuncRef> injectSoftwarePipeline(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Injector(*func).run(func->body));
  return withBody(func, body == func->body ? body : toSsa(body));
}

}  // namespace rx::lower
