// Cancellation: loops that may run for long look whether the run was cancelled. Which ones is a rule about their steps,
// so that a kernel that ends soon by itself never looks, and one that looks has done much in between.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/codegen/emitter.h"
#include "core/ir/reflect.h"

namespace rx::codegen {

namespace {

/// A loop of fewer steps, those of the loops in it among them, ends within a moment.
constexpr double kMany = 1 << 26;
/// Beside so many steps one look, which is a call, is not felt.
constexpr double kUnfelt = 1 << 12;
/// Steps between two looks where a loop is taken in pieces.
constexpr double kBetweenLooks = 1 << 20;
/// Steps of a `while` between two looks, a power of two.
constexpr uint32_t kBetweenSteps = 1 << 10;
/// Steps over an axis whose length only a run knows. It is bounded by memory, and so are two loops in each other over
/// axes of one tensor: they do not look. Three, as in a product, do.
constexpr double kAxis = 1 << 12;
/// Steps whose number data or a scalar say.
constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

bool Emitter::countsElements(const tir::PrimExpr& extent) const {
  bool counts = true;
  walk(*extent, Into::Parts, [&](const Node& part) {
    if (const auto* var = as<tir::Var>(&part)) counts &= counts_.contains(var);
    counts &= !isa<tir::BufferLoad>(&part);
    // Divisions by powers of two are such calls.
    if (const auto* call = as<tir::Call>(&part)) {
      const std::string_view name = intrinsicName(*call);
      counts &= name == "shift_right" || name == "shift_left" || name == "bitwise_and";
    }
    return counts;
  });
  return counts;
}

double Emitter::mostOf(const tir::PrimExpr& extent) const {
  if (const auto known = tir::asInt(extent)) return std::max(static_cast<double>(*known), 0.0);
  double most = countsElements(extent) ? kAxis : kUnknown;
  if (const auto* smaller = as<tir::Min>(extent)) {
    for (const tir::PrimExpr& side : {smaller->a, smaller->b})
      if (const auto known = tir::asInt(side)) most = std::min(most, std::max(static_cast<double>(*known), 0.0));
  }
  return most;
}

void Emitter::countSteps(const tir::Stmt& body) {
  walk(*body, Into::Parts, [&](const Node& node) {
    if (const auto* loop = as<tir::For>(&node)) counts_.insert(loop->loopVar.get());
    if (const auto* bound = as<tir::Bind>(&node); bound && countsElements(bound->value))
      counts_.insert(bound->var.get());
    return true;
  });
  const auto of = [this](const tir::Stmt& part) {
    const auto found = part ? most_.find(part.get()) : most_.end();
    return found == most_.end() ? 1.0 : found->second;
  };
  walkPostOrder(*body, Into::Parts, [&](const Node& node) {
    if (const auto* loop = as<tir::For>(&node)) {
      most_[&node] = of(loop->body) * mostOf(loop->extent);
    } else if (const auto* attr = as<tir::AttrStmt>(&node)) {
      most_[&node] = of(attr->body) * (isa<tir::IterVar>(attr->node) ? mostOf(attr->value) : 1);
    } else if (const auto* branch = as<tir::IfThenElse>(&node)) {
      most_[&node] = of(branch->thenCase) + of(branch->elseCase);
    } else if (isa<tir::While>(&node)) {
      most_[&node] = kUnknown;
    } else if (const auto* sequence = as<tir::SeqStmt>(&node)) {
      double sum = 0;
      for (const tir::Stmt& part : sequence->seq) sum += of(part);
      most_[&node] = sum;
    }
    // No steps of a loop that is not bounded.
    if (const auto made = most_.find(&node); made != most_.end() && std::isnan(made->second)) made->second = 0;
  });
}

Emitter::Looks Emitter::looksOf(const tir::For& node) const {
  const auto all = most_.find(&node);
  if (all == most_.end() || all->second < kMany) return Looks::Never;
  const auto body = most_.find(node.body.get());
  if (body != most_.end() && body->second >= kUnfelt) return Looks::EachStep;
  bool left = false;
  walk(*node.body, Into::Parts, [&](const Node& part) {
    const auto* call = as<tir::Call>(&part);
    left |= call && intrinsicName(*call) == "break_loop";
    return true;
  });
  return left ? Looks::EachStep : Looks::EachPiece;
}

void Emitter::look() {
  if (!host_) return;  // threads of a device have nobody to ask
  auto asked = host("rx_cancelled", builder_.getInt32Ty(), {builder_.getPtrTy()});
  // It tells the compiler that the accesses around need not keep their order for the call.
  if (auto* declared = llvm::dyn_cast<llvm::Function>(asked.getCallee()))
    declared->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  llvm::Value* wish = builder_.CreateCall(asked, {host_});
  const Checks around = std::exchange(checks_, Checks::Here);
  failWhen(builder_.CreateICmpNE(wish, builder_.getInt32(0)), vm::KernelFault::Cancelled, vm::kCancelledText);
  checks_ = around;
}

void Emitter::lookNowAndThen() {
  if (!host_) return;
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  llvm::Value* count = entry.CreateAlloca(entry.getInt32Ty());
  entry.CreateStore(entry.getInt32(0), count);
  llvm::Value* next = builder_.CreateAdd(builder_.CreateLoad(builder_.getInt32Ty(), count), builder_.getInt32(1));
  builder_.CreateStore(next, count);
  ifThen(builder_.CreateICmpEQ(builder_.CreateAnd(next, kBetweenSteps - 1), builder_.getInt32(0)), [&] { look(); });
}

void Emitter::inPieces(const tir::For& node, llvm::Value* first, llvm::Value* extent) {
  const auto body = most_.find(node.body.get());
  const double steps = body == most_.end() ? 1 : std::max(body->second, 1.0);
  llvm::Type* word = builder_.getInt64Ty();
  const bool isSigned = !node.loopVar->dtype.isUInt();
  // In 64 bits no end of a piece overflows: an extent of them is no number of bytes or steps that is reached.
  llvm::Value* all = builder_.CreateIntCast(extent, word, isSigned);
  if (isSigned) all = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, all, i64(0));
  llvm::Value* width = i64(static_cast<int64_t>(kBetweenLooks / steps));
  llvm::Value* rest = builder_.CreateURem(all, width);
  llvm::Value* pieces = builder_.CreateAdd(builder_.CreateUDiv(all, width),
                                           builder_.CreateZExt(builder_.CreateICmpNE(rest, i64(0)), word));
  const auto piece = make<tir::Var>(Str("piece"), DataType::Int(64));
  loop(piece, i64(0), pieces, [&] {
    look();
    llvm::Value* done = builder_.CreateMul(vars_[piece.get()], width);
    llvm::Value* count = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, width, builder_.CreateSub(all, done));
    const auto narrow = [&](llvm::Value* value) { return builder_.CreateTrunc(value, extent->getType()); };
    plainSteps(node, builder_.CreateAdd(first, narrow(done)), narrow(count));
  });
}

}  // namespace rx::codegen
