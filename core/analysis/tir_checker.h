// Well-formedness of PrimFuncs; private to core/analysis.
#pragma once

#include <unordered_set>

#include "core/analysis/findings.h"
#include "core/analysis/well_formed.h"

namespace rx::analysis {

/// Every variable is defined before its use and once, blocks use loop variables through their iteration variables only.
class TirChecker {
 public:
  TirChecker(const WellFormedOptions& options, Findings& findings) : options_(options), findings_(findings) {}
  void check(const relax::GlobalVar& name, const tir::PrimFunc& function);

 private:
  struct Task {
    enum Kind : uint8_t { Statement, Leave, LeaveBlock } kind;
    const Node* node = nullptr;
    size_t at = 0;
  };
  void statement(const Node* node);
  void block(const tir::Block& block);
  void scope(const tir::Stmt& body);
  void expr(const Node* e);
  void exprs(const Array<tir::PrimExpr>& list) {
    for (const auto& e : list) expr(e.get());
  }
  void define(const tir::Var& var, Span span);
  /// Variables that are dimensions by themselves.
  void defineSymbols(const tir::Buffer& buffer);
  /// Defines what the buffer introduces: its data, and variables that are dimensions by themselves.
  void buffer(const tir::Buffer& buffer, bool definesSymbols);
  void useBuffer(const tir::Buffer& buffer);
  void useVar(const tir::Var& var, Span span);
  void regions(const Array<Ref<tir::BufferRegion>>& list);

  const WellFormedOptions& options_;
  Findings& findings_;
  std::vector<Task> tasks_;
  ScopedMap<tir::Var, uint32_t> vars_;  ///< the block depth at which a loop or block variable is defined
  std::vector<size_t> marks_;
  std::unordered_set<const Node*> loopVars_, reported_, threads_;
  uint32_t blockDepth_ = 0;
};

}  // namespace rx::analysis
