// What the field tables do not say of nodes that are read from data: which fields may be missing, what has to fit
// together in a node, how operators are found again. For the readers of JSON and of bytes; private to core/script.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/all_nodes.h"
#include "core/script/ir_bytes.h"
#include "core/script/node_prototypes.h"
#include "core/support/result.h"

namespace rx::script {

class NodeChecks {
 protected:
  /// Without `relay`, nodes that name Relay's operators are refused.
  explicit NodeChecks(FindOperator relay = nullptr) : relay_(relay) {}
  Failure failed() const { return fail(rule_, message_); }
  const std::string& refusal() const { return message_; }
  /// Keeps the first refusal; false.
  bool refuse(std::string rule, std::string_view message);
  /// A field of the node that is read now does not hold what it has to.
  bool wrong(const char* field, std::string_view what);
  /// Whether that node may lack a field that holds a node.
  bool mayBeNull(const char* field) const;

  /// Makes a node of `kind`; `set(member, field name)` fills each of its fields and returns false where it can not.
  /// The node becomes the next of nodes_.
  template <class Set>
  bool addNode(Kind kind, Set set) {
    kind_ = kind;
    NodeRef made;
    withNodeType(kind, [&]<class T>() {
      T* node = blankNode<T>();
      Ref<T> owner(node);
      bool ok = true;
      T::fields([&](const char* name, auto member, Role) {
        if (ok) ok = set(node->*member, name);
      });
      if (!ok || !checked(*node)) return;
      if constexpr (requires { node->index(); }) node->index();
      made = owner;
    });
    if (!made) return false;
    nodes_.push_back(std::move(made));
    return true;
  }
  /// Whether nodes of that kind are found by their names, not made.
  static bool isOperator(Kind kind) { return kind == Kind::relax_Op || kind == Kind::relay_Op; }
  /// The operator of that name as the next of nodes_: of a table, or an intrinsic.
  bool addOperator(Kind kind, const std::string& name);

  std::vector<NodeRef> nodes_;  // in the order in which they were read

 private:
  template <class T>
  bool checked(const T&) {
    return true;
  }
  bool checked(const relax::Call& v);
  bool checked(const relax::TensorStructInfo& v);
  bool checked(const relax::ShapeStructInfo& v);
  bool checked(const relax::ShapeExpr& v) { return areSizes(v.values); }
  bool checked(const ir::DictAttrs& v);
  bool checked(const ir::IRModule& v);
  bool checked(const tir::PrimFunc& v);
  bool checked(const tir::Reduce& v);
  bool checked(const tir::For& v);
  bool checked(const tir::IterVar& v);
  bool areSizes(const Array<tir::PrimExpr>& values);

  FindOperator relay_;
  Kind kind_ = Kind::kCount;
  std::unordered_map<std::string, NodeRef> intrinsics_;
  std::string rule_, message_;
};

}  // namespace rx::script
