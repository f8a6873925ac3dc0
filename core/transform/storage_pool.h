// The pool of storage that memory planning draws from: which free storage fits a request, as TVM's planner chooses.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/ir/relax.h"

namespace rx::transform {

/// One storage: its size, and how many uses of tensors in it are still to come.
struct StorageToken {
  tir::PrimExpr bytes;
  DataType dtype;
  std::string scope;
  int64_t device = 0;
  int64_t uses = 0;
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
  struct Key {
    std::string dtype, scope;
    int64_t device;
    auto operator<=>(const Key&) const = default;
  };
  static Key keyOf(const StorageToken& token) { return {token.dtype.str(), token.scope, token.device}; }
  std::map<Key, std::multimap<int64_t, std::shared_ptr<StorageToken>>> constant_;
  std::map<Key, std::vector<std::shared_ptr<StorageToken>>> symbolic_;
};

}  // namespace rx::transform
