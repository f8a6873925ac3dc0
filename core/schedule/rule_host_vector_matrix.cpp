// host.VectorMatrix: a vector, or a few, times a matrix whose rows lie in order, too large for a cache of the core. Its
// rows are read whole pieces at a time, several together, and added to what the sums of the piece are so far.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr int64_t kLeastBytes = int64_t{1} << 18;
/// Most vectors, and from how many bytes on a matrix is read so for several: below, blocks of registers gain more.
constexpr int64_t kMostVectors = 8, kLeastForSeveral = int64_t{1} << 23;

class VectorMatrix {
 public:
  VectorMatrix(const StageInput& input, const Contraction& roles)
      : stage_(input.stage),
        roles_(roles),
        epilogue_(input.stage, input.behind),
        type_(roles.type),
        index_(input.stage.axes.front().var->dtype),
        perVector_(input.vectors.lanes(type_)),
        fused_(input.vectors.fused && roles.type.isFloat()),
        threads_(input.threads),
        firstCache_(input.vectors.cacheBytes[0]),
        choices_(input.vectors.choices) {}
  bool tookBehind() const { return epilogue_.taken(); }

  Stmt run() {
    const int64_t lanes = *stepsOf(roles_.lanes), most = mostLanes();
    const bool large = threads_ && stage_.usualSteps(false) * stage_.usualSteps(true) >= choices_.productsShared;
    const Stmt nest = overAxes(roles_.outer, [&](const arith::VarMap& places) {
      places_ = places;
      const bool shared = large && places.empty() && lanes > most;
      // Shared, the pieces are an even number about as long as each other, all of one loop.
      int64_t count = (lanes + most - 1) / most, piece = std::min(most, lanes);
      if (shared) {
        count += count % 2;
        piece = ((lanes + count - 1) / count + perVector_ - 1) / perVector_ * perVector_;
      }
      const int64_t whole = lanes / piece, rest = lanes % piece;
      if (!shared || rest == 0) {
        std::vector<Stmt> parts{
            steps(index_, "piece", whole, shared ? ForKind::Parallel : ForKind::Serial,
                  [&](const PrimExpr& at) { return onePiece(arith::mul(at, number(piece)), piece); })};
        if (rest > 0) parts.push_back(onePiece(number(whole * piece), rest));
        return seq(parts);
      }
      return steps(index_, "piece", whole + 1, ForKind::Parallel, [&](const PrimExpr& at) {
        return Stmt(make<IfThenElse>(arith::lt(at, number(whole)), onePiece(arith::mul(at, number(piece)), piece),
                                     onePiece(number(whole * piece), rest)));
      });
    });
    return inBlock(stage_.name, nest);
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(index_, value); }

