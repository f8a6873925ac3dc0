// Generic access to the fields of any node, from the field tables.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/ir/node.h"
#include "core/ir/origin.h"
#include "core/tensor/dtype.h"

namespace rx {

class HostTensor;

/// Receives the fields of a node in table order. Lists of nodes come as one call; elements may be null where the
/// field allows it. Enumerations come as integers.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void node(const char* name, Role role, const NodeRef& value) = 0;
  virtual void nodes(const char* name, Role role, std::span<const NodeRef> values) = 0;
  virtual void integer(const char* name, Role role, int64_t value) = 0;
  virtual void boolean(const char* name, Role role, bool value) = 0;
  virtual void real(const char* name, Role role, double value) = 0;
  virtual void text(const char* name, Role role, const Str& value) = 0;
  virtual void texts(const char* name, Role role, std::span<const Str> values) = 0;
  virtual void integers(const char* name, Role role, std::span<const int64_t> values) = 0;
  virtual void type(const char* name, Role role, DataType value) = 0;
  virtual void tensor(const char* name, Role role, const Ref<HostTensor>& value) = 0;
  virtual void span(const char* name, Role role, Span value) = 0;
  virtual void origin(const char* name, Role role, const OriginRef& value) = 0;
};
void visitFields(const Node& node, FieldVisitor& visitor);

/// Which node-valued fields a walk enters.
enum class Into : uint8_t {
  Parts = 1,  ///< Child and Define
  All = 3,    ///< Type too
};

/// Appends the node-valued fields in table order, one entry an element (null where a field is null).
void appendChildren(const Node& node, Into into, std::vector<const Node*>& out);
/// The node with its node-valued fields replaced, in the order of appendChildren; the very same node when none differs.
NodeRef withChildren(const NodeRef& node, Into into, std::span<const NodeRef> children);

/// Calls `pre` for the node and everything below it, parents first, without native recursion; `pre` returns whether to
/// go below. A node that is reached twice is visited twice.
void walk(const Node& root, Into into, const std::function<bool(const Node&)>& pre);
/// The same, each node once however often it is reached.
void walkOnce(const Node& root, Into into, const std::function<bool(const Node&)>& pre);
/// As walk, children first.
void walkPostOrder(const Node& root, Into into, const std::function<void(const Node&)>& post);

/// Rebuilds bottom-up without native recursion. `pre` may return a replacement that is not entered (null = enter);
/// `post` gets the rebuilt node and returns what stands in its place. A node that is shared is rewritten once.
/// Unchanged parts stay the same objects.
NodeRef rewriteNodes(const NodeRef& root, Into into, const std::function<NodeRef(const NodeRef&)>& pre,
                     const std::function<NodeRef(const NodeRef&)>& post);

}  // namespace rx
