// Finds the types that inference left open: unification, and the relations that operators put between types.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "core/ir/relay.h"
#include "core/relay/op_table.h"
#include "core/support/cancel.h"
#include "core/support/diagnostic.h"
#include "core/support/pointer_map.h"

namespace rx::relay {

class Solver {
 public:
  /// What a relation is asked of: the types of the arguments, then that of the result (null: nothing is asked of it),
  /// the call and its place.
  struct Relates {
    Relation relation;
    Ref<Call> call;
    std::vector<Type> types;
    size_t inputs;
  };

  /// What asks for two types to be the same: why, and where it and they stand, as far as that is known.
  struct Asked {
    std::string_view why;
    Span place, first = {}, second = {};
  };

  /// Makes both the same; the type that both then have, null where none can be.
  Type fitted(const Type& lhs, const Type& rhs) { return unifyParts(lhs, rhs); }
  /// The same, with a finding where none can be.
  Type unify(const Type& lhs, const Type& rhs, const Asked& asked);
  /// Puts a relation between types of arguments and the type that it gives, which is open where they do not say it yet.
  /// Null (and a finding) where it is refused.
  Type relate(Relation relation, Ref<Call> call, std::vector<Type> inputs);
  /// Asks the relations whose types became known, until none is left; what they refuse is found then. False when that
  /// was cancelled.
  bool solve(const CancelToken& cancel);
  /// The type with all that is known of it filled in.
  Type resolve(const Type& type);
  /// The same of its outermost part only.
  Type outermost(const Type& type) const;
  void refuse(Diagnostic finding) { findings_.push_back(std::move(finding)); }
  const std::vector<Diagnostic>& findings() const { return findings_; }
  /// Relations that still wait.
  std::vector<const Relates*> waiting() const;

 private:
  /// The last open type of the chain that `type` stands for; null where it is known.
  const IncompleteType* root(const Type& type) const;
  bool occurs(const IncompleteType* open, const Type& type);
  void set(const IncompleteType* open, const Type& type);
  void updated(const Type& before, const Type& now);
  Type unifyKnown(const Type& lhs, const Type& rhs);
  Type unifyTensors(const TensorType& lhs, const TensorType& rhs);
  Type unifyFunctions(const FuncType& lhs, const FuncType& rhs);
  bool unifyDims(const tir::PrimExpr& lhs, const tir::PrimExpr& rhs, tir::PrimExpr& out);
  bool unifyAll(const Array<Type>& lhs, const Array<Type>& rhs, std::vector<Type>& out);
  Type unifyParts(const Type& lhs, const Type& rhs);
  void openTypes(const Type& type, std::vector<const IncompleteType*>& out);

  PointerMap<IncompleteType, Type> known_;
  std::vector<Type> kept_;  ///< keys of the maps stay alive
  std::unordered_map<const IncompleteType*, std::vector<uint32_t>> waitingFor_;
  std::unordered_map<const tir::Var*, tir::PrimExpr> dims_;
  std::deque<Relates> relations_;
  std::deque<uint32_t> ready_;
  std::vector<uint8_t> state_;
  std::vector<Diagnostic> findings_;
};

/// The type with variables replaced.
Type substitute(const Type& type, const std::unordered_map<const Node*, Type>& variables);

}  // namespace rx::relay
