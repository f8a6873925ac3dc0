// core/legalize: operators as tensor expressions, and those as TIR functions.
//
// te.h is the small language of tensor expressions: a Graph owns stages (parameters, computations over a grid, blocks
// of statements), a Tensor is one result of a stage. A Tensor is a TIR buffer, and reading it is a BufferLoad, so
// bodies are plain TIR. function.h turns a graph into a PrimFunc as TVM 0.25 does; lowering.h gives a call of an
// operator its tensors and makes the call_tir; the families (elementwise.cpp, ...) hold one function an operator.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/relax.h"

namespace rx::te {

using tir::PrimExpr;
using Shape = std::vector<PrimExpr>;
using Indices = std::vector<PrimExpr>;

/// One result of a stage. Null when default-made.
struct Tensor {
  tir::BufferRef buffer;
  const Array<PrimExpr>& shape() const { return buffer->shape; }
  Shape dims() const { return buffer->shape.vector(); }
  size_t rank() const { return buffer->shape.size(); }
  DataType dtype() const { return buffer->dtype; }
  PrimExpr dim(size_t i) const { return buffer->shape[i]; }
  /// The element at these indices (as many as dimensions).
  PrimExpr operator()(Indices indices) const;
  explicit operator bool() const { return static_cast<bool>(buffer); }
};

using IterRef = Ref<tir::IterVar>;
/// Values at the indices of the grid.
using Body = std::function<PrimExpr(const Indices&)>;
using Bodies = std::function<std::vector<PrimExpr>(const Indices&)>;

/// How a stage is made. Axes without a given name are called ax0, ax1, ...
enum class StageKind { Param, Compute, Extern };
struct Stage {
  StageKind kind = StageKind::Param;
  Str name;
  std::vector<Tensor> outputs;
  std::vector<IterRef> axes;   ///< Compute
  std::vector<PrimExpr> body;  ///< Compute: a value an output, or one Reduce an output
  ir::Attrs attrs;             ///< Compute: annotations of the block
  tir::Stmt statement;         ///< Extern
  std::vector<Tensor> inputs;  ///< Extern: what it reads, in order
  /// Where the element of the grid is written; empty = at the grid's own indices. Its results index `outputs[0]`, whose
  /// shape then differs from the grid.
  std::function<Indices(const Indices&)> writeMap;
};

/// Options of a computation.
struct Form {
  std::string name = "compute";
  std::vector<std::string> axes = {};  ///< names of the axes; "i" alone names them i0, i1, ...
  ir::Attrs attrs = nullptr;
  int64_t alignment = 0;  ///< external blocks: bytes to which the results are aligned; 0 = what a buffer has
};

class Graph {
 public:
  Tensor param(Shape shape, DataType dtype, Str name, bool offset = false, int64_t alignment = 0);
  Tensor compute(Shape shape, const Body& body, Form form);
  /// Several results over one grid: every body is a Reduce with the same axes.
  std::vector<Tensor> computeMany(Shape shape, const Bodies& bodies, Form form);
  /// One value an element of `grid`, written through an index map into a tensor of shape `out`.
  Tensor computeMapped(Shape grid, Shape out, const Body& body, std::function<Indices(const Indices&)> map, Form form);
  /// A block of statements that reads `inputs` and writes new tensors.
  std::vector<Tensor> external(std::vector<std::pair<Shape, DataType>> outputs, std::vector<Tensor> inputs,
                               const std::function<tir::Stmt(const std::vector<Tensor>&)>& make, Form form);

  const Stage* stageOf(const tir::Buffer* buffer) const;

 private:
  std::vector<std::unique_ptr<Stage>> stages_;
  std::unordered_map<const tir::Buffer*, const Stage*> owner_;
};

/// A buffer with its data pointer; `alignment` in bytes, 0 = what a buffer has by itself.
tir::BufferRef makeBuffer(Shape shape, DataType dtype, Str name, bool offset = false, int64_t alignment = 0);

/// An axis to reduce over: [0, extent).
IterRef reduceAxis(PrimExpr extent, std::string name);
PrimExpr varOf(const IterRef& axis);

// Reductions; the axes may be empty (then a single element is reduced).
PrimExpr sum(PrimExpr value, const std::vector<IterRef>& axes);
PrimExpr product(PrimExpr value, const std::vector<IterRef>& axes);
PrimExpr maximum(PrimExpr value, const std::vector<IterRef>& axes);
PrimExpr minimum(PrimExpr value, const std::vector<IterRef>& axes);
PrimExpr any(PrimExpr value, const std::vector<IterRef>& axes);
PrimExpr all(PrimExpr value, const std::vector<IterRef>& axes);
/// A reduction of several values at once; `combine` gets left and right and gives the results.
std::vector<PrimExpr> reduceTuple(
    std::vector<PrimExpr> values, std::vector<PrimExpr> identity, const std::vector<IterRef>& axes,
    const std::function<std::vector<PrimExpr>(const std::vector<PrimExpr>&, const std::vector<PrimExpr>&)>& combine);

PrimExpr i64(int64_t value);
PrimExpr i32(int64_t value);
/// Call of a TIR intrinsic by its short name ("exp", "if_then_else").
PrimExpr intrinsic(std::string_view name, DataType dtype, std::vector<PrimExpr> args);
/// A unary intrinsic of the argument's type.
PrimExpr math(std::string_view name, PrimExpr x);
PrimExpr ifThenElse(PrimExpr condition, PrimExpr yes, PrimExpr no);

}  // namespace rx::te
