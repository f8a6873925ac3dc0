// core/pass: what a pass is (row, options, contract, context), the pipeline text, the runner and its history.
//
// A pass is one row of a table (name as in TVM, one line of help, options, contract) and one function from module to
// module. It never edits its input, turns any failure into diagnostics and polls the cancellation flag.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/support/result.h"
#include "core/target/target.h"

namespace rx::pass {

/// Form of an option's value in the pipeline text.
enum class OptionKind : uint8_t { Bool, Int, Text, TextList, Dict, Any };

/// One option of a pass: its name as in TVM, its form, what it is when left out (as written in the pipeline text).
struct OptionSpec {
  const char* name;
  OptionKind kind;
  const char* fallback;
  const char* help;
};

/// What must hold before a pass and what holds after it.
enum class Contract : uint8_t {
  None = 0,
  NeedsNoDataflow = 1,  ///< runs after ToNonDataflow; else it says pass.contract
  KeepsNormalForm = 2,  ///< the result is well formed when the input was
  LowersForVm = 4,      ///< the result may hold forms that only the VM's code generation takes
};

/// Why a pass left a binding as it is, where it changes others like it.
struct Remark {
  relax::VarRef binding;  ///< of the module that the pass got
  std::string text;
  Str function = {};     ///< whose binding it is, and
  int64_t ordinal = -1;  ///< which of it in the order of the text, nested ones included: the runner finds that out
};

/// What a pass may look at beside its module and options.
struct PassContext {
  target::TargetRef target;  ///< null = none
  ir::Attrs config;          ///< e.g. relax.backend.use_cuda_graph
  int optLevel = 2;
  std::vector<std::string> disabled;  ///< names of passes to leave out, required or not
  std::vector<std::string> required;  ///< names of passes to run whatever the level
  CancelToken cancel;
  std::vector<Diagnostic> messages;  ///< notes and warnings of the running pass
  /// Takes remarks. Null where nobody listens: then nothing is worked out for them.
  std::vector<Remark>* remarks = nullptr;
};

/// The least level of a context at which a pass runs without being required, as TVM's passes have it.
enum class Level : uint8_t { Always = 0, One = 1 };

using PassFunction = Result<ir::Module> (*)(const ir::Module&, const ir::Attrs& options, PassContext&);

struct PassRow {
  const char* name;
  const char* help;
  std::span<const OptionSpec> options;
  Contract contract;
  PassFunction run;
  Level level = Level::Always;
  /// A named pipeline instead of a function: the text it stands for, empty otherwise.
  const char* expandsTo = "";
  /// The language whose modules it takes, where that is neither Relax nor TIR.
  const char* language = "";
  /// The language of what it gives, where that is another.
  const char* gives = "";
};

/// The rows of one or several layers, to look names up in.
class PassTable {
 public:
  explicit PassTable(std::initializer_list<std::span<const PassRow>> layers);
  /// TVM's spaces of passes may stand before it: "s_tir.CanonicalizeLoop", "relax.transform.FuseOps".
  /// A name means the pass of `language` where that has one; "relay.FuseOps" and "relax.FuseOps" say which is meant.
  const PassRow* find(std::string_view name, std::string_view language = {}) const;
  std::span<const PassRow> rows() const { return rows_; }

 private:
  std::vector<PassRow> rows_;
};

/// Why a context leaves a pass out of a pipeline, as PassContext of TVM does; empty where it runs.
std::string whyLeftOut(const PassRow& row, const PassContext& context);

/// Writes names of passes as their rows do. Fails with pass.unknown-name where a context disables or requires what is
/// no pass of the table, and with pass.pipeline-name where it is a pipeline, which is its passes.
Result<Unit> checkContext(const PassTable& table, PassContext& context);

/// One step of a pipeline: a row and its options (by name; options left out are absent).
struct PassCall {
  const PassRow* row = nullptr;
  ir::Attrs options;
  /// `FuseOps(fuse_opt_level=1)`
  std::string text() const;
};

/// Reads `Name(option=literal, ...), Name(...)`; a name alone is a call without options, a row with `expandsTo` is
/// replaced by its steps, and so is `Sequential([...])`; what follows a # is a comment up to the end of its line.
/// Literals are those of TVMScript; a tensor is {"ndarray": nested list, "dtype": text}.
/// Errors (pass.unknown-name, pass.unknown-option, pass.syntax, ...) carry a span into `source`.
/// `language` is that of the module, for names that several languages have; a pass that gives another changes it for
/// those behind it.
Result<std::vector<PassCall>> parsePipeline(const PassTable& table, std::string_view text,
                                            std::string_view language = {});

}  // namespace rx::pass