  /// Of a piece: what they have of a row of the matrix is so long that the processor fetches it ahead by itself. Of
  /// narrow numbers these are more, as long as their sums leave half of the first cache to what is read.
  int64_t mostLanes() const {
    const int64_t sum = type_.element().bytes(), vectors = std::max<int64_t>(1, *stepsOf(roles_.rows));
    const int64_t inCache = firstCache_ / 2 / (sum * vectors);
    int64_t narrowest = sum;
    walk(*roles_.across, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      if (load && goAlong(load->indices.span(), *roles_.lanes.front().var))
        narrowest = std::min<int64_t>(narrowest, load->buffer->dtype.element().bytes());
      return !load;
    });
    const int64_t whole = std::min(choices_.pieceBytes / narrowest, inCache) / perVector_ * perVector_;
    return std::max(choices_.pieceBytes / sum, whole);
  }

  /// What the axes stand for in this lane of the vector's product.
  arith::VarMap placesOf(int64_t vector, const PrimExpr& lane) const {
    arith::VarMap places = places_;
    if (!roles_.rows.empty()) places[roles_.rows.front().var.get()] = number(vector);
    places[roles_.lanes.front().var.get()] = lane;
    return places;
  }

  Stmt onePiece(const PrimExpr& first, int64_t width) const {
    const int64_t vectors = *stepsOf(roles_.rows);
    const BufferRef sums =
        lower::newBuffer(Str("sums"), type_, Array<PrimExpr>(std::vector<PrimExpr>{number(vectors), number(width)}));
    const auto ofAll = [&](const std::function<Stmt(int64_t)>& made) {
      std::vector<Stmt> parts;
      for (int64_t vector = 0; vector < vectors; ++vector) parts.push_back(made(vector));
      return seq(parts);
    };
    // `before`: for all lanes of a vector, at its first.
    const auto each = [&](const StepMaker& made, const StepMaker& before = nullptr) {
      std::vector<Stmt> parts;
      const int64_t whole = width / perVector_, rest = width % perVector_;
      if (whole > 0) {
        parts.push_back(steps(index_, "vector", whole, ForKind::Serial, [&](const PrimExpr& vector) {
          const PrimExpr at = arith::mul(vector, number(perVector_));
          const Stmt all = steps(index_, "lane", perVector_, ForKind::Vectorized,
                                 [&](const PrimExpr& lane) { return made(arith::add(at, lane)); });
          return before ? seq(std::vector<Stmt>{before(at), all}) : all;
        }));
      }
      if (rest > 0) {
        parts.push_back(steps(index_, "lane", rest, ForKind::Vectorized, [&](const PrimExpr& lane) {
          return made(arith::add(number(whole * perVector_), lane));
        }));
      }
      return seq(parts);
    };
    const StageAxis& sum = roles_.sums.front();
    const int64_t rows = *sum.steps(), together = choices_.rowsTogether;
    // Where rows that are read together lie in one of words, the processor does not see in time that the next follows.
    const bool ofWords = numbersOfWord(roles_.across, *sum.var).value_or(1) >= together;
    const auto added = [&](const PrimExpr& row, int64_t count) {
      const StepMaker next = [&](const PrimExpr& lane) {
        arith::VarMap places = placesOf(0, arith::add(first, lane));
        places[sum.var.get()] = arith::min(arith::add(row, number(together)), number(rows - 1));
        return fetched(roles_, places);
      };
      const StepMaker products = [&](const PrimExpr& lane) {
        return ofAll([&](int64_t vector) {
          PrimExpr value = elementOf(sums, {number(vector), lane});
          for (int64_t i = 0; i < count; ++i) {
            arith::VarMap places = placesOf(vector, arith::add(first, lane));
            places[sum.var.get()] = arith::add(row, number(i));
            const PrimExpr a = arith::substitute(roles_.spread, places), b = arith::substitute(roles_.across, places);
            value = fused_ ? fusedMultiplyAdd(a, b, value) : arith::add(value, arith::mul(a, b));
          }
          return storeTo(sums, {number(vector), lane}, value);
        });
      };
      return each(products, ofWords ? next : nullptr);
    };
    std::vector<Stmt> parts{make<AllocBuffer>(sums), each([&](const PrimExpr& lane) {
                              return ofAll([&](int64_t vector) {
                                return storeTo(sums, {number(vector), lane}, arith::cast(type_, stage_.init));
                              });
                            })};
    parts.push_back(steps(index_, "rows", rows / together, ForKind::Serial,
                          [&](const PrimExpr& at) { return added(arith::mul(at, number(together)), together); }));
    if (rows % together > 0) parts.push_back(added(number(rows / together * together), rows % together));
    parts.push_back(ofAll([&](int64_t vector) {
      return each([&](const PrimExpr& lane) {
        const PrimExpr sum = arith::cast(stage_.buffer->dtype, elementOf(sums, {number(vector), lane}));
        return epilogue_.store(placesOf(vector, arith::add(first, lane)), sum);
      });
    }));
    return seq(parts);
  }

  const Stage& stage_;
  const Contraction& roles_;
  Epilogue epilogue_;
  DataType type_, index_;
  int64_t perVector_;
  bool fused_, threads_;
  int64_t firstCache_;
  const Choices& choices_;
  arith::VarMap places_;
};

}  // namespace

StageOutcome hostVectorMatrix(const StageInput& input) {
  const ContractionFinding finding = findContraction(input.stage, input.weights);
  if (!finding.found) return stageStays(std::string(finding.why));
  const Contraction& roles = *finding.found;
  if (input.widens(roles.type)) return stageStays(kOrderIsFixed);
  if (roles.acrossReady) return stageStays("the matrix is laid out for blocks of registers");
  if (roles.rows.size() > 1 || roles.sums.size() != 1 || roles.lanes.size() != 1)
    return stageStays("it is no vector times a matrix");
  if (!stepsOf(roles.sums) || !stepsOf(roles.lanes) || !stepsOf(roles.rows)) return stageStays(kSizeNotKnown);
  const bool several = *stepsOf(roles.rows) > 1;
  if (*stepsOf(roles.rows) > kMostVectors) return stageStays("there are too many vectors");
  if (*stepsOf(roles.sums) < input.vectors.choices.rowsTogether) return stageStays("the sums are short");
  if (!roles.acrossInOrder || !roles.storedInOrder) return stageStays("the rows of the matrix do not lie in order");
  const int64_t bytes = *stepsOf(roles.lanes) * *stepsOf(roles.sums) * roles.type.bytes();
  if (bytes < (several ? kLeastForSeveral : kLeastBytes)) return stageStays("the matrix is small");
  VectorMatrix product(input, roles);
  const Stmt made = product.run();
  return {made, product.tookBehind(), {}};
}

}  // namespace rx::schedule
