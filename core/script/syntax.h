// The syntax tree of one statement at a time. Nodes live in an arena that is reused for the next statement, so the
// memory of a reading is that of its largest statement. Chains of operators are loops here; real nesting is counted
// and refused beyond kMaxNesting.
#pragma once

#include <span>

#include "core/script/lexer.h"

namespace rx::script {

using NodeId = uint32_t;
constexpr NodeId kNoNode = 0;  ///< node 0 is never used

enum class Syn : uint8_t {
  None,
  Name,  ///< name
  Int,   ///< value of the text; `wide` when it does not fit int64
  Float,
  Text,  ///< a string (adjacent literals joined at evaluation: kids)
  True,
  False,
  NoneLit,
  Ellipsis,
  Attr,     ///< a . name
  Call,     ///< a ( kids )
  Keyword,  ///< name = a (an argument)
  Star,     ///< * a
  DoubleStar,
  Index,  ///< a [ kids ]; a tuple index is several kids; `tuple` in op when there was a comma
  Slice,  ///< a : b : c
  Tuple,
  List,
  Dict,     ///< kids: key, value, key, value
  Binary,   ///< a op b
  Unary,    ///< op a
  Compare,  ///< a op b
  And,      ///< kids
  Or,
  Not,
  IfExp,   ///< a if b else c
  Lambda,  ///< kids: parameter names (Name nodes), then the body last
  Python,  ///< something that only Python can evaluate; name tells what (f-string, comprehension, ...)
};

struct SynNode {
  Syn kind = Syn::None;
  Tok op = Tok::Invalid;
  bool wide = false;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t a = 0;  ///< node, or name of Name
  uint32_t b = 0;  ///< node, name of Attr and Keyword, or number of kids
  uint32_t c = 0;  ///< node, or first kid
};

enum class StmtKind : uint8_t {
  End,        ///< of the text
  BlockEnd,   ///< of the innermost block
  Expr,       ///< a
  Assign,     ///< kids of a: targets; b: value
  AnnAssign,  ///< a: target, b: annotation, c: value or none
  AugAssign,  ///< a op= b
  Return,     ///< a or none
  For,        ///< a: target, b: iterable
  While,      ///< a
  If,         ///< a
  Elif,       ///< a
  Else,
  With,    ///< kids of a: items; each is a Tuple of (context, target or none) in a and b
  Assert,  ///< a, b: message or none
  Def,     ///< name, params, a: return annotation or none, decorators
  Class,   ///< name, decorators
  Pass,
  Break,
  Continue,
  Import,  ///< import and from
  Other,   ///< try, raise, del, global, ...: name is the keyword
  Error,   ///< could not be read; reported
};

struct Param {
  NameId name = Names::kNone;
  NodeId annotation = kNoNode;
  NodeId fallback = kNoNode;
  bool star = false;
  uint32_t begin = 0, end = 0;
};

/// A statement; node ids are valid until the next one is read.
struct Statement {
  StmtKind kind = StmtKind::End;
  Tok op = Tok::Invalid;
  NameId name = Names::kNone;
  NodeId a = kNoNode, b = kNoNode, c = kNoNode;
  uint32_t begin = 0, end = 0;
  std::vector<NodeId> decorators;
  std::vector<Param> params;
  std::vector<NodeId> items;  ///< targets of Assign; contexts and targets of With, alternating
};

/// Reads statements out of a range of a text.
class Syntax {
 public:
  Syntax(std::string_view text, uint32_t begin, uint32_t end, uint32_t file, Names& names);

  /// The next statement. A compound statement (For, While, If, Elif, Else, With, Def, Class) is followed by those of
  /// its body, up to its BlockEnd. Invalidates all nodes.
  void next(Statement& out);
  /// Skips the body of the compound statement just read, without its BlockEnd.
  void skipBody();
  /// Offset where the body of the compound statement just read begins (the rest of its line).
  uint32_t bodyBegin() const { return bodyBegin_; }
  /// True when the statement after a BlockEnd is elif or else.
  bool atElse();

  const SynNode& node(NodeId id) const { return nodes_[id]; }
  std::span<const NodeId> kids(const SynNode& n) const { return {kids_.data() + n.c, n.b}; }
  Span spanOf(NodeId id) const { return {nodes_[id].begin, nodes_[id].end, file_}; }
  std::string_view textOf(NodeId id) const { return text_.substr(nodes_[id].begin, nodes_[id].end - nodes_[id].begin); }
  std::string_view text() const { return text_; }
  uint32_t file() const { return file_; }
  Names& names() { return *names_; }
  /// Reads a range of the same text as an expression into the present arena; kNoNode when it is none (reported).
  NodeId expressionIn(uint32_t begin, uint32_t end);
  /// Value of Int: false when it does not fit 64 bits unsigned.
  bool intValue(NodeId id, uint64_t& value) const;
  double floatValue(NodeId id) const;
  /// Value of Text.
  std::string textValue(NodeId id) const;
  /// The same without a copy where the literal holds no escapes and is one piece; false otherwise.
  bool plainText(NodeId id, std::string_view& value) const;

  std::vector<Diagnostic>& diagnostics();

 private:
  struct Saved;
  void advance();
  bool accept(Tok kind);
  bool accept(Keyword keyword);
  bool expect(Tok kind, const char* what);
  void error(const Token& token, std::string message, std::string fix = {});
  bool nest();
  NodeId add(Syn kind, uint32_t begin, uint32_t end, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  NodeId addList(Syn kind, uint32_t begin, uint32_t end, uint32_t a, std::span<const NodeId> kids);
  NodeId python(uint32_t begin, std::string_view what);

  NodeId expressionList();
  /// A name or literal that is an expression by itself: most are, and need not go through all binding strengths.
  bool atLeaf() const;
  NodeId test();
  NodeId lambda();
  NodeId orTest();
  NodeId andTest();
  NodeId notTest();
  NodeId comparison();
  NodeId binary(int level);
  NodeId unary();
  NodeId power();
  NodeId postfix();
  NodeId atom();
  NodeId bracketed(Tok open);
  NodeId dictOrSet();
  NodeId textAtom();
  NodeId argument();
  NodeId subscriptItem();
  NodeId comprehension(NodeId first, uint32_t begin);
  /// Arguments up to the closing bracket of the one at `open`.
  void callArguments(std::vector<NodeId>& args, uint32_t open);
  /// Says which bracket is not closed.
  void closeExpected(uint32_t open);

  void simple(Statement& out);
  void begin(Statement& out);
  bool openBody(Statement& out);
  void decorated(Statement& out);
  void endOfStatement(bool wasInLine);
  void compound(Statement& out);
  void def(Statement& out);
  void with(Statement& out);
  void blockHead(Statement& out);
  void recover();

  std::string_view text_;
  uint32_t file_;
  Names* names_;
  Lexer lexer_;
  Token token_;
  uint32_t lastEnd_ = 0;
  std::vector<SynNode> nodes_;
  std::vector<NodeId> kids_;
  std::vector<NodeId> scratch_;
  uint32_t depth_ = 0;
  bool failed_ = false;    ///< the present statement
  bool inLine_ = false;    ///< a body on the line of its head
  bool headDone_ = false;  ///< a compound head was read; its body follows
  bool lineBody_ = false;
  bool pendingEnd_ = false;
  uint32_t bodyBegin_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace rx::script
