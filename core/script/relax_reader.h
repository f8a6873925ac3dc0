// State of reading the Relax part of a module.
#pragma once

#include "core/build/block_builder.h"
#include "core/op/make_call.h"
#include "core/op/op_table.h"
#include "core/script/reader.h"

namespace rx::script {

/// A binding of a branch that waits: the last one of a branch names what the branch gives.
struct Pending {
  bool set = false;
  NameId name = Names::kNone;
  relax::Expr value;
  relax::StructInfo annotation;
  Span span;
};

enum class RelaxFrameKind : uint8_t { Function, Dataflow, Then, Else };

/// A block of Relax statements that is being read.
struct RelaxFrame {
  explicit RelaxFrame(RelaxFrameKind k) : kind(k) {}
  RelaxFrameKind kind;
  Span span;
  // Function
  NameId name = Names::kNone;
  relax::StructInfo ret;
  bool pure = true;
  bool isPrivate = true;
  bool local = false;
  relax::Expr self;       ///< what its own body calls it: a GlobalVar, or the Var of a local function
  bool selfUsed = false;  ///< a local function: its body names it
  bool circular = false;  ///< the function and others use each other as values
  std::vector<std::pair<Str, NodeRef>> attrs;
  relax::Expr output;
  bool outputDataflowVar = false;
  // Dataflow: output names with the place of their last binding
  std::vector<std::pair<NameId, uint32_t>> outputs;
  bool outputDone = false;
  // Then, Else
  relax::Expr cond;
  relax::SeqRef thenBranch;
  NameId thenName = Names::kNone;
  Pending pending;
  relax::VarRef lastVar;  ///< what the last statement bound, when it is emitted already
  NameId lastName = Names::kNone;
};

struct Reader::Relax {
  build::ModuleContext module;
  build::BlockBuilder builder{&module};
  std::vector<RelaxFrame> frames;
  ir::Attrs attrs;
  std::unordered_map<NameId, NodeRef> extern_;  ///< GlobalVars of a lone function
  /// What functions of TIR are said to return, by their names in the module.
  std::unordered_map<std::string, DataType> primReturns;
  struct ValueUse {
    relax::GlobalVarRef user, used;
  };
  std::vector<ValueUse> valueUses;  ///< functions that stand in others as values
  bool symbolicTexts = false;       ///< names in texts of dimensions may define symbols
  bool refusedIf = false;           ///< the last statement was an `if` that was refused

  Relax() { builder.setOpNormalization(false); }
};

/// A Python value as an argument of a function: truth values are integers there; null for what can not be one.
relax::Expr argumentOf(const NodeRef& value);

/// May start, or stand inside, a name.
inline bool identStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
inline bool identPart(char c) { return identStart(c) || (c >= '0' && c <= '9'); }

}  // namespace rx::script
