// BuiltinLowering: packed calls on a stack of arguments, workspaces from the device's allocator.
#pragma once

#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"

namespace rx::lower {

/// Slots of the three stacks that packed calls use. A call's slots are free again behind it.
struct StackSizes {
  int64_t shapes = -1;  ///< -1: no shape is made; 0: only those of scalars
  int64_t arrays = 0;
  int64_t values = 0;
};

/// The stacks of one frame: of the whole body, or of the body of a parallel loop.
struct StackFrame {
  tir::VarRef values, arrays;
  tir::BufferRef shapes;
  StackSizes most;     ///< what calls need at most
  StackSizes running;  ///< what the calls around the present place hold
};

/// A device as the attributes "device_type" and "device_id" around a statement name it; null where none does.
struct DeviceNames {
  tir::PrimExpr type, id;
};

/// Rewrites a whole body, its frame before it.
class BuiltinLowering : public CheckedRewriter {
 public:
  explicit BuiltinLowering(DeviceNames device) : device_(std::move(device)) {}

 protected:
  tir::Stmt visit(const tir::Stmt& statement) override;
  NodeRef enter(const NodeRef& node) override;

 private:
  using List = std::vector<tir::Stmt>;
  struct CallRule;
  static const CallRule kCallRules[];

  tir::Stmt framed(const tir::Stmt& body);
  tir::Stmt closed(const tir::Stmt& body);
  StackSizes measured(const tir::Stmt& body);
  tir::Stmt lowered(const tir::Stmt& statement);
  tir::Stmt loop(const tir::For& loop);
  tir::Stmt branch(const tir::IfThenElse& branch);
  tir::Stmt attribute(const tir::AttrStmt& attribute);
  tir::Stmt allocate(const tir::AllocBuffer& allocation);
  tir::Stmt allocateTexture(const tir::Bind& bind, const tir::Call& call);
  bool needsDevice(const tir::StmtNode* statement, bool id = true);
  tir::PrimExpr deviceMethod(std::string_view method);

  tir::PrimExpr packedCall(const tir::Call& call, const CallRule& rule);
  tir::PrimExpr listCall(const tir::Call& call, const CallRule& rule);
  tir::PrimExpr makeShape(const tir::Call& call, const CallRule& rule);
  tir::PrimExpr makeArray(const tir::Call& call, const CallRule& rule);
  tir::PrimExpr contextId(const tir::Call& call, const CallRule& rule);
  tir::PrimExpr deviceCall(const tir::Call& call, const CallRule& rule);
  tir::PrimExpr packed(const tir::Call& call, size_t nameAt, std::string_view becomes, bool traced);
  void setArgument(tir::PrimExpr argument, int64_t slot);
  List& prepared() { return prepared_.back(); }
  StackFrame& frame() { return frames_.back(); }

  DeviceNames device_;
  bool measuring_ = false;
  std::vector<StackFrame> frames_;
  std::vector<List> prepared_;  ///< per open statement: what stands before it
  std::vector<List> frees_;     ///< per open region: what frees its allocations, in the order of those
};

}  // namespace rx::lower
