// Statements, and the two functions of a kernel: the entry that unpacks the arguments, and the body.
#include "core/codegen/emitter.h"
#include "core/codegen/line_marks.h"
#include "core/ir/shared_loops.h"
#include "core/lower/streamed_stores.h"
#include "core/support/stack.h"

namespace rx::codegen {

namespace {
/// What the binder of arguments lets through.
llvm::Attribute rangeOfAxes(llvm::LLVMContext& context) {
  const llvm::APInt none(64, 0), beyond(64, static_cast<uint64_t>(vm::kLongestAxis) + 1);
  return llvm::Attribute::get(context, llvm::Attribute::Range, llvm::ConstantRange(none, beyond));
}
}  // namespace

Emitter::Emitter(llvm::Module& module, const lower::HostKernel& kernel, const KernelOptions& options, LineMarks* marks)
    : module_(module),
      context_(module.getContext()),
      builder_(context_),
      kernel_(kernel),
      options_(options),
      marks_(marks) {}

Result<Unit> Emitter::run(const std::string& name, const lower::Signature& signature) {
  const tir::PrimFunc& primFunc = *signature.function();
  if (const auto forms = formsOf(primFunc.body)) {
    kernelOfForms(name, signature, *forms);
  } else {
    kernelOf(newEntry(name, llvm::Function::ExternalLinkage), signature, std::span(&primFunc.body, 1));
  }
  if (marks_) marks_->finish();
  if (!diagnostics_.empty()) return fail(diagnostics_);
  return Unit{};
}

llvm::Function* Emitter::newEntry(const std::string& name, llvm::Function::LinkageTypes linkage) {
  llvm::Type* pointer = builder_.getPtrTy();
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, pointer, pointer, pointer, pointer}, false);
  return llvm::Function::Create(type, linkage, name, module_);
}

std::vector<llvm::Value*> Emitter::unpacked(llvm::Function& entry, const lower::Signature& signature) {
  if (marks_) marks_->add(entry);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", &entry));
  mark(entry, signature.function()->span);
  std::vector<llvm::Value*> args;
  const auto element = [&](unsigned list, llvm::Type* type, size_t i) {
    return builder_.CreateLoad(type, builder_.CreateConstGEP1_64(type, entry.getArg(list), i));
  };
  size_t taken[3] = {};
  for (const vm::KernelParam& param : signature.params()) {
    llvm::Type* type = param.place == vm::KernelPlace::Buffer ? static_cast<llvm::Type*>(builder_.getPtrTy())
                       : param.place == vm::KernelPlace::Int  ? builder_.getInt64Ty()
                                                              : builder_.getDoubleTy();
    const auto list = static_cast<unsigned>(param.place);
    args.push_back(element(list, type, taken[list]++));
  }
  for (size_t i = 0; i < signature.symbols().size(); ++i)
    args.push_back(element(1, builder_.getInt64Ty(), taken[1] + i));
  args.push_back(entry.getArg(3));
  args.push_back(entry.getArg(4));
  return args;
}

void Emitter::kernelOf(llvm::Function* entry, const lower::Signature& signature, std::span<const tir::Stmt> parts,
                       const Sizes& sizes) {
  const tir::PrimFunc& primFunc = *signature.function();
  const std::vector<llvm::Value*> given = unpacked(*entry, signature);
  std::vector<llvm::Type*> types;
  for (const llvm::Value* value : given) types.push_back(value->getType());
  auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), types, false);
  function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, entry->getName() + ".body", module_);
  if (marks_) marks_->add(*function_);
  builder_.CreateRet(builder_.CreateCall(function_, given));

  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  mark(*function_, primFunc.span);
  std::vector<llvm::Value*> args;
  for (llvm::Argument& arg : function_->args()) args.push_back(&arg);
  for (size_t i = 0; i < signature.symbols().size(); ++i) {
    const auto known = sizes.find(signature.symbols()[i].get());
    if (known != sizes.end()) args[primFunc.params.size() + i] = i64(known->second);
  }
  takeParams(signature, args);
  for (const tir::Stmt& part : parts) countSteps(part);
  for (const tir::Stmt& part : parts) stmt(part);
  leaveScope(0);
  builder_.CreateRet(builder_.getInt32(0));
}

