#include "core/codegen/loop_turns.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "core/codegen/assembly_text.h"

namespace rx::codegen {

namespace {

std::vector<llvm::BasicBlock*> headersOf(llvm::Function& function) {
  std::vector<llvm::BasicBlock*> headers;
  if (function.isDeclaration()) return headers;
  const llvm::DominatorTree tree(function);
  const llvm::LoopInfo loops(tree);
  // In the order of the text, which does not depend on how loops are found.
  for (llvm::BasicBlock& block : function)
    if (loops.isLoopHeader(&block)) headers.push_back(&block);
  return headers;
}

}  // namespace

void numberLoops(llvm::Module& module) {
  size_t count = 0;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock* header : headersOf(function)) header->setName(fmt::format("{}{}", kLoopName, count++));
}

void countTurns(llvm::Module& module, std::vector<uint64_t>& turns) {
  struct Counter {
    llvm::BasicBlock* header;
    llvm::AllocaInst* own;  // of a call: threads do not wait for each other in every turn
  };
  std::vector<std::vector<Counter>> functions;
  turns.clear();
  for (llvm::Function& function : module) {
    std::vector<Counter>& counters = functions.emplace_back();
    for (llvm::BasicBlock* header : headersOf(function)) counters.push_back({header, nullptr});
    turns.resize(turns.size() + counters.size());
  }
  uint64_t* place = turns.data();
  auto counted = functions.begin();
  llvm::IRBuilder<> builder(module.getContext());
  llvm::IntegerType* number = builder.getInt64Ty();
  for (llvm::Function& function : module) {
    std::vector<Counter>& counters = *counted++;
    if (counters.empty()) continue;
    for (Counter& counter : counters) {
      builder.SetInsertPoint(&function.getEntryBlock(), function.getEntryBlock().begin());
      counter.own = builder.CreateAlloca(number);
      builder.SetInsertPoint(counter.own->getNextNode());
      builder.CreateStore(llvm::ConstantInt::get(number, 0), counter.own);
      builder.SetInsertPoint(counter.header, counter.header->getFirstInsertionPt());
      llvm::Value* before = builder.CreateLoad(number, counter.own);
      builder.CreateStore(builder.CreateAdd(before, llvm::ConstantInt::get(number, 1)), counter.own);
    }
    for (llvm::BasicBlock& block : function) {
      auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (!end) continue;
      builder.SetInsertPoint(end);
      for (size_t i = 0; i < counters.size(); ++i) {
        llvm::Constant* address = llvm::ConstantInt::get(number, reinterpret_cast<uint64_t>(place + i));
        builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, llvm::ConstantExpr::getIntToPtr(address, builder.getPtrTy()),
                                builder.CreateLoad(number, counters[i].own), llvm::MaybeAlign(8),
                                llvm::AtomicOrdering::Monotonic);
      }
    }
    place += counters.size();
  }
}

}  // namespace rx::codegen
