// The reader of Relay's text: tokens to IR. Private to core/relay.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/relay/lexer.h"
#include "core/relay/metadata_read.h"
#include "core/relay/older_forms.h"
#include "core/relay/op_table.h"
#include "core/relay/text.h"
#include "core/script/names.h"
#include "core/support/stack.h"

namespace rx::relay {

class Reader {
 public:
  Reader(const Ref<SourceFile>& source, const CancelToken& cancel, uint32_t file);
  Result<ReadText> run();

 private:
  // Tokens (reader.cpp). Once something failed every step is skipped until `recover`.
  const Token& peek(size_t ahead = 0) const;
  std::string_view textOf(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  bool at(Tok kind) const { return peek().kind == kind; }
  bool atWord(std::string_view word, size_t ahead = 0) const;
  bool take(Tok kind);
  bool takeWord(std::string_view word);
  bool expect(Tok kind, const char* what);
  Span spanOf(const Token& token) const { return {token.begin, token.end, file_}; }
  Span spanFrom(uint32_t begin) const;
  uint32_t here() const { return peek().begin; }
  std::nullptr_t error(Span span, std::string rule, std::string message, std::string fix = {});
  /// The same of what leaves it clear how the text goes on, which is read for further errors.
  void finding(Span span, std::string rule, std::string message, std::string fix = {});
  /// What stands for a name that means nothing, which is said once.
  Expr unknownName(std::string_view name, Span span, std::string rule, std::string message, std::string fix = {});
  /// The number that digits say; nothing, and a finding of that rule, where it does not fit int64.
  std::optional<int64_t> wholeNumber(const std::string& digits, Span place, const char* rule);
  std::nullptr_t unexpected(const char* wanted);
  /// Refuses a second definition of one name; says where the first is.
  std::nullptr_t redefined(Span again, Span first, std::string message);
  /// Goes to the next definition of the module.
  void recover();
  /// A node that is still the reader's own, with its place.
  template <class T>
  Ref<T> placed(T* node, uint32_t begin) const {
    node->span = spanFrom(begin);
    return Ref<T>(node);
  }
  /// `open item, item, close`; a comma may follow the last.
  template <class Item>
  void list(Tok open, Tok close, const char* what, Item item) {
    if (!expect(open, what)) return;
    while (!failed_ && !at(close)) {
      item();
      if (!failed_ && !at(close) && !take(Tok::Comma)) unexpected("',' or the end of the list");
    }
    if (!failed_) take(close);
  }
  /// Runs the body one level deeper, on a stack that holds it.
  template <class Body>
  auto nested(Body body) -> decltype(body());

  // Module (reader.cpp)
  ir::Module module();
  void definition();
  void typeDefinition(bool isExtern);
  /// `[A, B]`, each in scope from here on; nothing where there is no list.
  std::vector<Ref<TypeVar>> typeParameters();
  ir::Module loneExpression();
  relax::GlobalVarRef globalVar(const Token& token);

  // The prelude (reader_prelude.cpp)
  bool wantsPrelude(const std::vector<Token>& prelude) const;
  /// Reads its definitions, but for functions that the text has itself.
  void readPrelude();
  /// What the functions of the text do not reach goes again.
  void dropUnusedPrelude();

  // Types (reader_types.cpp)
  Type type();
  Type typeInner();
  Type namedType();
  Type functionType();
  Array<tir::PrimExpr> shape();
  tir::PrimExpr dimension();
  /// The type that the printer stated in a comment behind the token before the present one; null without one.
  Type statedType();

  // Functions and statements (reader_function.cpp)
  FunctionRef function(uint32_t begin);
  /// A variable as it is written, and its name, which has a place in `locals_`.
  struct NamedVar {
    VarRef var;
    script::NameId name = 0;
  };
  /// A variable that no other of the same parameters or pattern has the name of.
  VarRef parameter();
  NamedVar variable(const char* what);
  Expr block();
  Expr sequence(bool isValue = false);
  Expr letValue();
  void freeVar();
  void graphBinding();
  Expr ifExpr();
  Expr match();
  Pattern pattern();
  Pattern patternInner();
  Ref<Clause> clause();

  // Expressions (reader_expr.cpp)
  Expr expression();
  Expr operators();
  Expr postfix();
  Expr atom();
  Expr atomOfName();
  Expr parenthesized();
  Expr reference();
  Expr number(bool negative);
  /// A constructor whose name is a number, told from that number by its fields or its type; null where it is none.
  Expr numberedConstructor();
  Expr boolean(bool value);
  Expr local();
  Expr graph();
  /// `older`: how the callee's name was called with before; null: as now.
  Expr call(const Expr& callee, uint32_t begin, const OlderForm* older);
  /// Makes the last argument the very node of an equal number before it. Who builds calls gives one node twice, and
  /// what a program printed does not say so; it matters where values get names.
  static void shareNumber(std::vector<Expr>& args);
  Expr finishCall(const Expr& callee, std::vector<Expr> args, ir::Attrs attrs, uint32_t begin);
  std::string dottedName();

  // Attributes and metadata (reader_attrs.cpp)
  bool atAttribute() const;
  ir::Attrs attributes();
  NodeRef attributeValue();
  /// Value of `meta[key][index]`, and its key. Nothing in it where the text has no metadata, or it is a dimension of
  /// any size.
  struct MetaValue {
    std::string key;
    std::string text;
    NodeRef value;
    bool missing = false;
  };
  std::optional<MetaValue> meta();
  /// What stands for it where the text has no metadata.
  Ref<Constant> unresolved(const MetaValue& meta, uint32_t begin);
  Expr constantOf(const MetaValue& meta, uint32_t begin);
  NodeRef virtualDevice();
  void checkAttributes(const AttrSchema& schema, const ir::Attrs& attrs, std::string_view op, Span span);

  // Scopes (reader.cpp)
  void bind(const NamedVar& named);
  size_t mark() const { return bound_.size(); }
  void unbind(size_t mark);

  Ref<SourceFile> source_;
  std::string_view text_;
  CancelToken cancel_;
  std::vector<Token> tokens_;
  std::unordered_map<uint32_t, Span> stated_;  ///< types in comments, by the index of the token behind them
  size_t at_ = 0;
  uint32_t file_;                     ///< that the tokens are of: the text, or the prelude
  bool isPrinted_;                    ///< by a program, not written by a person
  bool isOldText_ = false;            ///< of a version below 0.0.5
  const OlderForm* older_ = nullptr;  ///< of the operator's name that was read last, until it is called
  bool failed_ = false;
  uint32_t depth_ = 0;
  std::vector<Diagnostic> diagnostics_;
  std::unordered_set<std::string_view> unknown_;  ///< names that mean nothing and were said to

  /// What a name means; null where it means nothing.
  struct Local {
    VarRef var;
    size_t at = 0;  ///< in bound_
  };
  struct Bound {
    script::NameId name;
    Local before;
  };
  script::Names names_;        ///< of variables
  std::vector<Local> locals_;  ///< by name
  std::vector<Bound> bound_;
  size_t together_ = 0;  ///< where in it the parameters or the pattern begin that are being read
  std::unordered_map<std::string_view, VarRef> freeVars_;
  struct GraphEntry {
    Expr expr;
    uint32_t function = 0;  ///< number of the function that bound it
    Span place = {};
  };
  /// Of a graph variable; its expression is null before it is bound.
  GraphEntry& graphEntry(const Token& token);
  std::vector<GraphEntry> graph_;                              ///< by number, as printers count
  std::unordered_map<std::string_view, GraphEntry> farGraph_;  ///< numbers that are none of a count
  uint32_t functionNumber_ = 0;
  std::unordered_map<std::string_view, relax::GlobalVarRef> globals_;
  std::unordered_map<std::string_view, Span> definedAt_;  ///< functions with their @, types as they are
  std::vector<std::pair<std::string_view, Ref<TypeVar>>> typeVars_;
  std::unordered_map<std::string_view, Ref<GlobalTypeVar>> typeNames_;
  std::unordered_map<std::string_view, Ref<Constructor>> constructors_;
  std::unordered_map<std::string_view, Expr> missingConstants_;
  uint32_t missing_ = 0;  ///< of what the text refers to, with what attributes refer to
  std::vector<std::pair<relax::GlobalVarRef, ir::BaseFunc>> functions_;
  std::vector<std::pair<Str, NodeRef>> types_;
  size_t preludeFunctions_ = 0, preludeTypes_ = 0;  ///< how many of them, the first, are the prelude's

  std::string_view metadataText_;
  uint32_t metadataBegin_ = 0;
  std::optional<Metadata> metadata_;
  bool metadataLost_ = false;
};

template <class Body>
auto Reader::nested(Body body) -> decltype(body()) {
  using Value = decltype(body());
  if (depth_ >= kMaxNesting) {
    error(spanOf(peek()), "relay.nesting",
          "this is nested " + std::to_string(kMaxNesting) + " levels deep; the limit is there");
    return Value();
  }
  ++depth_;
  Value value = withStack(body);
  --depth_;
  return value;
}

}  // namespace rx::relay
