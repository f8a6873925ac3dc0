// host.PackedSums: a vector, or a few, times a matrix that is computed from fewer bytes, with its sums in order. Where
// several numbers of a row lie in one word, as weights of four bits do, lanes go along the words, and the numbers of a
// word come one behind the other, each with its own numbers of the vector, which is laid out in that order first. What
// they all are multiplied with, as by the scale of a group, comes last.
#include <algorithm>
#include <numeric>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/pieces.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Most vectors, and products from which on threads share the work.
constexpr int64_t kMostVectors = 8;

/// The factors of a product.
void factorsOf(const PrimExpr& value, std::vector<PrimExpr>& factors) {
  std::vector<PrimExpr> open{value};
  while (!open.empty()) {
    const PrimExpr next = open.back();
    open.pop_back();
    const auto* product = as<Mul>(next);
    if (product) {
      open.insert(open.end(), {product->b, product->a});
    } else {
      factors.push_back(next);
    }
  }
}

/// Integers in their shortest form, wherever they are.
class IntegerSimplifier : public lower::Rewriter {
 public:
  explicit IntegerSimplifier(arith::Canon& canon) : canon_(canon) {}

 protected:
  NodeRef leave(const NodeRef& node) override {
    const auto* cast = as<Cast>(node);
    if (cast && isa<IntImm>(cast->value)) return arith::cast(cast->dtype, cast->value);
    const auto* binary = as<BinaryNode>(node);
    return binary && binary->dtype.isIntegral() ? NodeRef(canon_.simplify(PrimExpr(binary))) : node;
  }

 private:
  arith::Canon& canon_;
};

class PackedSums {
 public:
  PackedSums(const StageInput& input, const Contraction& roles, int64_t numbers)
      : stage_(input.stage),
        roles_(roles),
        epilogue_(input.stage, input.behind),
        type_(roles.type),
        sum_(roles.sums.front()),
        lane_(roles.lanes.front()),
        numbers_(numbers),
        words_(*sum_.steps() / numbers),
        width_(input.vectors.lanes(type_)),
        vectors_(*stepsOf(roles.rows)),
        rowsTogether_(input.vectors.choices.packedRows),
        fused_(input.vectors.fused && roles.type.isFloat()),
        grain_(input.grainOfProducts()),
        word_(make<Var>(Str("word"), sum_.var->dtype)) {
    std::vector<PrimExpr> factors;
    factorsOf(roles.across, factors);
    for (const PrimExpr& factor : factors) {
      std::vector<PrimExpr> each;
      for (int64_t i = 0; i < numbers_; ++i) each.push_back(numberOfWord(factor, i));
      const bool same = std::all_of(each.begin(), each.end(),
                                    [&](const PrimExpr& other) { return arith::sameExpr(other, each.front()); });
      const bool ofWord = numbers_ == 1 && lower::uses(each.front(), word_.get());
      same && !ofWord ? common_.push_back(each.front()) : own_.push_back(std::move(each));
    }
  }

  bool tookBehind() const { return epilogue_.taken(); }

  /// Why the words do not lie side by side in lanes; empty where they do.
  std::string_view why() const {
    if (words_ % width_ != 0) return "the words of a row fill no vectors";
    bool plain = true;
    const auto look = [&](const PrimExpr& value) {
      walk(*value, Into::Parts, [&](const Node& node) {
        const auto* load = as<BufferLoad>(&node);
        if (!load) {
          plain = plain && &node != word_.get();
          return plain;
        }
        const auto steps = lower::uses(PrimExpr(load), word_.get()) ? stepsOfElement(*load, *word_) : 1;
        plain = plain && steps && (width_ % *steps == 0 || *steps % width_ == 0) &&
                (*steps > 1 || !lower::uses(PrimExpr(load), word_.get()) || isUnitStride(load->indices.span(), *word_));
        return false;
      });
    };
    for (const PrimExpr& value : common_) look(value);
    for (const auto& each : own_)
      for (const PrimExpr& value : each) look(value);
    return plain && !own_.empty() ? std::string_view() : "what is read along a row has another order";
  }

  Stmt run() {
    const Stmt body = overAxes(roles_.outer, [&](const arith::VarMap& places) {
      places_ = places;
      vector_ =
          lower::newBuffer(Str("vector"), type_,
                           Array<PrimExpr>(std::vector<PrimExpr>{number(vectors_), number(numbers_), number(words_)}));
      const Cut cut{"rows", std::max<int64_t>(rowsTogether_ / vectors_, 1),
                    grain_.shares() && places.empty() ? ForKind::Parallel : ForKind::Serial};
      return seq(std::vector<Stmt>{make<AllocBuffer>(vector_), laidOut(),
                                   inPieces(lane_.extent, cut, [&](const Piece& rows) { return someRows(rows); })});
    });
    return inBlock(stage_.name, grain_.around(body));
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(sum_.var->dtype, value); }