/// Parameters and symbols of shapes from the arguments of the body; the memory of each buffer is what its shape says.
void Emitter::takeParams(const lower::Signature& signature, std::span<llvm::Value* const> args) {
  const tir::PrimFunc& primFunc = *signature.function();
  result_ = args[args.size() - 2];
  host_ = args[args.size() - 1];
  const bool noalias =
      ir::boolAttrOf(primFunc.attrs, "tirx.noalias", ir::boolAttrOf(primFunc.attrs, "tir.noalias", false));
  for (size_t i = 0; i < primFunc.params.size(); ++i) {
    llvm::Value* arg = args[i];
    const tir::VarRef& param = primFunc.params[i];
    if (signature.params()[i].place == vm::KernelPlace::Int) {
      vars_[param.get()] = param->dtype.isBool() ? builder_.CreateICmpNE(arg, i64(0))
                                                 : builder_.CreateTrunc(arg, registerType(param->dtype));
    } else if (signature.params()[i].place == vm::KernelPlace::Real) {
      vars_[param.get()] = rounded(builder_.CreateFPTrunc(arg, registerType(param->dtype)), param->dtype);
    } else {
      if (auto* own = llvm::dyn_cast<llvm::Argument>(arg); own && noalias) own->addAttr(llvm::Attribute::NoAlias);
      vars_[param.get()] = arg;
    }
  }
  // The symbols that parameters are come first.
  const std::span<const vm::KernelSymbol> symbols =
      std::span(signature.kernel().symbols).last(signature.symbols().size());
  for (size_t i = 0; i < signature.symbols().size(); ++i) {
    const tir::VarRef& symbol = signature.symbols()[i];
    llvm::Value* arg = args[primFunc.params.size() + i];
    if (symbols[i].source == vm::KernelSymbol::Source::Axis) {
      if (auto* own = llvm::dyn_cast<llvm::Argument>(arg)) own->addAttr(rangeOfAxes(context_));
      counts_.insert(symbol.get());
    }
    vars_[symbol.get()] = builder_.CreateTrunc(arg, registerType(symbol->dtype));
  }
  for (const auto& [param, bytes] : signature.sizes()) limits_[param.get()] = vars_[bytes.get()];
  for (size_t i = 0; i < primFunc.params.size(); ++i) {
    const tir::BufferRef& param = primFunc.buffers[i];
    if (!param) continue;
    const Pointer memory{vars_[primFunc.params[i].get()], byteCount(param->dtype, param->shape)};
    define(*primFunc.params[i], memory);
    define(*param->data, memory);
    BufferState state = makeState(*param, memory);
    // The binder of the arguments saw that strides and offset are those of a compact tensor.
    state.whole = true;
    buffers_[param.get()] = std::move(state);
  }
}

void Emitter::mark(llvm::Function& function, const Span& place) {
  if (marks_) builder_.SetCurrentDebugLocation(marks_->at(function, place));
}

void Emitter::stmt(const tir::Stmt& node) {
  const llvm::DebugLoc around = builder_.getCurrentDebugLocation();
  mark(*function_, node->span);
  withStack([&] { stmtHere(node); });
  builder_.SetCurrentDebugLocation(around);
}

