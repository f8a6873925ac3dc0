// Forms of a kernel, as rules make them for some sizes: each is compiled as a kernel of its own, so that a run sets up
// the registers and the memory of the one that it needs alone. The entry asks which that is and jumps there.
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "core/codegen/emitter.h"
#include "core/lower/own_code.h"

namespace rx::codegen {

namespace {
/// Instructions of a form, before it is optimised, that are little code.
constexpr unsigned kMostInEntry = 256;
}  // namespace

std::optional<Emitter::Forms> Emitter::formsOf(const tir::Stmt& body) {
  Forms found;
  if (const auto* sequence = as<tir::SeqStmt>(body)) {
    found.ahead = sequence->seq.vector();
  } else {
    found.ahead.push_back(body);
  }
  if (found.ahead.empty()) return std::nullopt;
  found.choice = found.ahead.back();
  found.ahead.pop_back();
  const auto isName = [](const tir::Stmt& part) { return isa<tir::DeclBuffer>(part) || isa<tir::Bind>(part); };
  if (!isa<tir::IfThenElse>(found.choice) || !std::ranges::all_of(found.ahead, isName)) return std::nullopt;
  std::vector<std::pair<tir::Stmt, Sizes>> open{{found.choice, {}}};
  while (!open.empty()) {
    const auto [part, sizes] = std::move(open.back());
    open.pop_back();
    if (const auto* branch = as<tir::IfThenElse>(part)) {
      open.emplace_back(branch->elseCase, sizes);
      open.emplace_back(branch->thenCase, sizes);
      const auto* equal = as<tir::EQ>(branch->condition);
      const auto number = equal ? tir::asInt(equal->b) : std::nullopt;
      if (number && isa<tir::Var>(equal->a)) open.back().second[equal->a.get()] = *number;
    } else if (const auto* attr = as<tir::AttrStmt>(part); attr && attr->key == lower::kOwnCode) {
      found.forms.push_back({attr, sizes});
    } else {
      return std::nullopt;
    }
  }
  return found;
}

void Emitter::kernelOfForms(const std::string& name, const lower::Signature& signature, const Forms& forms) {
  auto* entry = newEntry(name, llvm::Function::ExternalLinkage);
  std::unordered_map<const Node*, llvm::Function*> made;
  for (const Forms::Form& form : forms.forms) {
    std::vector<tir::Stmt> parts = forms.ahead;
    parts.push_back(form.statement->body);
    llvm::Function* function = newEntry(name + ".form", llvm::Function::InternalLinkage);
    forget();
    kernelOf(function, signature, parts, form.sizes);
    // Of the one that is asked for first, little code is in the entry, without a jump.
    if (!made.empty() || function_->getInstructionCount() > kMostInEntry)
      function->addFnAttr(llvm::Attribute::NoInline);
    made[form.statement] = function;
  }
  forms_ = std::move(made);
  forget();
  function_ = entry;
  takeParams(signature, unpacked(*entry, signature));
  for (const tir::Stmt& part : forms.ahead) stmt(part);
  stmt(forms.choice);
  builder_.CreateRet(builder_.getInt32(0));
  // What is asked first comes to its form first: that does the least. A table of jumps takes longer than it does.
  entry->addFnAttr("no-jump-tables", "true");
  for (llvm::BasicBlock& block : *entry) {
    auto* asks = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (asks && asks->isConditional())
      asks->setMetadata(llvm::LLVMContext::MD_prof, llvm::MDBuilder(context_).createBranchWeights(4, 1));
  }
}

void Emitter::forget() {
  vars_ = {};
  limits_ = {};
  buffers_ = {};
  scratch_ = {};
  stackBytes_ = unknownBytes_ = 0;
}

void Emitter::endBy(llvm::Function& form) {
  std::vector<llvm::Value*> args;
  for (llvm::Argument& arg : function_->args()) args.push_back(&arg);
  llvm::CallInst* call = builder_.CreateCall(&form, args);
  // A jump, where that is known to be one on the processor.
  const llvm::Triple triple(module_.getTargetTriple());
  call->setTailCallKind(triple.isX86() || triple.isAArch64() ? llvm::CallInst::TCK_MustTail : llvm::CallInst::TCK_Tail);
  returnCode(call);
}

}  // namespace rx::codegen
