// Parallel loops: the body becomes a function over a range of steps, which the host calls on its threads.
#include <llvm/Analysis/ValueTracking.h>

#include <unordered_set>

#include "core/codegen/emitter.h"
#include "core/codegen/line_marks.h"
#include "core/ir/reflect.h"

namespace rx::codegen {

namespace {

/// What the statement mentions: variables, and buffers with everything that their addresses are computed from.
struct Mentioned {
  std::vector<const Node*> nodes;  ///< each once, in the order of the text

  explicit Mentioned(const tir::Stmt& body) {
    walk(*body, Into::Parts, [&](const Node& node) {
      note(node);
      if (const auto* load = as<tir::BufferLoad>(&node)) add(*load->buffer);
      if (const auto* store = as<tir::BufferStore>(&node)) add(*store->buffer);
      if (const auto* declared = as<tir::DeclBuffer>(&node)) add(*declared->buffer);
      return true;
    });
  }

 private:
  void note(const Node& node) {
    if (isa<tir::Var>(&node)) noteOnce(&node);
  }
  void noteOnce(const Node* node) {
    if (known_.insert(node).second) nodes.push_back(node);
  }
  void add(const tir::Buffer& buffer) {
    noteOnce(&buffer);
    noteOnce(buffer.data.get());
    auto all = [&](const tir::PrimExpr& expr) {
      if (expr) {
        walk(*expr, Into::Parts, [&](const Node& node) {
          note(node);
          return true;
        });
      }
    };
    for (const tir::PrimExpr& extent : buffer.shape) all(extent);
    for (const tir::PrimExpr& stride : buffer.strides) all(stride);
    all(buffer.elemOffset);
  }
  std::unordered_set<const Node*> known_;
};

/// Whether each step writes elements of its own, as far as the text shows it: every store to memory from outside of the
/// loop has an index that depends on the step. A loop that sums into one place does not; it runs in order.
class OwnElements {
 public:
  explicit OwnElements(const tir::For& loop) {
    depends_.insert(loop.loopVar.get());
    walk(*loop.body, Into::Parts, [&](const Node& node) {
      if (const auto* bind = as<tir::Bind>(&node); bind && dependent(bind->value)) depends_.insert(bind->var.get());
      if (const auto* alloc = as<tir::AllocBuffer>(&node)) inside_.insert(alloc->buffer->data.get());
      if (const auto* alloc = as<tir::Allocate>(&node)) inside_.insert(alloc->var.get());
      if (const auto* store = as<tir::BufferStore>(&node)) look(*store);
      return true;
    });
  }
  bool holds() const { return holds_; }

 private:
  bool dependent(const tir::PrimExpr& expr) const {
    bool found = false;
    walk(*expr, Into::Parts, [&](const Node& node) {
      found = found || depends_.contains(&node);
      return !found;
    });
    return found;
  }
  void look(const tir::BufferStore& store) {
    if (inside_.contains(store.buffer->data.get())) return;
    bool own = false;
    for (const tir::PrimExpr& index : store.indices) own = own || dependent(index);
    holds_ = holds_ && own;
  }

  std::unordered_set<const Node*> depends_, inside_;
  bool holds_ = true;
};

}  // namespace

/// What of the surrounding function a body sees: values that are arguments of the new function.
struct Emitter::Captured {
  std::vector<llvm::Value*> values;
  std::vector<llvm::Type*> types;
  std::unordered_map<llvm::Value*, unsigned> places;

  void add(llvm::Value* value) {
    if (!value || llvm::isa<llvm::Constant>(value)) return;
    if (!places.emplace(value, static_cast<unsigned>(values.size())).second) return;
    values.push_back(value);
    types.push_back(value->getType());
  }