void Emitter::stmtHere(const tir::Stmt& node) {
  switch (node->kind()) {
    case Kind::tir_Evaluate:
      expr(as<tir::Evaluate>(node)->value);
      return;
    case Kind::tir_Bind:
      bind(as<tir::Bind>(node)->var, as<tir::Bind>(node)->value);
      return;
    case Kind::tir_BufferStore:
      return store(*as<tir::BufferStore>(node));
    case Kind::tir_Allocate:
      return allocateData(*as<tir::Allocate>(node));
    case Kind::tir_AllocBuffer:
      return allocate(*as<tir::AllocBuffer>(node)->buffer);
    case Kind::tir_DeclBuffer:
      return declare(*as<tir::DeclBuffer>(node)->buffer);
    case Kind::tir_AssertStmt:
      return assertion(*as<tir::AssertStmt>(node));
    case Kind::tir_AttrStmt:
      return attr(*as<tir::AttrStmt>(node));
    case Kind::tir_SeqStmt:
      return sequence(*as<tir::SeqStmt>(node));
    case Kind::tir_IfThenElse:
      return branch(*as<tir::IfThenElse>(node));
    case Kind::tir_For:
      return forLoop(*as<tir::For>(node));
    case Kind::tir_While:
      return whileLoop(*as<tir::While>(node));
    default:
      refuse(node->span, fmt::format("{} has no machine code", kindName(node->kind())));
  }
}

bool Emitter::bind(const tir::VarRef& var, const tir::PrimExpr& value) {
  if (var->dtype.isHandle()) {
    const auto made = pointer(value);
    if (made) define(*var, *made);
    return made.has_value();
  }
  llvm::Value* made = expr(value);
  if (made) vars_[var.get()] = made;
  return made != nullptr;
}

void Emitter::allocateData(const tir::Allocate& node) {
  llvm::Value* bytes = byteCountChecked(node.var->name.view(), node.dtype, node.extents);
  llvm::Value* memory = bytes ? allocateBytes(bytes) : nullptr;
  if (memory) define(*node.var, {memory, bytes});
}

/// A view of data that is known; of its own data where it is not.
void Emitter::declare(const tir::Buffer& declared) {
  const auto memory = known(*declared.data);
  if (!memory) return allocate(declared);
  buffers_[&declared] = makeState(declared, *memory);
}

void Emitter::assertion(const tir::AssertStmt& node) {
  std::string message;
  for (const tir::PrimExpr& part : node.message) {
    if (const auto* text = as<tir::StringImm>(part)) message += text->value.view();
  }
  if (llvm::Value* holds = expr(node.condition)) {
    holds = convert(holds, node.condition->dtype, DataType::Bool());
    failWhen(builder_.CreateNot(holds), vm::KernelFault::Assertion, vm::assertionText(message));
  }
}

void Emitter::attr(const tir::AttrStmt& node) {
  const auto* iter = as<tir::IterVar>(node.node);
  const bool launches = iter && (node.key == "thread_extent" || node.key == "virtual_thread");
  if (node.key == tir::kThreadsIf) {
    const auto around = std::exchange(threadsIf_, expr(node.value));
    stmt(node.body);
    threadsIf_ = around;
    return;
  }
  if (const auto form = forms_.find(&node); form != forms_.end()) return endBy(*form->second);
  // Other processors have no such stores, or none that is known to be quicker.
  if (node.key == lower::kStreamedStores && llvm::Triple(module_.getTargetTriple()).isX86()) {
    const bool around = std::exchange(streamed_, true);
    stmt(node.body);
    streamed_ = around;
    if (!streamed_) streamedStoresDone();
    return;
  }
  if (!launches) return stmt(node.body);
  threads(*iter, node.value, node.body);
}

/// On the host the threads of a launch run one after the other.
void Emitter::threads(const tir::IterVar& axis, const tir::PrimExpr& extent, const tir::Stmt& body) {
  llvm::Value* count = expr(extent);
  if (count)
    loop(axis.var, llvm::ConstantInt::get(registerType(axis.var->dtype), 0),
         convert(count, extent->dtype, axis.var->dtype), [&] { stmt(body); });
}

void Emitter::sequence(const tir::SeqStmt& node) {
  const size_t held = hostAllocations_.size();
  for (const tir::Stmt& part : node.seq) stmt(part);
  leaveScope(held);
}

