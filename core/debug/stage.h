// A stage of the module (the import, or the module after a pass) as the debugger names places in it: functions and
// their bindings, numbered in text order, and the way from a source binding to the bindings that came from it.
#pragma once

#include <compare>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/text_bindings.h"

namespace rx::debug {

/// One binding. Ordinals count all bindings of a function in text order; a binding comes before those inside its value
/// (the branches of an `if`, the body of a local function).
struct StageBinding {
  int ordinal = 0;
  int parent = -1;   ///< ordinal of the binding whose value it stands in
  int sequence = 0;  ///< number of the sequence that it stands in (a body, a branch), by where they begin
  Str variable;
  uint32_t file = Span::kNone;  ///< number of the source that the module was read from
  uint32_t line = 0;            ///< one-based first line there, 0 when unknown
  uint32_t lastLine = 0;
  Array<OriginSite> sites;  ///< source bindings it came from; its own place when it carries none
  Str pass;                 ///< the pass that made it, empty for an imported one
  bool works = true;        ///< computes something; allocations, names and tuples of what is there do not
  bool manages = false;     ///< a call that makes room, ends a value or makes a shape: stepping passes over it
  int outputs = 0;          ///< of a call: how many buffers it is the first to write
  /// Of another name of a value or of its item, and of an allocation: ordinal of the binding that computes the value,
  /// or is the first to write its buffer.
  int source = -1;
  std::vector<int> items;  ///< of an item of what `source` computes: which, through tuples in each other
  int buffer = -1;         ///< and ordinal of the allocation of that buffer
  bool echo = false;  ///< it comes from the same source bindings as `source`: no step of its own in what was written

  /// Whether it is an allocation that a call writes.
  bool isRoom() const { return buffer == ordinal; }
};

struct StageFunction {
  Str name;
  std::vector<Str> params;
  std::vector<StageBinding> bindings;
  uint32_t file = Span::kNone;  ///< as those of a binding
  uint32_t line = 0;
  uint32_t lastLine = 0;
};

/// A binding of a stage: index into Stage::functions and ordinal. Invalid when `ordinal` is -1.
struct StagePlace {
  int function = -1;
  int ordinal = -1;
  bool known() const { return ordinal >= 0; }
  auto operator<=>(const StagePlace&) const = default;
};

/// What a line of a source stands for: a binding, or the return of a function.
struct LinePlace {
  StagePlace binding;
  int returnOf = -1;  ///< index of the function whose last lines these are
};

/// Immutable once made.
class Stage {
 public:
  /// Numbers the functions of a module; keeps it alive.
  Stage(std::string title, const ir::Module& module, std::string hash = {});
  /// From rows, as a trace file keeps them; no binding has a node then.
  Stage(std::string title, std::vector<StageFunction> functions, std::vector<std::string> files, std::string hash = {});

  const std::string& title() const { return title_; }
  /// Structural hash of the imported module, hexadecimal, by which a recording knows its module; empty for the stages
  /// that passes made.
  const std::string& hash() const { return hash_; }
  /// The module, null where the stage was made from rows.
  const ir::Module& module() const { return module_; }
  /// Names of the sources that StageBinding::file counts.
  const std::vector<std::string>& files() const { return files_; }
  const std::vector<StageFunction>& functions() const { return functions_; }
  /// Index of a function, -1 when the stage has none of that name.
  int functionIndex(std::string_view name) const;
  const StageBinding* binding(StagePlace place) const;

  /// The places that came from a source binding, in order.
  const std::vector<StagePlace>& placesOf(const OriginSite& site) const;
  /// The binding that best stands for a set of source bindings: shares most of them relative to all that either has,
  /// then lies in `function`, then is called `variable`, then works (of an allocation, the call that writes it and a
  /// name for the result, the call), then comes last (of several bindings that became one kernel, the last is the one
  /// whose value the kernel gives).
  StagePlace bestPlace(const Array<OriginSite>& sites, std::string_view function, std::string_view variable) const;
  /// What a one-based line of source file number `file` stands for: see stage_lines.h.
  LinePlace placeAtLine(uint32_t file, uint32_t line) const;

 private:
  struct SiteHash {
    size_t operator()(const OriginSite& site) const;
  };
  void linesOf(const Span& span, uint32_t* file, uint32_t* first, uint32_t* last) const;
  void addFunction(size_t number, const ir::TextFunction& function);
  void index();

  std::string title_;
  std::string hash_;
  ir::Module module_;
  std::vector<std::string> files_;
  std::vector<StageFunction> functions_;
  std::unordered_map<OriginSite, std::vector<StagePlace>, SiteHash> bySite_;
};

}  // namespace rx::debug
