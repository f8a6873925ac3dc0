// TVMScript text in: every era from the 2022 text to v0.27, read as text. Nothing of a file is ever executed.
//
// The lexer (lexer.h) cuts tokens out of the source without copying, the syntax parser (syntax.h) makes a compact tree
// of the Python subset that TVMScript uses, and the readers (tir_reader.h, relax_reader.h) turn the tree of one module
// or function into IR: TIR directly, Relax through the builder of core/build, in normal form and with StructInfo.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"

namespace rx::script {

/// Eras of the text, oldest first. A file's era is the oldest that explains every spelling in it.
enum class Era : uint8_t {
  Rfc2022,   ///< `Tensor[(n, m), "float32"]`, `relax.match_shape`
  Mid2022,   ///< `Tensor((n, m), "float32")`, `type_args=`, `dtype=` on call_tir
  Late2022,  ///< `R.match_shape`, `T.var("int64")`
  V016,      ///< StructInfo, v0.16 to v0.22
  V024,      ///< `T.sblock`, tirx
  V025,      ///< `s_tir=True`, `T.let`
  V027,      ///< `out_ty`, `R.Any`, `T.int64` parameters
};
/// "2022 (RFC)", "mid 2022", "late 2022", "v0.16-v0.22", "v0.24", "v0.25", "v0.26-v0.27".
std::string_view eraName(Era era);

/// Real nesting (parentheses, tuples, blocks, functions) beyond this is refused with script.nesting.
constexpr uint32_t kMaxNesting = 1000;

struct ParseOptions {
  /// Index of the source in the module's source list, as spans carry it.
  uint32_t fileIndex = 0;
  /// The module or function to read; empty = the only one, or `Module`, or the last one. parseModule only.
  std::string name;
  /// At most this many errors are collected for a module.
  size_t maxErrors = 200;
  CancelToken cancel;
};

/// A module or function that a file offers.
struct ParsedUnit {
  std::string name;      ///< of the class or function
  std::string function;  ///< the enclosing Python function ("test_simple"), or empty
  Span span;             ///< decorator to last line
  bool isModule = false;
  bool isPrimFunc = false;
  Era era = Era::V025;                  ///< that its spelling belongs to
  ir::Module module;                    ///< null when it was refused; a lone function is a module of one function
  std::vector<Diagnostic> diagnostics;  ///< errors when it was refused, warnings and notes otherwise
};

/// A whole file.
struct ParsedFile {
  Ref<SourceFile> source;
  Era era = Era::V025;                  ///< of the unit that `find` gives for an empty name
  std::vector<ParsedUnit> units;        ///< in text order
  std::vector<Diagnostic> diagnostics;  ///< of the file as a whole: syntax errors, encoding, notes on what was skipped
  /// The unit of that name (the last one where a name repeats), or the default one for an empty name; null if none.
  const ParsedUnit* find(std::string_view name) const;
};

/// Reads all that a file offers. Never fails as a whole: what could not be read says why.
ParsedFile parseSource(const Ref<SourceFile>& source, const ParseOptions& options = {});

/// Reads one module: all errors of it when it is refused. Its `sources` holds the source.
Result<ir::Module> parseModule(const Ref<SourceFile>& source, const ParseOptions& options = {});
/// The same with what it was: a module, or a function on its own.
Result<ParsedUnit> parseUnit(const Ref<SourceFile>& source, const ParseOptions& options = {});

}  // namespace rx::script
