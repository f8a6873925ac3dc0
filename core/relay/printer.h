// The printer of Relay's text. Private to core/relay.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/relay_bindings.h"
#include "core/relay/metadata_write.h"
#include "core/relay/text.h"
#include "core/relay/text_marks.h"

namespace rx::relay {

class Printer {
 public:
  explicit Printer(const TextOptions& options);
  script::PrintResult module(const ir::Module& module);
  /// One line (printer_values.cpp).
  std::string type(const Type& type);
  std::string attribute(const NodeRef& value);
  /// An expression on its own.
  std::string lone(const Expr& expr);
  void reserveMissing(const ir::Module& module);

 private:
  void countParents(const Expr& root);
  bool isShared(const relax::ExprNode& expr) const;
  std::string typeDefinition(const TypeData& data);
  std::string definition(const Var& var);
  std::string typeComment(const relax::ExprNode& expr);
  std::string function(const Function& function);
  std::string indentation() const;
  std::string block(const Expr& body);
  std::string scope(const Expr& body);
  std::string inlined(const Expr& expr);
  std::string printed(const Expr& root, bool inlineRoot);
  void leaf(const Expr& expr);
  /// What an expression is called where it is read.
  std::string operand(const Expr& expr);
  std::string operands(std::span<const Expr> exprs);
  std::string node(const Expr& expr);
  std::string callText(const Call& call);
  std::string matchText(const Match& match);
  std::string pattern(const PatternNode& pattern);

  // Values (printer_values.cpp)
  std::string types(std::span<const Type> types);
  std::string dimension(const tir::PrimExpr& dim);
  std::string constantText(const Constant& constant);

  TextOptions options_;
  MetadataWriter metadata_;
  std::unordered_map<const Node*, uint32_t> parents_;
  std::unordered_map<const Node*, std::string> texts_;
  TextNames names_;
  TextMarks marks_;
  size_t level_ = 0;
  std::string* lines_ = nullptr;  ///< of the scope that is being printed
};

}  // namespace rx::relay
