// Kernels that say themselves which threads run them, for devices.
#pragma once

#include "core/legalize/families.h"

namespace rx::legalize {

/// Threads of a group.
constexpr int64_t kGroupThreads = 256;

/// int64 division that rounds up.
PrimExpr groupsOf(const PrimExpr& count, int64_t each);

/// Starts groups of kGroupThreads. `body` gets the number of a group (int64) and of a thread in it (int32).
tir::Stmt launch(const PrimExpr& groups,
                 const std::function<tir::Stmt(const PrimExpr& group, const PrimExpr& thread)>& body);
/// A thread for each number (int64) below `count`, where `runs`; no thread elsewhere.
tir::Stmt launchEach(const PrimExpr& count, const PrimExpr& runs,
                     const std::function<tir::Stmt(const PrimExpr& number)>& body);
/// The threads of a group wait until all of them are here, and see what the others wrote to shared memory.
tir::Stmt waitForGroup();

/// Memory of a kernel while one of its statements runs.
class Memory {
 public:
  /// Of all threads of a group.
  Tensor shared(Shape shape, DataType type, std::string_view name);
  /// One element of each thread.
  Tensor own(DataType type, std::string_view name);
  tir::Stmt around(tir::Stmt body);

 private:
  Tensor made(Shape shape, DataType type, std::string_view name, std::string_view scope);
  std::vector<tir::BufferRef> buffers_;
};

/// Memory that kernels after each other use, seen through a view for all of `body`: so it keeps the size that it is
/// given. How far the kernels reach in it would have to be divided by a length, which may be nothing.
tir::Stmt withViews(std::vector<Tensor> memory, const std::function<tir::Stmt(const std::vector<Tensor>& views)>& body);

/// The lines of a tensor along one of its axes.
struct Lines {
  PrimExpr count, length;  ///< int64: of them, and elements of each
  PrimExpr after;          ///< from an element to the next
  /// Element `i` of a line, by its row-major position.
  PrimExpr at(const PrimExpr& line, const PrimExpr& i) const;
  /// Elements of all lines.
  PrimExpr elements() const { return arith::mul(count, length); }
};
Lines linesOf(const Array<PrimExpr>& shape, size_t axis);
/// Whether it is known that there are no elements.
bool isEmpty(const Lines& lines);

/// Running results along a group, from the first thread on: `values` has one element of each thread, which all of them
/// see before and afterwards; `other` is memory of the same size.
tir::Stmt scanOfGroup(const Tensor& values, const Tensor& other, const PrimExpr& thread, Binary combine);

/// Statements one after the other.
template <class... Statement>
tir::Stmt all(Statement... statements) {
  return tir::seq(std::vector<tir::Stmt>{std::move(statements)...});
}

}  // namespace rx::legalize
