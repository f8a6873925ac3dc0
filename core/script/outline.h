// The outline of a file: where its modules and functions are, found without reading them or the code around them.
#pragma once

#include <string_view>
#include <vector>

#include "core/script/parse.h"

namespace rx::script {

struct OutlineUnit {
  enum class Kind : uint8_t { Module, Relax, PrimFunc };
  Kind kind = Kind::Module;
  std::string_view name;
  std::string_view function;  ///< the Python function around it, or empty
  uint32_t begin = 0;         ///< start of the line of its first decorator
  uint32_t end = 0;           ///< start of the first line behind it
  std::string_view heading;   ///< the last line of other code between the unit before and this one, or empty
};

/// The imports of a file: what its modules call the dialects, and which era the names of the imported are of.
struct Imports {
  /// Names of dialects beside T, R and I: `from tvm.script import relax as rx` gives ("rx", "R").
  std::vector<std::pair<std::string_view, std::string_view>> aliases;
  bool tir = false, tirx = false, tirxLayout = false, tileLang = false;

  /// Python could not run the file: it is a text that a printer wrote, whose imports are comments.
  bool printed() const { return aliases.empty(); }
  /// "T", "R" or "I" of a name that the file gives a dialect; other names as they are.
  std::string_view dialectOf(std::string_view name) const;
};

struct Outline {
  Imports imports;
  std::vector<OutlineUnit> units;
  struct Decorator {
    uint32_t begin;         ///< of its line
    std::string_view path;  ///< "I.ir_module"
  };
  std::vector<Decorator> others;   ///< decorators that announce nothing
  std::vector<uint32_t> nameless;  ///< heads of a class or function without a name, behind an announcing decorator
  struct Literal {
    uint32_t begin = 0, end = 0;  ///< with its quotes
  };
  std::vector<Literal> metadata;  ///< those in metadata = ...load_json("""...""")
  uint32_t skipped = 0;           ///< lines of other code
  uint32_t firstSkipped = 0;      ///< where the first of them is
  std::vector<std::string_view>
      typeVars;  ///< names of `n = TypeVar("n")`: symbolic variables of every function (v0.26)
  /// The metadata that a unit refers to: it is printed above its unit, or else below; empty where there is none.
  Literal metadataOf(const OutlineUnit& unit) const;
};
Outline outlineOf(std::string_view text);

}  // namespace rx::script