  /// What the expression is for this number of a word.
  PrimExpr numberOfWord(const PrimExpr& value, int64_t i) const {
    arith::Canon canon;
    canon.bind(word_, number(0), number(words_));
    const PrimExpr place = arith::add(arith::mul(word_, number(numbers_)), number(i));
    return IntegerSimplifier(canon).rewrite(arith::substitute(value, {{sum_.var.get(), place}}));
  }

  /// What the axes stand for of this vector.
  arith::VarMap placesOfVector(int64_t vector) const {
    arith::VarMap places = places_;
    if (!roles_.rows.empty()) places[roles_.rows.front().var.get()] = number(vector);
    return places;
  }
  Stmt eachVector(const std::function<Stmt(int64_t)>& made) const {
    std::vector<Stmt> parts;
    for (int64_t vector = 0; vector < vectors_; ++vector) parts.push_back(made(vector));
    return seq(parts);
  }

  Stmt laidOut() const {
    return eachVector([&](int64_t vector) {
      return steps("word", number(words_), ForKind::Serial, [&](const PrimExpr& word) {
        return steps(sum_.var->dtype, "number", numbers_, ForKind::Serial, [&](const PrimExpr& i) {
          arith::VarMap places = placesOfVector(vector);
          places[sum_.var.get()] = arith::add(arith::mul(word, number(numbers_)), i);
          return storeTo(vector_, {number(vector), i, word}, arith::substitute(roles_.spread, places));
        });
      });
    });
  }

  Stmt lanes(const StepMaker& made) const { return steps(sum_.var->dtype, "lane", width_, ForKind::Vectorized, made); }
  Stmt eachRow(const Piece& rows, const StepMaker& made) const {
    return steps(sum_.var->dtype, "row", rows.count, ForKind::Unrolled, made);
  }
  PrimExpr added(const PrimExpr& a, const PrimExpr& b, const PrimExpr& sum) const {
    return fused_ ? fusedMultiplyAdd(a, b, sum) : arith::add(sum, arith::mul(a, b));
  }
  BufferRef registers(const char* name, const std::vector<PrimExpr>& shape) const {
    return lower::newBuffer(Str(name), type_, Array<PrimExpr>(shape), "local");
  }

  Stmt someRows(const Piece& rows) {
    const BufferRef sums = registers("sums", {number(rows.count), number(vectors_), number(width_)});
    const auto eachSum = [&](int64_t count, const std::function<PrimExpr(std::vector<PrimExpr>)>& value) {
      return eachRow(rows, [&](const PrimExpr& row) {
        return eachVector([&](int64_t vector) {
          return steps(sum_.var->dtype, "lane", count, ForKind::Vectorized, [&](const PrimExpr& lane) {
            const std::vector<PrimExpr> at{row, number(vector), lane};
            return storeTo(sums, at, value(at));
          });
        });
      });
    };
    std::vector<Stmt> parts{make<AllocBuffer>(sums),
                            eachSum(width_, [&](const auto&) { return arith::cast(type_, stage_.init); })};
    parts.push_back(steps("words", number(words_ / width_), ForKind::Serial, [&](const PrimExpr& at) {
      first_ = arith::mul(at, number(width_));
      return eachRow(rows, [&](const PrimExpr& row) { return oneVector(rows.step(row), row, sums); });
    }));
    for (int64_t left = width_; left > 1; left = (left + 1) / 2) {
      const int64_t half = (left + 1) / 2;
      parts.push_back(eachSum(left - half, [&](std::vector<PrimExpr> at) {
        const PrimExpr one = elementOf(sums, at);
        at.back() = arith::add(at.back(), number(half));
        return arith::add(one, elementOf(sums, at));
      }));
    }
    parts.push_back(eachRow(rows, [&](const PrimExpr& row) {
      return rows.ifInside(row, eachVector([&](int64_t vector) {
                             arith::VarMap places = placesOfVector(vector);
                             places[lane_.var.get()] = arith::add(rows.first, row);
                             return epilogue_.store(
                                 places,
                                 arith::cast(stage_.buffer->dtype, elementOf(sums, {row, number(vector), number(0)})));
                           }));
    }));
    return seq(parts);
  }

  /// Adds the products of one vector of words of a row.
  Stmt oneVector(const PrimExpr& row, const PrimExpr& inSums, const BufferRef& sums) {
    std::vector<Stmt> parts;
    shared_.clear();
    arith::VarMap places = places_;
    places[lane_.var.get()] = row;
    const auto read = [&](const PrimExpr& value) { return withSpreadLoads(arith::substitute(value, places), parts); };
    std::vector<std::vector<PrimExpr>> own = own_;
    std::vector<PrimExpr> common = common_;
    for (auto& each : own) std::transform(each.begin(), each.end(), each.begin(), read);
    std::transform(common.begin(), common.end(), common.begin(), read);
    parts.push_back(eachVector([&](int64_t vector) {
      return lanes([&](const PrimExpr& lane) {
        const arith::VarMap here{{word_.get(), arith::add(first_, lane)}, {spreadLane_.get(), lane}};
        const auto product = [&](const std::vector<PrimExpr>& factors) {
          PrimExpr made = arith::substitute(factors.front(), here);
          for (size_t f = 1; f < factors.size(); ++f) made = arith::mul(made, arith::substitute(factors[f], here));
          return made;
        };
        const std::vector<PrimExpr> at{inSums, number(vector), lane};
        PrimExpr sum;
        for (int64_t i = 0; i < numbers_; ++i) {
          std::vector<PrimExpr> factors;
          for (const auto& each : own) factors.push_back(each[static_cast<size_t>(i)]);
          const PrimExpr value = product(factors);
          const PrimExpr with = elementOf(vector_, {number(vector), number(i), arith::add(first_, lane)});
          if (numbers_ == 1 && common.empty()) return storeTo(sums, at, added(with, value, elementOf(sums, at)));
          sum = sum ? added(with, value, sum) : arith::mul(with, value);
        }
        const PrimExpr before = elementOf(sums, at);
        return storeTo(sums, at, common.empty() ? arith::add(before, sum) : added(sum, product(common), before));
      });
    }));
    return seq(parts);
  }

