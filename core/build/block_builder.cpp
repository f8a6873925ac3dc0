#include "core/build/block_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/build/op_normalize.h"
#include "core/op/sinfo_text.h"
#include "core/support/stack.h"

namespace rx::build {

using namespace relax;

BlockBuilder::BlockBuilder(ModuleContext* module) : module_(module), context_(module) {
  context_.lookup = [this](const Var* var) { return lookup(var); };
}

// Sequences and blocks.

void BlockBuilder::beginSeq() { seqs_.emplace_back(); }

void BlockBuilder::expect(size_t bindings) {
  std::vector<Binding>& open = seqs_.back().open;
  open.reserve(std::max(open.size() + bindings, open.capacity()));
  values_.reserve(values_.size() + bindings);
}

void BlockBuilder::closeBlock() {
  Seq& seq = seqs_.back();
  if (seq.open.empty()) return;
  Array<Binding> bindings(std::move(seq.open));
  seq.open.clear();
  if (seq.dataflow) {
    seq.blocks.push_back(make<DataflowBlock>(std::move(bindings)));
  } else {
    seq.blocks.push_back(make<BindingBlock>(std::move(bindings)));
  }
}

void BlockBuilder::beginDataflow() { switchTo(true); }
void BlockBuilder::endDataflow() { switchTo(false); }

void BlockBuilder::switchTo(bool dataflow) {
  Seq& seq = seqs_.back();
  if (seq.dataflow == dataflow) return;
  closeBlock();
  // A block of the kind that comes now may be the last one still: then it goes on.
  seq.dataflow = dataflow;
  if (!seq.blocks.empty() && seq.blocks.back()->isDataflow() == dataflow) {
    seq.open = seq.blocks.back()->bindings.vector();
    seq.blocks.pop_back();
  }
}

namespace {
bool sameBindings(const BindingBlock& a, const BindingBlock& b) {
  if (a.isDataflow() != b.isDataflow() || a.bindings.size() != b.bindings.size()) return false;
  return std::equal(a.bindings.begin(), a.bindings.end(), b.bindings.begin());
}
}  // namespace

SeqRef BlockBuilder::endSeq(const Expr& body, const SeqRef& original) {
  Expr value = normalizeArgument(body);
  noteFunctionValue(value);
  closeBlock();
  Seq seq = std::move(seqs_.back());
  seqs_.pop_back();
  bool same = original && original->body == value && original->blocks.size() == seq.blocks.size();
  if (original) {
    for (size_t i = 0; i < seq.blocks.size() && i < original->blocks.size(); ++i) {
      if (sameBindings(*seq.blocks[i], *original->blocks[i])) {
        seq.blocks[i] = original->blocks[i];
      } else {
        same = false;
      }
    }
  }
  // A branch's value may not speak of symbols that only the branch knows.
  StructInfo info = seq.function ? value->sinfo : eraseScope(value->sinfo, seq);
  if (same && original->sinfo == info) return original;
  auto* made = new SeqExpr(Array<BlockRef>(std::move(seq.blocks)), value, info);
  if (original) made->span = original->span;
  return SeqRef(made);
}

void BlockBuilder::noteFunctionValue(const Expr& value) {
  auto var = refAs<GlobalVar>(value);
  if (var && isFunctionValue_.insert(var.get()).second) functionValues_.push_back(std::move(var));
}

std::vector<GlobalVarRef> BlockBuilder::takeFunctionValues() {
  isFunctionValue_.clear();
  return std::exchange(functionValues_, {});
}

StructInfo BlockBuilder::eraseScope(const StructInfo& info, const Seq& seq) {
  if (!info || (seq.symbols.empty() && seq.vars.empty())) return info;
  auto symbol = [&](const tir::VarRef& var) -> tir::PrimExpr {
    for (const tir::VarRef& inner : seq.symbols) {
      if (inner == var) return nullptr;
    }
    return var;
  };
  auto variable = [&](const VarRef& var) -> Expr { return seq.vars.contains(var.get()) ? nullptr : Expr(var); };
  return op::eraseToWellDefined(info, symbol, variable, context_);
}

void BlockBuilder::defineSymbols(const StructInfo& info) {
  if (seqs_.empty()) return;
  for (tir::VarRef& var : op::definableSymbolsIn(info)) {
    bool known = false;
    for (const Seq& seq : seqs_) {
      for (const tir::VarRef& other : seq.symbols) known = known || other == var;
    }
    if (!known) {
      context_.analyzer().markNonNegative(var);
      seqs_.back().symbols.push_back(std::move(var));
    }
  }
}

// Functions.

void BlockBuilder::beginFunction(const Array<VarRef>& params) {
  if (seqs_.empty()) context_.reset();
  beginSeq();
  Seq& seq = seqs_.back();
  seq.function = true;
  seq.params = params;
  for (const VarRef& param : params) {
    if (param->sinfo) defineSymbols(param->sinfo);
  }
}

FunctionRef BlockBuilder::endFunction(const Expr& body, StructInfo ret, bool pure, ir::Attrs attrs, bool refine,
                                      const FunctionRef& original) {
  const Array<VarRef> params = seqs_.back().params;
  std::vector<tir::VarRef> defined;
  for (const VarRef& param : params) {
    if (!param->sinfo) continue;
    for (tir::VarRef& var : op::definableSymbolsIn(param->sinfo)) defined.push_back(std::move(var));
  }
  const Seq scope = {{}, {}, seqs_.back().symbols, seqs_.back().vars, false, true, params};
  SeqRef seq = endSeq(body, original ? original->body : nullptr);
  if (original && original->body == seq) refine = false;
  if (seq->sinfo && (!ret || refine)) {
    auto symbol = [&](const tir::VarRef& var) -> tir::PrimExpr {
      for (const tir::VarRef& known : defined) {
        if (known == var) return var;
      }
      for (const tir::VarRef& inner : scope.symbols) {
        if (inner == var) return nullptr;
      }
      return var;
    };
    auto variable = [&](const VarRef& var) -> Expr { return scope.vars.contains(var.get()) ? nullptr : Expr(var); };
    StructInfo known = op::eraseToWellDefined(seq->sinfo, symbol, variable, context_);
    if (!ret || (refine && op::isBaseOf(ret, known, context_) && !op::sameStructInfo(ret, known))) ret = known;
  }
  if (!ret) ret = objectSinfo();
  if (original && original->body == seq && original->params.same(params) && original->retSinfo == ret &&
      original->isPure == pure && original->attrs == attrs) {
    return original;
  }
  auto* made = new Function(params, seq, ret, pure, std::move(attrs));
  if (original) made->span = original->span;
  return FunctionRef(made);
}

// Bindings.

const OriginRef& BlockBuilder::origin() {
  if (!source_.pass) return source_.origin;
  const Str& pass = *std::exchange(source_.pass, nullptr);
  if (!source_.origin || source_.origin->pass == pass) return source_.origin;
  if (inheritedFrom_ != source_.origin) {
    inheritedFrom_ = source_.origin;
    inherited_ = make<Origin>(source_.origin->sites, pass);
  }
  return source_.origin = inherited_;
}

Str BlockBuilder::freshName() { return names_.fresh(inDataflow() ? "lv" : "gv"); }

VarRef BlockBuilder::newVar(Str name, StructInfo info, bool output) {
  if (name.empty()) name = names_.fresh(inDataflow() && !output ? "lv" : "gv");
  if (inDataflow() && !output) return make<DataflowVar>(std::move(name), std::move(info));
  return make<Var>(std::move(name), std::move(info));
}

void BlockBuilder::emitBinding(Binding binding) {
  RX_ASSERT(!seqs_.empty(), "a binding outside a sequence");
  if (!binding->origin && source_.origin) {
    if (const auto* bound = as<VarBinding>(binding)) {
      auto* copy = new VarBinding(*bound);
      copy->origin = origin();
      binding = Binding(copy);
    } else {
      auto* copy = new MatchCast(*as<MatchCast>(binding));
      copy->origin = origin();
      binding = Binding(copy);
    }
  }
  Seq& seq = seqs_.back();
  if (const auto* bound = as<VarBinding>(binding)) {
    if (opNormalization_ || !isa<Call>(bound->value)) values_.set(binding->var.get(), bound->value);
  } else {
    defineSymbols(as<MatchCast>(binding)->structInfo);
  }
  if (binding->var && isa<ShapeStructInfo>(binding->var->sinfo)) seq.vars.insert(binding->var.get());
  seq.open.push_back(std::move(binding));
}

namespace {
/// An annotation that says by which symbol a number is known, where the value does not.
bool namesValue(const StructInfo& annotation, const StructInfo& info) {
  const auto* named = as<PrimStructInfo>(annotation);
  const auto* plain = as<PrimStructInfo>(info);
  return named && plain && named->value && !plain->value && named->dtype == plain->dtype;
}
}  // namespace

bool BlockBuilder::contradicts(const StructInfo& annotation, const StructInfo& info) {
  return info && !isPoison(info) && op::baseCheck(annotation, info, context_) == op::BaseCheck::FailL0;
}

BlockBuilder::Extent BlockBuilder::extentOf(const TupleStructInfo& tuple) {
  auto known = extents_.find(&tuple);
  if (known != extents_.end()) return known->second.second;
  Extent extent{1, 1};
  for (const StructInfo& item : tuple.items) {
    const auto* inner = as<TupleStructInfo>(item);
    const Extent part = inner ? withStack([&] { return extentOf(*inner); }) : Extent{};
    extent.depth = std::max(extent.depth, part.depth + 1);
    extent.parts = std::min(extent.parts + part.parts, kMaxInfoParts + 1);
  }
  extents_.emplace(&tuple, std::pair(StructInfo(&tuple), extent));
  return extent;
}

bool BlockBuilder::tooLarge(const StructInfo& info, const Str& name, Span span) {
  const auto* tuple = as<TupleStructInfo>(info);
  if (!tuple || std::none_of(tuple->items.begin(), tuple->items.end(),
                             [](const StructInfo& item) { return isa<TupleStructInfo>(item); })) {
    return false;
  }
  const Extent extent = extentOf(*tuple);
  if (extent.depth <= kMaxInfoDepth && extent.parts <= kMaxInfoParts) return false;
  const bool deep = extent.depth > kMaxInfoDepth;
  report(
      errorAt(span, "relax.type-size",
              fmt::format("the StructInfo of '{}' {} {}", name.view(),
                          deep ? "nests deeper than" : "has more parts than", deep ? kMaxInfoDepth : kMaxInfoParts)));
  return true;
}

VarRef BlockBuilder::bind(const Expr& value, Str name, const StructInfo& annotation, Span span, bool output) {
  const bool open = isa<Call>(value) && !value->sinfo;
  const size_t before = seqs_.empty() ? 0 : seqs_.back().open.size();
  Expr normal = normalize(value);
  const bool nested = !seqs_.empty() && seqs_.back().open.size() != before;
  StructInfo info = normal->sinfo;
  // TVM's rule, which its texts rely on: an annotation is the StructInfo of a call that has none yet, and says nothing
  // of a call whose nested arguments had to be bound first, nor of a value that knows its own.
  // An annotation that contradicts the value stays: well-formedness reports it.
  if (annotation && !(open && nested) && (open || contradicts(annotation, info) || namesValue(annotation, info))) {
    info = annotation;
  }
  if (tooLarge(info, name, span.known() ? span : value->span)) info = poison_;
  noteFunctionValue(normal);
  VarRef var = newVar(std::move(name), std::move(info), output);
  auto* binding = new VarBinding(var, std::move(normal));
  binding->span = span;
  binding->origin = origin();
  emitBinding(Binding(binding));
  return var;
}

VarRef BlockBuilder::emit(const Expr& value, Str name, const StructInfo& annotation, Span span) {
  return bind(value, std::move(name), annotation, span, false);
}

VarRef BlockBuilder::emitOutput(const Expr& value, Str name, const StructInfo& annotation, Span span) {
  return bind(value, std::move(name), annotation, span, true);
}

VarRef BlockBuilder::emitMatchCast(const Expr& value, const StructInfo& info, Str name, Span span, bool output) {
  Expr normal = normalize(value);
  if (normal->sinfo && !isPoison(normal->sinfo) &&
      op::baseCheck(info, normal->sinfo, context_) == op::BaseCheck::FailL0 &&
      op::baseCheck(normal->sinfo, info, context_) == op::BaseCheck::FailL0) {
    report(errorAt(span, "relax.match-cast",
                   fmt::format("{} can never be {}", op::sinfoText(normal->sinfo), op::sinfoText(info))));
  }
  VarRef var = newVar(std::move(name), info, output);
  auto* binding = new MatchCast(var, std::move(normal), info);
  binding->span = span;
  binding->origin = origin();
  emitBinding(Binding(binding));
  return var;
}

Expr BlockBuilder::lookup(const Var* var) const {
  const Expr* value = values_.find(var);
  return value ? *value : nullptr;
}

// Errors.

void BlockBuilder::report(Diagnostic diagnostic) {
  failed_ = failed_ || diagnostic.severity == Severity::Error;
  diagnostics_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> BlockBuilder::takeDiagnostics() { return std::exchange(diagnostics_, {}); }

}  // namespace rx::build
