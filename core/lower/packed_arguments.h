// How a function reads its arguments where it is called as a packed function: every argument is a tagged value, every
// tensor a DLTensor, and each is checked before it is used. Messages and order of the checks are those of TVM v0.25.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/relax.h"

namespace rx::lower {

/// The statements that read the arguments. They stand before the body in this order; those that have a body
/// (attributes) hold what follows.
struct PackedReads {
  std::vector<tir::Stmt> reads;   ///< type checks and variables
  std::vector<tir::Stmt> checks;  ///< of values, which may need all variables
  std::vector<tir::Stmt> declarations;
  bool usesDevice = false;  ///< an argument is a tensor, which says on which device it lies
};

/// Writes the reads of one function's arguments.
class PackedArguments {
 public:
  /// `name` is what messages call the function; `args` and `count` are the packed arguments, `deviceId` becomes the
  /// number of the device that the tensors lie on.
  PackedArguments(const tir::PrimFunc& function, std::string name, tir::VarRef args, tir::VarRef count,
                  int64_t deviceType, tir::VarRef deviceId);
  PackedReads run();

 private:
  /// Part of an argument, as messages name it.
  struct Place {
    std::string path;  ///< "A.shape[0]"
    size_t param = 0;
  };
  struct Known {
    tir::PrimExpr value;
    std::string path;
  };
  struct Pending {
    tir::PrimExpr condition, expected;
    Place place;
  };
  using Parts = std::vector<std::string>;

  void readParam(size_t index);
  tir::PrimExpr handleOf(size_t index, const tir::PrimExpr& typeIndex);
  tir::PrimExpr loaded(size_t index, DataType type) const;
  void readTensor(size_t index);
  void checkElementType(size_t index);
  void readShape(size_t index);
  void checkCompact(size_t index, const tir::VarRef& strides);
  void readStrides(size_t index, const tir::VarRef& strides, const tir::VarRef& shape);
  void readOffset(size_t index);
  void readDevice(size_t index);
  void readData(size_t index);

  bool bind(const tir::PrimExpr& param, const tir::PrimExpr& value, const Place& place);
  void flushPending();
  std::string rendered(const tir::PrimExpr& expr) const;
  void checkType(size_t index, tir::PrimExpr condition, std::string expected);
  void require(tir::PrimExpr condition, const char* kind, Parts parts);
  /// The end of a message: of which argument of which function, and what was expected, in words or as a value.
  Parts of(Parts parts, size_t index, std::string_view words) const;
  Parts expecting(Parts parts, size_t index, std::string value) const;
  tir::VarRef pointerTo(size_t index, int64_t field, std::string_view what);
  std::string signature() const;

  const tir::PrimFunc& function_;
  std::string name_, signature_;
  tir::VarRef args_, count_;
  int64_t deviceType_;
  tir::VarRef deviceId_;
  PackedReads out_;
  std::unordered_map<const Node*, Known> known_;
  std::vector<Pending> pending_;
};

}  // namespace rx::lower
