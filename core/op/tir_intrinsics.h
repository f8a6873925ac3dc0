// The table of TIR intrinsics: one row each, keyed by name.
#pragma once

#include <span>
#include <string_view>

#include "core/ir/relax.h"

namespace rx::op {

/// The element type of a call.
enum class TirType : uint8_t { Arg0, Arg1, Given, Bool, Int32, UInt32, UInt64, Handle, Void };
/// Where a text says the type of the call: not, as its first argument, as its last.
enum class TirTypePlace : uint8_t { None, First, Last };
enum class TirEffect : uint8_t { Pure, Read, Effect, Control };

struct TirIntrinsic {
  std::string_view name;  ///< "exp"
  std::string_view text;  ///< as written after `T.`; differs for call_packed and its kin
  int8_t minArgs;
  int8_t maxArgs;  ///< -1 = any
  TirType type;
  TirTypePlace typePlace;
  TirEffect effect;
  relax::OpRef op;  ///< "tirx.exp"; one object a name
};

std::span<const TirIntrinsic> tirIntrinsics();
/// By short name ("exp", "tvm_call_packed") or by full name of any era ("tir.exp", "tirx.exp"); null when there is
/// none.
const TirIntrinsic* findTirIntrinsic(std::string_view name);
/// The row of an operator node; null for a Relax operator or an intrinsic of another table.
const TirIntrinsic* tirIntrinsicOf(const relax::Op* op);
/// The operator of a row that exists (short name).
relax::OpRef tirOp(std::string_view name);

}  // namespace rx::op
