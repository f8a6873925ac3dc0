// Single assignment: every variable and buffer of a module has one definition.
#pragma once

#include <unordered_set>
#include <vector>

#include "core/ir/relax.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

/// Gives variables and buffers that are defined again a new identity, from the second definition on. One object sees
/// all functions of a module.
class SsaConverter : public Rewriter {
 public:
  tir::PrimFuncRef function(const tir::PrimFuncRef& function);

 protected:
  tir::Stmt visit(const tir::Stmt& statement) override;
  NodeRef enter(const NodeRef& node) override;
  tir::BufferRef define(const tir::BufferRef& buffer) override;
  tir::BufferRef use(const tir::BufferRef& buffer) override;

 private:
  class Region;
  /// The present identity of what a node defined, and the region whose end forgets it.
  struct Identity {
    NodeRef node;
    size_t region;
  };
  tir::VarRef defineVar(const tir::VarRef& var);
  void remap(const NodeRef& from, NodeRef to, size_t region);
  const Identity* identityOf(const Node* node) const;
  tir::BufferRef rebuiltBuffer(const tir::BufferRef& buffer);
  size_t regionOf(const tir::Buffer& buffer) const;
  Array<tir::BufferRef> parameterBuffers(const tir::PrimFunc& function);
  tir::Stmt body(const tir::Stmt& statement);
  tir::Stmt binding(const tir::Bind& bind);
  tir::Stmt branch(const tir::IfThenElse& branch);
  tir::Stmt attribute(const Ref<tir::AttrStmt>& attribute);

  std::unordered_set<NodeRef> defined_;  ///< variables and buffers
  std::unordered_map<const Node*, std::vector<Identity>> identities_;
  std::vector<std::vector<const Node*>> regions_;  ///< what each open region has remapped
};

/// A body in which statements were duplicated, with one definition a variable.
tir::Stmt toSsa(const tir::Stmt& body);

}  // namespace rx::lower
