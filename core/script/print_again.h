// Printing a module of which much was printed before, as after a pass that changed little.
#pragma once

#include <span>
#include <string_view>

#include "core/ir/relax.h"
#include "core/script/print.h"

namespace rx::script {

/// The body of a Relax function in the text of its module, from behind the attributes to its end. Noted of those whose
/// text nothing decides but the function itself, its attributes left out, and the module's global infos: none that
/// speaks of the metadata block, or has attributes that declare variables.
struct PrintedBody {
  relax::FunctionRef function;
  uint32_t begin = 0;  ///< byte offsets into the text
  uint32_t end = 0;
  bool usesT = false;  ///< it needs T of the header
  bool copied = false;
};

/// A text of a module, printed with the same options.
struct PrintedBefore {
  ir::Module module;
  std::string_view text;
  std::span<const PrintedBody> bodies;
};

/// What printModule gives. A body that a function of `before` has as the same object, behind the same parameters and
/// result, is copied from there, and gets neither anchors nor names. `bodies` gets those of this text.
PrintResult printAgain(const ir::Module& module, const PrintOptions& options, const PrintedBefore& before,
                       std::vector<PrintedBody>* bodies);

}  // namespace rx::script
