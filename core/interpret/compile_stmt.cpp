#include <fmt/format.h>

#include "core/interpret/compile.h"
#include "core/ir/all_nodes.h"
#include "core/lower/host_lowering.h"
#include "core/runtime/kernel_fault.h"
#include "core/support/stack.h"

namespace rx::interpret {

using namespace tir;

bool Compiler::isPure(const Instr& instr) const {
  if (instr.code < Code::IntBinary || instr.code > Code::Reinterpret) return false;
  const bool divides = instr.kind == Kind::tir_Div || instr.kind == Kind::tir_Mod || instr.kind == Kind::tir_FloorDiv ||
                       instr.kind == Kind::tir_FloorMod;
  return instr.code != Code::FloatFma && !(instr.code == Code::IntBinary && divides && instr.imm != kCanNotFail);
}

size_t Compiler::emit(Instr instr) {
  if (instr.type == DataType::Float(32)) instr.common = Common::Float32;
  if (instr.type == DataType::Int(64)) instr.common = Common::Int64;
  const uint32_t needed = isPure(instr) ? std::max(depthOf_[instr.a], depthOf_[instr.b]) : depth();
  if (needed >= depth()) {
    program_.code.push_back(instr);
    program_.statements.push_back(statement_);
    return program_.code.size() - 1;
  }
  depthOf_[instr.dst] = needed;
  before_[needed].push_back(instr);
  return 0;
}

uint32_t Compiler::give(Instr instr) {
  instr.dst = fresh();
  emit(instr);
  return instr.dst;
}

void Compiler::closeLoop(size_t start) {
  if (isStepped()) return;
  const std::vector<Instr> before = std::move(before_.back());
  before_.pop_back();
  for (size_t i = start; i < program_.code.size(); ++i) {
    Instr& instr = program_.code[i];
    const bool jumps = instr.code >= Code::Jump && instr.code <= Code::Next;
    if (jumps && instr.imm >= static_cast<int64_t>(start)) instr.imm += static_cast<int64_t>(before.size());
  }
  for (NamedValue& variable : program_.variables) {
    if (variable.begin >= start) variable.begin += before.size();
    if (variable.end > start && variable.end != SIZE_MAX) variable.end += before.size();
  }
  const auto at = static_cast<std::ptrdiff_t>(start);
  program_.code.insert(program_.code.begin() + at, before.begin(), before.end());
  program_.statements.insert(program_.statements.begin() + at, before.size(), statement_);
}

void Compiler::fail(std::string rule, std::string message, Span span) {
  errors_.push_back(errorAt(span, std::move(rule), std::move(message)));
}

int64_t Compiler::message(std::string rule, std::string text) {
  return numberOf(program_.messages, {std::move(rule), std::move(text)});
}

void Compiler::failAtRun(std::string rule, std::string text) {
  emit({.code = Code::Fail, .imm = message(std::move(rule), std::move(text))});
}

uint32_t Compiler::variable(const Var* var, int lane) {
  auto found = variables_.find(var);
  if (found == variables_.end()) {
    fail("interpret.undefined", fmt::format("the variable {} has no value here", var->name.view()), var->span);
    return 0;
  }
  const std::vector<uint32_t>& lanes = found->second;
  return lanes[std::min(static_cast<size_t>(lane), lanes.size() - 1)];
}

uint32_t Compiler::bufferSlot(const BufferRef& buffer) {
  auto found = buffers_.find(buffer.get());
  if (found != buffers_.end()) return found->second;
  // A buffer over data that is known needs no declaration of its own.
  if (auto data = pointers_.find(buffer->data.get()); data != pointers_.end()) {
    defineBuffer(buffer, data->second);
    uint32_t slot = buffers_[buffer.get()];
    // Not remembered: the next use may be reached without passing here.
    buffers_.erase(buffer.get());
    return slot;
  }
  fail("interpret.undefined", fmt::format("the buffer {} is not defined here", buffer->name.view()), buffer->span);
  return 0;
}

void Compiler::defineBuffer(const BufferRef& buffer, uint32_t pointer) {
  auto [entry, isNew] = buffers_.emplace(buffer.get(), static_cast<uint32_t>(program_.bufferNames.size()));
  if (isNew) {
    program_.bufferNames.push_back(buffer->name);
    program_.bufferTypes.push_back(buffer->dtype);
    viewDepthOf_.push_back(0);
    program_.bufferScopes.emplace_back(Str(buffer->scope()));
  }
  viewDepthOf_[entry->second] = depth();
  BufferDefinition definition{entry->second, pointer, {}, {}, false, 0};
  for (const PrimExpr& dim : buffer->shape) definition.dims.push_back(expr(dim));
  for (const PrimExpr& stride : buffer->strides) definition.strides.push_back(expr(stride));
  if (buffer->elemOffset) {
    definition.hasOffset = true;
    definition.offset = expr(buffer->elemOffset);
  }
  pointers_.emplace(buffer->data.get(), pointer);
  emit({.code = Code::DefineBuffer, .imm = numberOf(program_.definitions, std::move(definition))});
}

uint32_t Compiler::allocate(const VarRef& data, DataType type, const Array<PrimExpr>& extents, const Str& name) {
  const uint32_t slot = pointers_[data.get()] = program_.pointers++;
  Allocation allocation{slot, type.element(), {}, name};
  for (const PrimExpr& extent : extents) allocation.extents.push_back(expr(extent));
  if (type.lanes > 1) allocation.extents.push_back(constant(type.lanes));
  emit({.code = Code::Allocate, .imm = numberOf(program_.allocations, std::move(allocation))});
  return slot;
}

void Compiler::allocateBuffer(const BufferRef& buffer) {
  const uint32_t slot = allocate(buffer->data, buffer->dtype, buffer->shape, buffer->name);
  const auto* offset = as<Var>(buffer->elemOffset);
  if (offset && !variables_.contains(offset)) variables_[offset] = {constant(0)};
  defineBuffer(buffer, slot);
}

/// Numbers are those that the binder found, in the order in which it hands them to machine code too.
void Compiler::params(const lower::Signature& signature) {
  const PrimFunc& function = *signature.function();
  int64_t ints = 0, reals = 0;
  const auto number = [&](const VarRef& var, Code code, int64_t index) {
    variables_[var.get()] = {fresh()};
    emit({.code = code, .type = var->dtype, .dst = variables_[var.get()].front(), .imm = index});
    nameValue(*var, variables_[var.get()]);
  };
  for (size_t i = 0; i < function.params.size(); ++i) {
    const VarRef& param = function.params[i];
    if (signature.params()[i].place == vm::KernelPlace::Int) {
      number(param, Code::ParamInt, ints++);
    } else if (signature.params()[i].place == vm::KernelPlace::Real) {
      number(param, Code::ParamReal, reals++);
    } else {
      const uint32_t slot = pointers_[param.get()] = program_.pointers++;
      if (const BufferRef& buffer = function.buffers[i]) pointers_[buffer->data.get()] = slot;
      emit({.code = Code::ParamTensor, .dst = slot, .imm = static_cast<int64_t>(i)});
    }
  }
  for (const VarRef& symbol : signature.symbols()) number(symbol, Code::ParamInt, ints++);
  for (const BufferRef& buffer : function.buffers)
    if (buffer) defineBuffer(buffer, pointers_[buffer->data.get()]);
}

void Compiler::stmt(const Stmt& s) {
  if (!s) return;
  // What only holds others has no code of its own; what a pass added without a place belongs to what it stands in.
  const bool own = !isa<SeqStmt>(s) && !isa<AttrStmt>(s) && s->span.known();
  const uint32_t around = statement_;
  if (own) {
    statement_ = static_cast<uint32_t>(program_.spans.size());
    program_.spans.push_back(s->span);
  }
  withStack([&] { stmtHere(s); });
  statement_ = around;
}

void Compiler::scope(const Stmt& body) {
  const size_t known = program_.variables.size();
  stmt(body);
  for (size_t i = known; i < program_.variables.size(); ++i)
    program_.variables[i].end = std::min(program_.variables[i].end, program_.code.size());
}

void Compiler::nameValue(const Var& var, std::vector<uint32_t> lanes) {
  program_.variables.push_back({var.name, var.dtype, std::move(lanes), program_.code.size()});
}

void Compiler::stmtHere(const Stmt& s) {
  switch (s->kind()) {
    case Kind::tir_Evaluate: {
      const PrimExpr& value = as<Evaluate>(s)->value;
      if (!isa<IntImm>(value)) expr(value);
      return;
    }
    case Kind::tir_Bind:
      return bind(as<Bind>(s)->var, as<Bind>(s)->value);
    case Kind::tir_BufferStore:
      return store(*as<BufferStore>(s));
    case Kind::tir_Allocate: {
      const auto& node = *as<Allocate>(s);
      allocate(node.var, node.dtype, node.extents, node.var->name);
      return;
    }
    case Kind::tir_AllocBuffer: {
      const BufferRef& buffer = as<AllocBuffer>(s)->buffer;
      if (!ownAllocation(buffer)) allocateBuffer(buffer);
      return;
    }
    case Kind::tir_DeclBuffer: {
      const BufferRef& buffer = as<DeclBuffer>(s)->buffer;
      auto data = pointers_.find(buffer->data.get());
      if (data == pointers_.end()) return allocateBuffer(buffer);
      return defineBuffer(buffer, data->second);
    }
    case Kind::tir_AssertStmt:
      return assertion(*as<AssertStmt>(s));
    case Kind::tir_AttrStmt:
      return attr(*as<AttrStmt>(s));
    case Kind::tir_SeqStmt:
      for (const Stmt& each : as<SeqStmt>(s)->seq) stmt(each);
      return;
    case Kind::tir_IfThenElse:
      return branch(*as<IfThenElse>(s));
    case Kind::tir_For:
      return loop(*as<For>(s));
    case Kind::tir_While:
      return whileLoop(*as<While>(s));
    default:
      fail("interpret.unavailable", fmt::format("a statement of kind {} can not be run", kindName(s->kind())), s->span);
  }
}

void Compiler::bind(const VarRef& var, const PrimExpr& value) {
  if (var->dtype.isHandle()) {
    pointers_[var.get()] = pointer(value);
    return;
  }
  std::vector<uint32_t> values;
  for (int lane = 0; lane < std::max<int>(var->dtype.lanes, 1); ++lane) {
    uint32_t dst = fresh(), from = expr(value, lane);
    emit({.code = Code::Move, .dst = dst, .a = from});
    values.push_back(dst);
  }
  nameValue(*var, values);
  variables_[var.get()] = std::move(values);
}

void Compiler::assertion(const AssertStmt& node) {
  std::string text;
  for (const PrimExpr& part : node.message) {
    if (const auto* piece = as<tir::StringImm>(part)) text += piece->value.view();
  }
  const uint32_t test = expr(node.condition);
  const std::string rule(vm::ruleOf(vm::KernelFault::Assertion));
  emit({.code = Code::Assert, .a = test, .imm = message(rule, vm::assertionText(text))});
}

void Compiler::jumpsUnless(const PrimExpr& condition, std::vector<size_t>& jumps) {
  if (const auto* both = as<And>(condition)) {
    withStack([&] { jumpsUnless(both->a, jumps); });
    return jumpsUnless(both->b, jumps);
  }
  const uint32_t test = expr(condition);
  jumps.push_back(emit({.code = Code::JumpIfNot, .a = test}));
}

void Compiler::branch(const IfThenElse& node) {
  std::vector<size_t> toElse;
  jumpsUnless(node.condition, toElse);
  scope(node.thenCase);
  const size_t toEnd = node.elseCase ? emit({.code = Code::Jump}) : 0;
  for (size_t jump : toElse) patch(jump);
  if (!node.elseCase) return;
  scope(node.elseCase);
  patch(toEnd);
}

void Compiler::whileLoop(const While& node) {
  auto start = static_cast<int64_t>(program_.code.size());
  openLoop();
  uint32_t test = expr(node.condition);
  size_t out = emit({.code = Code::JumpIfNot, .a = test});
  loops_.emplace_back();
  scope(node.body);
  emit({.code = Code::Jump, .imm = start});
  patch(out);
  for (size_t at : loops_.back().breaks) patch(at);
  for (size_t at : loops_.back().continues) program_.code[at].imm = start;
  loops_.pop_back();
  closeLoop(static_cast<size_t>(start));
}

/// Indices, value and predicate of all lanes are known before the first lane is written.
void Compiler::store(const BufferStore& node) {
  const int parts = std::max<int>(node.buffer->dtype.lanes, 1);
  int lanes = std::max<int>(node.value->dtype.lanes, parts);
  for (const PrimExpr& index : node.indices) lanes = std::max<int>(lanes, index->dtype.lanes * parts);
  std::vector<int64_t> places;
  std::vector<uint32_t> values, tests;
  for (int lane = 0; lane < lanes; ++lane) places.push_back(access(node.buffer, node.indices, lane));
  for (int lane = 0; lane < lanes; ++lane) {
    uint32_t value = expr(node.value, lane);
    values.push_back(castTo(value, node.value->dtype.element(), node.buffer->dtype.element()));
  }
  for (int lane = 0; node.predicate && lane < lanes; ++lane) tests.push_back(expr(node.predicate, lane / parts));
  for (size_t lane = 0; lane < values.size(); ++lane) {
    const size_t skip = node.predicate ? emit({.code = Code::JumpIfNot, .a = tests[lane]}) : 0;
    emit({.code = Code::Store, .type = node.buffer->dtype.element(), .a = values[lane], .imm = places[lane]});
    if (node.predicate) patch(skip);
  }
}

uint32_t Compiler::converted(const PrimExpr& e, DataType type) { return castTo(expr(e), e->dtype, type); }

/// The variable wraps as its type does: it ends where it meets the value behind the last one.
void Compiler::countedLoop(const VarRef& var, const PrimExpr& min, const PrimExpr& extent, const Stmt& body) {
  const DataType type = var->dtype;
  uint32_t index = fresh(), test = fresh(), end = fresh();
  uint32_t first = converted(min, type), count = converted(extent, type), zero = constant(0);
  emit({.code = Code::Move, .dst = index, .a = first});
  emit({.code = Code::IntBinary, .kind = Kind::tir_Add, .type = type, .dst = end, .a = first, .b = count});
  variables_[var.get()] = {index};
  emit({.code = Code::IntCompare, .kind = Kind::tir_GT, .type = type, .dst = test, .a = count, .b = zero});
  size_t never = emit({.code = Code::JumpIfNot, .a = test});
  auto start = static_cast<int64_t>(program_.code.size());
  openLoop();
  depthOf_[index] = depth();
  loops_.emplace_back();
  const size_t known = program_.variables.size();
  nameValue(*var, {index});
  scope(body);
  for (size_t at : loops_.back().continues) patch(at);
  emit({.code = Code::Next, .type = type, .dst = index, .a = end, .imm = start});
  program_.variables[known].end = program_.code.size();
  for (size_t at : loops_.back().breaks) patch(at);
  loops_.pop_back();
  closeLoop(static_cast<size_t>(start));
  patch(never);
}

void Compiler::attr(const AttrStmt& node) {
  if (ownAttr(node)) return stmt(node.body);
  const auto* thread = as<IterVar>(node.node);
  std::string_view key = node.key.view();
  if (!thread || (key != "thread_extent" && key != "virtual_thread")) return stmt(node.body);
  // A launch runs its body for every index. The same thread launched again inside itself keeps its index.
  if (threads_.contains(thread->var.get())) return stmt(node.body);
  threads_[thread->var.get()] = 1;
  countedLoop(thread->var, intImm(0, node.value->dtype), node.value, node.body);
  threads_.erase(thread->var.get());
}

Result<Program> Compiler::run(const lower::Signature& signature) {
  program_.spans.push_back(signature.function()->span);
  params(signature);
  stmt(signature.function()->body);
  // No statement of its own: who steps is at the end behind the last one.
  if (!program_.statements.empty()) statement_ = program_.statements.back();
  emit({.code = Code::Return});
  if (!errors_.empty()) return rx::fail(std::move(errors_));
  program_.signature = signature.kernel();
  return std::move(program_);
}

Result<Program> compile(const PrimFuncRef& function, std::string_view name) {
  RX_TRY(loops, lower::loweredForHost(function, lower::HostForm::Loops, {}));
  RX_TRY(signature, lower::Signature::of(loops.function));
  RX_TRY(program, Compiler().run(signature));
  program.name = name;
  return std::move(program);
}

}  // namespace rx::interpret
