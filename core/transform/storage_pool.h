// The pool of storage that memory planning draws from: which free storage fits a request, as TVM's planner chooses.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/ir/relax.h"

namespace rx::transform {

/// One storage, or a request for one.
struct StorageToken {
  tir::PrimExpr bytes;
  DataType dtype;
  Str scope;
  int64_t device = 0;
  /// Constant size, or -1 for a symbolic one.
  int64_t constantBytes() const { return tir::asInt(bytes).value_or(-1); }
};

class StoragePool {
 public:
  /// A free storage that fits `request` (same type, scope and device; constant sizes within a factor of 16, the nearest
  /// larger first, a smaller one grows; symbolic sizes only when proved equal), removed from the pool; or null.
  std::shared_ptr<StorageToken> take(const StorageToken& request, arith::Analyzer& analyzer);
  void release(std::shared_ptr<StorageToken> token);

 private:
  /// Type, scope and device.
  using Key = std::tuple<TypeCode, uint8_t, int16_t, Str, int64_t>;
  static Key keyOf(const StorageToken& token) {
    const DataType& dtype = token.dtype;
    return {dtype.code, dtype.bits, dtype.lanes, token.scope, token.device};
  }
  std::map<Key, std::multimap<int64_t, std::shared_ptr<StorageToken>>> constant_;
  std::map<Key, std::vector<std::shared_ptr<StorageToken>>> symbolic_;
};

}  // namespace rx::transform
