// Builds bindings, blocks and bodies in normal form, with StructInfo, fresh names and origins.
//
// A sequence (SeqExpr) is open from beginSeq to endSeq; sequences nest (functions, branches). What is emitted goes to
// the end of the innermost open sequence; beginDataflow/endDataflow choose the kind of block. Adjacent blocks of a kind
// merge and empty ones vanish by themselves.
//
// Errors are collected, not returned: a value that can not be deduced gets the StructInfo Object, what depends on it is
// not reported again, and building goes on. Who builds asks failed() at the end.
#pragma once

#include "core/build/deduce.h"
#include "core/build/module_context.h"
#include "core/support/pointer_map.h"

namespace rx::build {

/// A StructInfo that nests deeper, or that has more parts when it is written out, is refused with relax.type-size.
constexpr uint64_t kMaxInfoDepth = 1000;
constexpr uint64_t kMaxInfoParts = 1'000'000;

class BlockBuilder {
 public:
  /// `module` may be null: then calls of global functions go by the StructInfo of the GlobalVar.
  explicit BlockBuilder(ModuleContext* module = nullptr);
  BlockBuilder(const BlockBuilder&) = delete;
  BlockBuilder& operator=(const BlockBuilder&) = delete;

  // Sequences and blocks.
  void beginSeq();
  /// Closes the sequence with its value (normalized first). `original`: when all came out as it was, it is returned.
  relax::SeqRef endSeq(const relax::Expr& body, const relax::SeqRef& original = nullptr);
  void beginDataflow();
  void endDataflow();
  bool inDataflow() const { return !seqs_.empty() && seqs_.back().dataflow; }
  bool inSeq() const { return !seqs_.empty(); }
  /// Says that about so many bindings more are to be emitted.
  void expect(size_t bindings);

  // Functions: a scope of symbolic variables (those that the parameters define) and a sequence.
  void beginFunction(const Array<relax::VarRef>& params);
  /// `ret` null: the StructInfo of the body, erased to what the parameters define; with `refine`, the StructInfo of the
  /// body replaces a `ret` that is a base of it, as TVM does whenever a function is made.
  relax::FunctionRef endFunction(const relax::Expr& body, relax::StructInfo ret, bool pure, ir::Attrs attrs = nullptr,
                                 bool refine = true, const relax::FunctionRef& original = nullptr);

  // Bindings. `name` empty: a fresh "lv" (in a dataflow block) or "gv".
  /// Binds the normalized value. `annotation`, when given, is checked against the value's StructInfo and becomes that
  /// of the variable where the value is a call without nested computation. In a dataflow block the variable is a
  /// DataflowVar.
  relax::VarRef emit(const relax::Expr& value, Str name = {}, const relax::StructInfo& annotation = nullptr,
                     Span span = {});
  /// The same, visible outside its dataflow block.
  relax::VarRef emitOutput(const relax::Expr& value, Str name = {}, const relax::StructInfo& annotation = nullptr,
                           Span span = {});
  /// Binds the normalized value, which may be a call, under the StructInfo that it must have.
  relax::VarRef emitMatchCast(const relax::Expr& value, const relax::StructInfo& info, Str name = {}, Span span = {},
                              bool output = false);
  /// Appends a binding as it stands (normal, with StructInfo).
  void emitBinding(relax::Binding binding);

  // Normal form.
  /// The expression with StructInfo and with all nested computation emitted before it: a value that may be bound.
  relax::Expr normalize(const relax::Expr& expr);
  /// The same as a leaf or tuple of leaves: what may stand as an argument.
  relax::Expr normalizeArgument(const relax::Expr& expr);
  /// The value that a variable was bound to, or null. Calls are kept only while operators' normal forms are applied.
  relax::Expr lookup(const relax::Var* var) const;
  /// The global functions that were bound, returned or put into a tuple since this was asked last: what they were known
  /// to be then stands in the StructInfo of others. In the order of their first use.
  std::vector<relax::GlobalVarRef> takeFunctionValues();