  /// What the function around knows of its own arguments, and of the memory that it took, is true of those of the new
  /// function, too: that numbers are not negative, and that nothing but this pointer leads to its memory, unless
  /// another that is captured does.
  void describe(llvm::Function& made, unsigned first, const std::unordered_set<const llvm::Value*>& own) const {
    std::unordered_map<const llvm::Value*, int> pointers;
    for (const llvm::Value* value : values)
      if (value->getType()->isPointerTy()) ++pointers[llvm::getUnderlyingObject(value)];
    for (unsigned i = 0; i < values.size(); ++i) {
      const auto* known = llvm::dyn_cast<llvm::Argument>(values[i]);
      if (known && known->hasAttribute(llvm::Attribute::Range))
        made.getArg(first + i)->addAttr(known->getAttribute(llvm::Attribute::Range));
      const bool alone = known ? known->hasNoAliasAttr() : own.contains(values[i]);
      const auto found = pointers.find(values[i]);
      if (alone && found != pointers.end() && found->second == 1)
        made.getArg(first + i)->addAttr(llvm::Attribute::NoAlias);
    }
  }
};

Emitter::Frame Emitter::frameFor(const tir::Stmt& body, Captured& captured) const {
  Frame frame;
  frame.order = Mentioned(body).nodes;
  for (const Node* node : frame.order) {
    if (const auto* var = as<tir::Var>(node)) {
      if (const auto found = vars_.find(var); found != vars_.end()) frame.vars.insert(*found);
      if (const auto found = limits_.find(var); found != limits_.end()) frame.limits.insert(*found);
    } else if (const auto found = buffers_.find(as<tir::Buffer>(node)); found != buffers_.end()) {
      frame.buffers.insert(*found);
    }
  }
  frame.each([&](llvm::Value*& value) { captured.add(value); });
  return frame;
}

llvm::Function* Emitter::outlined(const tir::For& node, llvm::Value* first, Frame frame, const Captured& captured) {
  std::vector<llvm::Type*> types{builder_.getInt64Ty(), builder_.getInt64Ty(), builder_.getPtrTy()};
  const auto given = static_cast<unsigned>(types.size());
  types.insert(types.end(), captured.types.begin(), captured.types.end());
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), types, false);
  auto* part = llvm::Function::Create(type, llvm::Function::InternalLinkage, function_->getName() + ".steps", module_);
  captured.describe(*part, given, ownMemory_);
  // The state of the function around is put aside while the part is written.
  llvm::IRBuilderBase::InsertPointGuard place(builder_);
  auto* around = std::exchange(function_, part);
  auto* host = std::exchange(host_, part->getArg(2));
  auto* result = std::exchange(result_, nullptr);
  auto allocations = std::exchange(hostAllocations_, {});
  auto targets = std::exchange(loops_, {});
  const Scratch scratch = std::exchange(scratch_, {});
  const int64_t stack = std::exchange(stackBytes_, 0), unknown = std::exchange(unknownBytes_, 0);
  auto vars = std::exchange(vars_, {});
  auto limits = std::exchange(limits_, {});
  auto buffers = std::exchange(buffers_, {});
  auto others = std::exchange(writtenByOthers_, lower::writtenBy(node.body));

  if (marks_) marks_->add(*part);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", part));
  mark(*part, node.span);
  auto load = [&](llvm::Value*& value) {
    const auto at = captured.places.find(value);
    if (at == captured.places.end()) return;
    value = part->getArg(given + at->second);
  };
  frame.each(load);
  load(first);
  vars_ = std::move(frame.vars);
  limits_ = std::move(frame.limits);
  buffers_ = std::move(frame.buffers);
  llvm::Type* index = registerType(node.loopVar->dtype);
  llvm::Value* begin = builder_.CreateTrunc(part->getArg(0), index);
  llvm::Value* count = builder_.CreateTrunc(builder_.CreateSub(part->getArg(1), part->getArg(0)), index);
  steps(node, builder_.CreateAdd(first, begin), count);
  if (streamed_) streamedStoresDone();
  builder_.CreateRet(builder_.getInt32(0));

  function_ = around;
  host_ = host;
  result_ = result;
  hostAllocations_ = std::move(allocations);
  loops_ = std::move(targets);
  scratch_ = scratch;
  stackBytes_ = stack;
  unknownBytes_ = unknown;
  vars_ = std::move(vars);
  limits_ = std::move(limits);
  buffers_ = std::move(buffers);
  writtenByOthers_ = std::move(others);
  return part;
}

llvm::Function* Emitter::calledByThreads(llvm::Function* made, llvm::StructType* record, const Span& place) {
  llvm::Type* pointer = builder_.getPtrTy();
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(),
                                       {builder_.getInt64Ty(), builder_.getInt64Ty(), pointer, pointer}, false);
  auto* part = llvm::Function::Create(type, llvm::Function::InternalLinkage, function_->getName() + ".part", module_);
  llvm::IRBuilderBase::InsertPointGuard around(builder_);
  if (marks_) marks_->add(*part);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", part));
  mark(*part, place);
  std::vector<llvm::Value*> args{part->getArg(0), part->getArg(1), part->getArg(3)};
  for (unsigned i = 0; i < record->getNumElements(); ++i)
    args.push_back(
        builder_.CreateLoad(record->getElementType(i), builder_.CreateStructGEP(record, part->getArg(2), i)));
  builder_.CreateRet(builder_.CreateCall(made, args));
  return part;
}

bool Emitter::runsInParallel(const tir::For& node) const {
  // A part of a parallel loop has no result to write; loops in it run in order, on its thread.
  return node.forKind == tir::ForKind::Parallel && options_.optLevel > 0 && result_ && OwnElements(node).holds();
}

void Emitter::parallelLoop(const tir::For& node, llvm::Value* first, llvm::Value* extent) {
  Captured captured;
  Frame frame = frameFor(node.body, captured);
  captured.add(first);
  llvm::Function* made = outlined(node, first, std::move(frame), captured);
  llvm::Value* steps = index(extent, node.loopVar->dtype);
  const auto done = [&](llvm::Value* failed) { failNoted(builder_.CreateICmpNE(failed, builder_.getInt32(0))); };
  const auto shared = [&] {
    auto* record = llvm::StructType::get(context_, captured.types);
    llvm::Function* part = calledByThreads(made, record, node.span);
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    llvm::Value* memory = entry.CreateAlloca(record);
    for (unsigned i = 0; i < captured.values.size(); ++i)
      builder_.CreateStore(captured.values[i], builder_.CreateStructGEP(record, memory, i));
    llvm::Type* pointer = builder_.getPtrTy();
    const auto run = host("rx_parallel", builder_.getInt32Ty(), {pointer, pointer, pointer, builder_.getInt64Ty()});
    done(builder_.CreateCall(run, {host_, part, memory, steps}));
  };
  if (!threadsIf_) return shared();
  ifThen(threadsIf_, shared, [&] {
    std::vector<llvm::Value*> args{i64(0), steps, host_};
    args.insert(args.end(), captured.values.begin(), captured.values.end());
    done(builder_.CreateCall(made, args));
  });
}

}  // namespace rx::codegen
