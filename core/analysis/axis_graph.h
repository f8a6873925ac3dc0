// Which axes of tensors lie alike: a graph over the axes of the tensors of a function, along which what is said of the
// placement of some spreads to others.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::analysis {

/// One axis of a variable or constant; `item` tells the fields of a tuple apart.
struct Axis {
  const relax::ExprNode* tensor;
  int64_t dim;  ///< kMesh: where the tensor lies, not how
  int64_t item = 0;
  static constexpr int64_t kMesh = -1;
  bool operator==(const Axis&) const = default;
};

/// A dimension of a device mesh, over which an axis is divided; Axis::kMesh where the mesh itself is meant.
struct AxisPlacement {
  Ref<ir::DeviceMesh> mesh;
  int64_t meshDim;
};
bool samePlacement(const AxisPlacement& a, const AxisPlacement& b);

/// How the tensor of an axis depends on that of another.
enum class AxisEdge : uint8_t {
  ToProducer = 1,
  Sibling = 2,  ///< both are used together
  ToConsumer = 4,
};

class AxisGraph {
 public:
  /// What is known of one axis holds for the other; `kind` is that of the way from `from` to `to`.
  void join(const Axis& from, const Axis& to, AxisEdge kind);
  /// The placement of this axis is given.
  void addSource(const Axis& axis, AxisPlacement placement);
  /// Nothing spreads to or through this axis.
  void cut(const Axis& axis) { cut_.insert(axis); }
  /// Spreads what is given, anew. Where several placements reach an axis, what is given wins, then what its producers
  /// say, then what came both ways, then what its consumers say; two that are as good are pass.sharding.
  Result<Unit> spread(const CancelToken& cancel);
  /// What reached the axis, or null.
  const AxisPlacement* find(const Axis& axis) const;

 private:
  struct Hash {
    size_t operator()(const Axis& axis) const;
  };
  struct Edge {
    Axis to;
    AxisEdge kind;
  };
  struct Reached {
    AxisPlacement placement;
    int priority;
  };
  void spreadFrom(const std::vector<Axis>& sources, const AxisPlacement& placement);
  void reach(const Axis& axis, const AxisPlacement& placement, int priority);

  std::unordered_map<Axis, std::vector<Edge>, Hash> edges_;
  std::vector<Axis> sources_;  ///< in the order in which they were given
  std::unordered_map<Axis, AxisPlacement, Hash> given_;
  std::unordered_set<Axis, Hash> cut_;
  std::unordered_map<Axis, std::vector<Reached>, Hash> reached_;
};

}  // namespace rx::analysis