  /// Of elements that several words have in common, each is spread over its lanes first.
  PrimExpr withSpreadLoads(const PrimExpr& value, std::vector<Stmt>& parts) {
    PrimExpr made = value;
    std::vector<const BufferLoad*> shared;
    walk(*value, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      if (load && lower::uses(PrimExpr(load), word_.get()) && stepsOfElement(*load, *word_) != 1)
        shared.push_back(load);
      return !load;
    });
    for (const BufferLoad* load : shared) {
      auto known = std::find_if(shared_.begin(), shared_.end(),
                                [&](const auto& pair) { return arith::sameExpr(pair.first, PrimExpr(load)); });
      if (known == shared_.end()) known = shared_.insert(known, {PrimExpr(load), spread(*load, parts)});
      const PrimExpr element = known->second;
      made = withLoads(made, *load->buffer, [&](const BufferLoad& other) {
        return arith::sameExpr(PrimExpr(&other), PrimExpr(load)) ? element : PrimExpr(&other);
      });
    }
    return made;
  }

  PrimExpr spread(const BufferLoad& load, std::vector<Stmt>& parts) {
    const int64_t same = std::min(*stepsOfElement(load, *word_), width_);
    const auto elementAt = [&](const PrimExpr& lane) {
      return arith::Canon().simplify(arith::substitute(PrimExpr(&load), {{word_.get(), arith::add(first_, lane)}}));
    };
    const BufferRef lanes =
        lower::newBuffer(Str("common"), load.dtype, Array<PrimExpr>(std::vector<PrimExpr>{number(width_)}), "local");
    parts.push_back(make<AllocBuffer>(lanes));
    for (int64_t first = 0; first < width_; first += same) {
      const PrimExpr element = elementAt(number(first));
      parts.push_back(steps(sum_.var->dtype, "lane", same, ForKind::Vectorized, [&](const PrimExpr& lane) {
        return storeTo(lanes, {arith::add(number(first), lane)}, element);
      }));
    }
    return elementOf(lanes, {spreadLane_});
  }

  const Stage& stage_;
  const Contraction& roles_;
  Epilogue epilogue_;
  DataType type_;
  const StageAxis &sum_, &lane_;
  int64_t numbers_, words_, width_, vectors_, rowsTogether_;
  bool fused_;
  ThreadGrain grain_;
  VarRef word_;  ///< stands for the number of a word in its row
  VarRef spreadLane_ = make<Var>(Str("lane"), word_->dtype);
  std::vector<PrimExpr> common_;            ///< factors of all numbers of a word
  std::vector<std::vector<PrimExpr>> own_;  ///< factors of each
  arith::VarMap places_;
  BufferRef vector_;                                   ///< [vector, number, word]
  PrimExpr first_;                                     ///< word of the first lane
  std::vector<std::pair<PrimExpr, PrimExpr>> shared_;  ///< elements of several words, and where they lie in the lanes
};

}  // namespace

StageOutcome hostPackedSums(const StageInput& input) {
  const ContractionFinding finding = findContraction(input.stage);
  if (!finding.found) return stageStays(std::string(finding.why));
  const Contraction& roles = *finding.found;
  if (roles.rows.size() > 1 || roles.lanes.size() != 1 || roles.sums.size() != 1)
    return stageStays("it is no vector times a matrix");
  const StageAxis& sum = roles.sums.front();
  if (!sum.steps() || !stepsOf(roles.rows)) return stageStays(kSizeNotKnown);
  if (*stepsOf(roles.rows) > kMostVectors) return stageStays("there are too many vectors");
  if (isa<BufferLoad>(roles.across)) return stageStays("the matrix is there");
  const auto numbers = numbersOfWord(roles.across, *sum.var);
  if (!numbers || *sum.steps() % *numbers != 0) return stageStays("its sums read the matrix in another order");
  if (input.vectors.inOrder) return stageStays(kOrderIsFixed);
  PackedSums product(input, roles, *numbers);
  if (const auto why = product.why(); !why.empty()) return stageStays(std::string(why));
  const Stmt made = product.run();
  return {made, product.tookBehind(), {}};
}

}  // namespace rx::schedule