  // Surroundings.
  op::InferContext& context() { return context_; }
  ModuleContext* module() { return module_; }
  NameSupply& names() { return names_; }
  Str freshName();
  /// Bindings and calls that are emitted without an origin get this one.
  void setOrigin(OriginRef origin) { source_ = {std::move(origin), nullptr}; }
  const OriginRef& origin();
  /// What emitted nodes come from: an origin as it is, or what a pass makes of it, which is worked out when it is asked
  /// for since most bindings stay as they are.
  struct Source {
    OriginRef origin;
    const Str* pass = nullptr;  ///< outlives the builder
  };
  const Source& source() const { return source_; }
  void setSource(Source source) { source_ = std::move(source); }
  /// Whether operators' own normal forms (call_tir with an inline tuple, ...) are applied; off while text is read.
  void setOpNormalization(bool on) { opNormalization_ = on; }
  /// Makes symbolic variables known to the present scope (of a match_cast, of parameters). Those of parameters are
  /// known not to be negative, as in TVM.
  void defineSymbols(const relax::StructInfo& info);

  // Errors.
  void report(Diagnostic diagnostic);
  bool failed() const { return failed_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  std::vector<Diagnostic> takeDiagnostics();

 private:
  struct Seq {
    std::vector<relax::BlockRef> blocks;
    std::vector<relax::Binding> open;            ///< bindings of the block under construction
    std::vector<tir::VarRef> symbols;            ///< symbolic variables defined in this sequence
    std::unordered_set<const relax::Var*> vars;  ///< shape variables bound in this sequence
    bool dataflow = false;
    bool function = false;
    Array<relax::VarRef> params;
  };
  relax::VarRef bind(const relax::Expr& value, Str name, const relax::StructInfo& annotation, Span span, bool output);
  relax::VarRef newVar(Str name, relax::StructInfo info, bool output);
  /// Levels and parts of a StructInfo, written out as a tree.
  struct Extent {
    uint64_t depth = 0, parts = 1;
  };
  Extent extentOf(const relax::TupleStructInfo& tuple);
  /// Tuples of tuples share their parts, so bindings can make types of any depth, and exponentially large ones.
  bool tooLarge(const relax::StructInfo& info, const Str& name, Span span);
  bool contradicts(const relax::StructInfo& annotation, const relax::StructInfo& info);
  relax::StructInfo deducedCall(const Ref<relax::Call>& call);
  relax::StructInfo deduceOrReport(const relax::Expr& expr);
  relax::Expr normalizeCall(const Ref<relax::Call>& call);
  relax::Expr normalizeIf(const Ref<relax::If>& node);
  relax::SeqRef normalizeBranch(const relax::SeqRef& branch);
  relax::Expr flatten(const relax::SeqRef& seq);
  void replay(const relax::SeqRef& seq);
  void replayBinding(const relax::Binding& binding);
  relax::FunctionRef normalizeFunction(const relax::FunctionRef& function);
  void closeBlock();
  void switchTo(bool dataflow);
  /// True for what could not be deduced, and tuples of it: not reported again.
  bool isPoison(const relax::StructInfo& info) const;
  relax::StructInfo eraseScope(const relax::StructInfo& info, const Seq& seq);
  void noteFunctionValue(const relax::Expr& value);

  ModuleContext* module_;
  op::InferContext context_;
  NameSupply names_;
  std::vector<Seq> seqs_;
  PointerMap<relax::Var, relax::Expr> values_;
  std::unordered_map<const relax::Var*, relax::Expr> replaced_;
  std::vector<relax::GlobalVarRef> functionValues_;
  std::unordered_set<const Node*> isFunctionValue_;  ///< those of functionValues_
  std::vector<relax::VarRef> keep_;                  ///< keys of replaced_ stay alive
  std::unordered_map<const relax::TupleStructInfo*, std::pair<relax::StructInfo, Extent>> extents_;  ///< kept alive
  Source source_;
  OriginRef inheritedFrom_, inherited_;  ///< what was worked out last: bindings that came of one share it
  std::vector<Diagnostic> diagnostics_;
  relax::StructInfo poison_ = make<relax::ObjectStructInfo>();  // told by its identity from any other Object
  bool opNormalization_ = true;
  bool failed_ = false;
};

}  // namespace rx::build
