#include <unordered_map>
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/arith/iter_map.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

/// Carries values from sums to the iterators that they are made of.
class Inverse {
 public:
  explicit Inverse(Analyzer& analyzer) : analyzer_(analyzer) {}

  bool run(std::span<const IterSum> sums, std::span<const PrimExpr> values) {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (!split(sums[i], values[i])) return false;
    }
    // A sum that others are pieces of comes after all of them.
    const std::vector<const IterMark*> order = fromOutside(sums);
    for (const IterMark* mark : order) {
      const auto value = reached_.find(mark);
      if (value != reached_.end() && !split(mark->sum, value->second)) return false;
    }
    return true;
  }

  VarMap found;

 private:
  static std::vector<const IterMark*> fromOutside(std::span<const IterSum> sums) {
    std::vector<const IterMark*> done;
    std::unordered_set<const IterMark*> seen;
    std::vector<std::pair<const IterMark*, bool>> open;
    auto enter = [&](const IterSum& sum) {
      for (const IterSplit& split : sum.args) {
        if (!split.source->plain) open.push_back({split.source.get(), false});
      }
    };
    for (const IterSum& sum : sums) enter(sum);
    while (!open.empty()) {
      const auto [mark, left] = open.back();
      open.pop_back();
      if (left) {
        done.push_back(mark);
      } else if (seen.insert(mark).second) {
        open.push_back({mark, true});
        enter(mark->sum);
      }
    }
    return {done.rbegin(), done.rend()};
  }

  bool split(const IterSum& sum, const PrimExpr& value) {
    const PrimExpr input = sub(value, sum.base);
    if (sum.args.size() == 1) {
      const auto scale = asInt(sum.args[0].scale);
      return scale && (*scale == 1 || *scale == -1) && give(sum.args[0], mul(input, sum.args[0].scale));
    }
    PrimExpr scale = sum.args.empty() ? nullptr : sum.args.back().scale;
    for (size_t i = sum.args.size(); i-- > 0;) {
      const IterSplit& piece = sum.args[i];
      if (!analyzer_.canProveEqual(piece.scale, scale)) return false;
      scale = mul(scale, piece.extent);
      PrimExpr part = floorDiv(input, piece.scale);
      if (i > 0) part = floorMod(part, piece.extent);
      if (!give(piece, part)) return false;
    }
    return true;
  }

  bool give(const IterSplit& piece, const PrimExpr& part) {
    const PrimExpr value = mul(part, piece.lower);
    const PrimExpr& plain = piece.source->plain;
    if (plain && !isa<Var>(plain)) return false;
    PrimExpr& sum = plain ? found[as<Var>(plain)] : reached_[piece.source.get()];
    sum = sum ? add(sum, value) : value;
    return true;
  }

  Analyzer& analyzer_;
  std::unordered_map<const IterMark*, PrimExpr> reached_;
};

}  // namespace

std::optional<VarMap> invertIterMap(std::span<const IterSum> sums, std::span<const PrimExpr> values,
                                    Analyzer& analyzer) {
  Inverse inverse(analyzer);
  if (sums.size() != values.size() || !inverse.run(sums, values)) return std::nullopt;
  return std::move(inverse.found);
}

}  // namespace rx::arith
