// What each language says of its modules: how they are read, written and checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/ir/structural_equal.h"
#include "core/ir/text_bindings.h"
#include "core/ir/text_scopes.h"
#include "core/script/parse.h"
#include "core/script/print_again.h"

namespace rx::compile {

/// A type in the words of its language, and what a tensor is.
struct TypeText {
  std::string text;
  bool isTensor = false;
  std::vector<std::string> dims;
  DataType dtype;
};

/// The path on the first line, then what each side has there, a line each. `module` is one of the two.
std::string differenceText(const Difference& difference, const ir::Module& module);
/// Reads a text of whatever language it is, by what it is written like and by the ending of its name.
Result<script::ParsedUnit> readUnit(const Ref<SourceFile>& source, const script::ParseOptions& options = {});
/// The same of all that a file offers.
script::ParsedFile readSource(const Ref<SourceFile>& source, const script::ParseOptions& options = {});
/// The text of a unit in its own language, as it was read: a function on its own is printed on its own.
script::PrintResult printUnit(const script::ParsedUnit& unit, const script::PrintOptions& options = {});
/// The text of a module in its own language.
script::PrintResult printModule(const ir::Module& module, const script::PrintOptions& options = {});
/// The same, with bodies of functions taken from a text before where their language can (script::printAgain).
script::PrintResult printAgain(const ir::Module& module, const script::PrintOptions& options,
                               const script::PrintedBefore& before, std::vector<script::PrintedBody>* bodies);
std::string moduleText(const ir::Module& module);
/// How names of files with such texts end, with the dot.
std::string_view endingOf(const ir::Module& module);
/// The module in a language that code is generated from: itself, or what the passes of its language make of it.
Result<ir::Module> compiledForm(const ir::Module& module, const CancelToken& cancel = {});
/// The module with the types of what it computes, where its text leaves them out and they can be told; its functions
/// bind the same (ir::textFunctions).
ir::Module typedForm(const ir::Module& module, const CancelToken& cancel = {});
/// A type of a module in a language that has types of its own; nothing for the StructInfo of Relax.
std::optional<TypeText> typeText(const relax::StructInfoNode& type);
/// Where the bindings of a function are computed, in a language whose text may write them elsewhere; no scopes for the
/// others.
ir::TextScopes scopesOf(const ir::BaseFunc& function, const ir::TextFunction& text);
/// The pass that binds every value in the scope in which it is computed, as a pipeline names it; empty where the
/// language, by its name, has no such scopes.
std::string_view scopedForm(std::string_view language);
/// What is ill formed in a module, by the rules of its language.
std::vector<Diagnostic> wellFormed(const ir::Module& module);
/// Warnings of what a run of the module will refuse, as far as its text shows it (lower::visibleFaults).
std::vector<Diagnostic> visibleFaults(const ir::Module& module);

}  // namespace rx::compile
