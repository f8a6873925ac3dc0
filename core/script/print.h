// TVMScript text of the IR. Printing then reading gives a structurally equal module, in every dialect that can say it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/support/diagnostic.h"

namespace rx::script {

struct ParsedUnit;

/// Eras of the text that can be written; what they can not say is a warning.
enum class Dialect : uint8_t { V018, V025, V027 };

struct PrintOptions {
  Dialect dialect = Dialect::V025;
  bool showMetadata =
      true;  ///< constants and what has no text of its own go in a prologue; else a note says they are left out
  bool showAnnotations = true;  ///< StructInfo of every binding; false leaves out what deduction gives again
  bool wantAnchors = false;     ///< fill PrintResult::anchors and names
  std::string moduleName = "Module";
  std::string functionName = "main";  ///< name of a lone function
};

/// A range of the text that stands for a node: a function, a binding, a TIR statement or block. `node` is owned by what
/// was printed.
struct Anchor {
  const Node* node = nullptr;
  uint32_t begin = 0;  ///< byte offsets into the text
  uint32_t end = 0;
};

enum class NameRole : uint8_t {
  Definition,  ///< of a Relax variable, or of a function: `node` is that
  Use,         ///< of a Relax variable, or of a function of the module by its GlobalVar
  Operator,    ///< "R.add" of the call that `node` is
};

/// A name of Relax in the text, without "cls.". `node` is owned by what was printed.
struct NamePlace {
  const Node* node = nullptr;
  uint32_t begin = 0;  ///< byte offsets into the text
  uint32_t end = 0;
  NameRole role = NameRole::Use;
};

struct PrintResult {
  std::string text;
  std::vector<Anchor> anchors;       ///< in the order of `begin`, outer before inner
  std::vector<NamePlace> names;      ///< in the order of `begin`, none over another
  std::vector<Diagnostic> warnings;  ///< script.dialect: what the chosen era can not say
};

/// A module, a function (relax, PrimFunc), or any other node on its own. Ends without a line break.
PrintResult print(const NodeRef& node, const PrintOptions& options = {});
inline PrintResult printModule(const ir::Module& module, const PrintOptions& options = {}) {
  return print(module, options);
}

/// A unit of text as it was: a function on its own is printed on its own.
PrintResult printUnit(const ParsedUnit& unit, PrintOptions options = {});

/// One-line texts for messages and tables. Variables are printed by their own names.
std::string printExpr(const relax::Expr& expr);
std::string printStructInfo(const relax::StructInfo& info);
std::string printPrimExpr(const tir::PrimExpr& expr);
/// Any node. For a Difference there is differenceText (core/script/difference.h).
std::string printNode(const Node& node);

}  // namespace rx::script