void Emitter::branch(const tir::IfThenElse& node) {
  llvm::Value* condition = expr(node.condition);
  if (!condition) return;
  condition = convert(condition, node.condition->dtype, DataType::Bool());
  if (node.elseCase)
    return ifThen(
        condition, [&] { stmt(node.thenCase); }, [&] { stmt(node.elseCase); });
  ifThen(condition, [&] { stmt(node.thenCase); });
}

void Emitter::forLoop(const tir::For& node) {
  llvm::Value* first = expr(node.min);
  llvm::Value* extent = expr(node.extent);
  if (!first || !extent) return;
  const DataType type = node.loopVar->dtype;
  first = convert(first, node.min->dtype, type);
  extent = convert(extent, node.extent->dtype, type);
  if (runsInParallel(node)) return parallelLoop(node, first, extent);
  steps(node, first, extent);
}

void Emitter::whileLoop(const tir::While& node) {
  auto* head = llvm::BasicBlock::Create(context_, "while", function_);
  auto* body = llvm::BasicBlock::Create(context_, "do", function_);
  auto* end = llvm::BasicBlock::Create(context_, "done", function_);
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::Value* condition = expr(node.condition);
  builder_.CreateCondBr(condition ? goesOn(condition) : builder_.getFalse(), body, end);
  builder_.SetInsertPoint(body);
  lookNowAndThen();
  loops_.push_back({head, end});
  stmt(node.body);
  loops_.pop_back();
  builder_.CreateBr(head);
  builder_.SetInsertPoint(end);
}

void Emitter::loop(const tir::VarRef& var, llvm::Value* first, llvm::Value* extent, const std::function<void()>& body) {
  auto* head = llvm::BasicBlock::Create(context_, "loop", function_);
  auto* inside = llvm::BasicBlock::Create(context_, "body", function_);
  auto* end = llvm::BasicBlock::Create(context_, "end", function_);
  auto* before = builder_.GetInsertBlock();
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  // The counter runs over [0, extent), so that no sum of start and extent can overflow.
  auto* counter = builder_.CreatePHI(extent->getType(), 2);
  counter->addIncoming(llvm::ConstantInt::get(extent->getType(), 0), before);
  const bool isSigned = !var->dtype.isUInt();
  const auto less = isSigned ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  builder_.CreateCondBr(builder_.CreateICmp(less, counter, extent), inside, end);
  builder_.SetInsertPoint(inside);
  vars_[var.get()] = builder_.CreateAdd(first, counter);
  auto* next = llvm::BasicBlock::Create(context_, "next", function_);
  loops_.push_back({next, end});
  const size_t held = hostAllocations_.size();
  body();
  leaveScope(held);
  loops_.pop_back();
  builder_.CreateBr(next);
  builder_.SetInsertPoint(next);
  counter->addIncoming(builder_.CreateAdd(counter, llvm::ConstantInt::get(extent->getType(), 1), "", true, isSigned),
                       builder_.GetInsertBlock());
  builder_.CreateBr(head);
  builder_.SetInsertPoint(end);
}

void Emitter::ifThen(llvm::Value* condition, const std::function<void()>& yes, const std::function<void()>& no) {
  auto* yesBlock = llvm::BasicBlock::Create(context_, "then", function_);
  auto* noBlock = no ? llvm::BasicBlock::Create(context_, "else", function_) : nullptr;
  auto* join = llvm::BasicBlock::Create(context_, "join", function_);
  builder_.CreateCondBr(condition, yesBlock, no ? noBlock : join);
  for (auto [start, part] : {std::pair(yesBlock, &yes), std::pair(noBlock, &no)}) {
    if (!start) continue;
    builder_.SetInsertPoint(start);
    const size_t held = hostAllocations_.size();
    (*part)();
    leaveScope(held);
    builder_.CreateBr(join);
  }
  builder_.SetInsertPoint(join);
}

/// Returns from the middle; what follows in the text can not be reached.
void Emitter::returnCode(llvm::Value* code) {
  builder_.CreateRet(code);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "after", function_));
}

}  // namespace rx::codegen
