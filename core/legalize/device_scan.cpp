// Running sums and products on a device: each group scans a chunk of a line, one group a line scans what the chunks
// come to, and what stands before a chunk is put in. Sampling scans a row of probabilities the same way.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/legalize/threads.h"

namespace rx::legalize {

using namespace te;

namespace {

/// Elements of a chunk that a thread has.
constexpr int64_t kEach = 4;
constexpr int64_t kChunk = kEach * kGroupThreads;

PrimExpr one(const Tensor& t) { return t({i32(0)}); }
tir::Stmt setOne(const Tensor& t, PrimExpr value) { return store(t, {i32(0)}, std::move(value)); }

class Scan {
 public:
  Scan(const Tensor& data, DataType type, Lines lines, Binary combine, int64_t identity, bool exclusive)
      : data_(data),
        type_(type),
        lines_(std::move(lines)),
        combine_(combine),
        identity_(arith::constant(type, static_cast<double>(identity))),
        exclusive_(exclusive) {}

  PrimExpr chunks() const { return groupsOf(lines_.length, kChunk); }
  /// Whether a chunk holds every line.
  bool isShort() const {
    const auto length = tir::asInt(lines_.length);
    return length && *length <= kChunk;
  }

  /// `totals`: of each chunk of each line, where there may be more than one.
  tir::Stmt run(const Tensor& out, const Tensor& totals) const {
    if (isEmpty(lines_)) return make<tir::Evaluate>(i32(0));
    if (isShort()) return scanChunks(out, nullptr);
    return all(scanChunks(out, &totals), scanTotals(totals), putIn(out, totals));
  }

 private:
  PrimExpr value(const PrimExpr& line, const PrimExpr& i) const {
    return arith::cast(type_, readAt(data_, lines_.at(line, i)));
  }

  tir::Stmt scanChunks(const Tensor& out, const Tensor* totals) const {
    return launch(arith::mul(lines_.count, chunks()), [&](const PrimExpr& group, const PrimExpr& thread) {
      Memory memory;
      const Tensor tile = memory.shared({i32(kChunk)}, type_, "tile");
      const Tensor sums = memory.shared({i32(kGroupThreads)}, type_, "sums");
      const Tensor other = memory.shared({i32(kGroupThreads)}, type_, "other");
      const PrimExpr line = arith::floorDiv(group, chunks()), chunk = arith::floorMod(group, chunks());
      const auto each = [&](const std::function<tir::Stmt(const PrimExpr& at, const PrimExpr& i)>& body) {
        return serial(i32(kEach), [&](PrimExpr part) {
          const PrimExpr at = arith::add(arith::mul(part, i32(kGroupThreads)), thread);
          return body(at, arith::add(arith::mul(chunk, i64(kChunk)), wide(at)));
        });
      };
      const auto inside = [&](const PrimExpr& i) { return arith::lt(i, lines_.length); };
      const tir::Stmt fetch = each([&](const PrimExpr& at, const PrimExpr& i) {
        return when(inside(i), store(tile, {at}, value(line, i)), store(tile, {at}, identity_));
      });
      const PrimExpr first = arith::mul(thread, i32(kEach));
      const tir::Stmt own = serial(i32(kEach - 1), [&](PrimExpr part) {
        const PrimExpr before = arith::add(first, part), at = arith::add(before, i32(1));
        return store(tile, {at}, combine_(tile({before}), tile({at})));
      });
      const tir::Stmt sum = store(sums, {thread}, tile({arith::add(first, i32(kEach - 1))}));
      const tir::Stmt put = each([&](const PrimExpr& at, const PrimExpr& i) {
        const auto written = [&](const PrimExpr& last) {
          const PrimExpr owner = arith::floorDiv(last, i32(kEach));
          const PrimExpr before = sums({arith::sub(owner, i32(1))});
          return when(arith::gt(owner, i32(0)), writeAt(out, lines_.at(line, i), combine_(before, tile({last}))),
                      writeAt(out, lines_.at(line, i), tile({last})));
        };
        if (!exclusive_) return when(inside(i), written(at));
        return when(inside(i), when(arith::gt(at, i32(0)), written(arith::sub(at, i32(1))),
                                    writeAt(out, lines_.at(line, i), identity_)));
      });
      std::vector<tir::Stmt> made{
          fetch, waitForGroup(), own, sum, waitForGroup(), scanOfGroup(sums, other, thread, combine_), put};
      if (totals)
        made.push_back(when(arith::eq(thread, i32(0)), store(*totals, {line, chunk}, sums({i32(kGroupThreads - 1)}))));
      return memory.around(steps(made));
    });
  }

  /// Of each line what the chunks before each come to.
  tir::Stmt scanTotals(const Tensor& totals) const {
    return launch(lines_.count, [&](const PrimExpr& line, const PrimExpr& thread) {
      Memory memory;
      const Tensor sums = memory.shared({i32(kGroupThreads)}, type_, "sums");
      const Tensor other = memory.shared({i32(kGroupThreads)}, type_, "other");
      const Tensor before = memory.own(type_, "before");
      const auto part = [&](PrimExpr number) {
        const PrimExpr chunk = arith::add(arith::mul(number, i64(kGroupThreads)), wide(thread));
        const PrimExpr inside = arith::lt(chunk, chunks());
        const auto put = [&](PrimExpr sum) { return when(inside, store(totals, {line, chunk}, std::move(sum))); };
        return all(when(inside, store(sums, {thread}, totals({line, chunk})), store(sums, {thread}, identity_)),
                   waitForGroup(), scanOfGroup(sums, other, thread, combine_),
                   when(arith::gt(thread, i32(0)), put(combine_(one(before), sums({arith::sub(thread, i32(1))}))),
                        put(one(before))),
                   setOne(before, combine_(one(before), sums({i32(kGroupThreads - 1)}))), waitForGroup());
      };
      return memory.around(all(setOne(before, identity_), serial(groupsOf(chunks(), kGroupThreads), part)));
    });
  }

  tir::Stmt putIn(const Tensor& out, const Tensor& totals) const {
    return launchEach(lines_.elements(), tir::boolImm(true), [&](const PrimExpr& number) {
      const PrimExpr line = arith::floorDiv(number, lines_.length), i = arith::floorMod(number, lines_.length);
      const PrimExpr chunk = arith::floorDiv(i, i64(kChunk)), at = lines_.at(line, i);
      return when(arith::gt(chunk, i64(0)), writeAt(out, at, combine_(totals({line, chunk}), readAt(out, at))));
    });
  }

  const Tensor& data_;
  const DataType type_;
  const Lines lines_;
  const Binary combine_;
  const PrimExpr identity_;
  const bool exclusive_;
};

/// A running sum or product along an axis, over all elements where none is given.
Outcome scan(Lowering& l, std::string_view name, Binary combine, int64_t identity) {
  const Tensor data = l.tensor(l.call.args[0], true);
  const DataType type = l.resultType();
  const auto given = l.optionalInt("axis");
  Shape shape = data.dims();
  Lines lines;
  if (given) {
    const auto axis = normalAxis(*given, data.rank());
    if (!axis) return refuse(l.call, "the axis does not fit");
    lines = linesOf(data.shape(), *axis);
  } else {
    shape = {wide(extentOf(data.shape()))};
    lines = linesOf(Array<PrimExpr>(shape), 0);
  }
  const Scan scan(data, type, lines, combine, identity, l.boolAttr("exclusive"));
  std::vector<std::pair<Shape, DataType>> outputs{{shape, type}};
  if (!scan.isShort()) outputs.emplace_back(Shape{lines.count, scan.chunks()}, type);
  const auto body = [&](const std::vector<Tensor>& out) {
    return withViews({out.begin() + 1, out.end()}, [&](const std::vector<Tensor>& memory) {
      return scan.run(out[0], memory.empty() ? Tensor() : memory.front());
    });
  };
  std::vector<Tensor> made =
      l.graph.external(outputs, {data}, body, {std::string(name) + "_device", {"out_buf", "totals"}});
  made.resize(1);
  l.launches = true;
  return l.finish(name, made);
}
Outcome cumsum(Lowering& l) { return scan(l, "cumsum", arith::add, 0); }
Outcome cumprod(Lowering& l) { return scan(l, "cumprod", arith::mul, 1); }

/// A group for each sample: how many running sums of its row are at most the number.
Outcome multinomial(Lowering& l) {
  const Tensor probability = l.tensor(l.call.args[0], true), uniform = l.arg(1), rows = l.arg(2);
  const DataType type = l.resultType(), element = probability.dtype(), count = DataType::Int(64);
  if (!type.isIntegral()) return refuse(l.call, "the result has to be integers");
  const PrimExpr length = wide(probability.dim(1));
  if (arith::isZero(length)) return refuse(l.call, "there is nothing to sample from");
  const auto sample = [&](const Tensor& out, const PrimExpr& group, const PrimExpr& thread) {
    Memory memory;
    const Tensor sums = memory.shared({i32(kGroupThreads)}, element, "sums");
    const Tensor other = memory.shared({i32(kGroupThreads)}, element, "other");
    const Tensor counts = memory.shared({i32(kGroupThreads)}, count, "counts");
    const Tensor otherCounts = memory.shared({i32(kGroupThreads)}, count, "other_counts");
    const Tensor before = memory.own(element, "before"), passed = memory.own(count, "passed");
    const Indices at{group, i64(0)};
    const auto row = make<tir::Var>(Str("row"), rows.dtype());
    const PrimExpr none = arith::constantInt(element, 0);
    const auto part = [&](PrimExpr number) {
      const PrimExpr place = arith::add(arith::mul(number, i64(kGroupThreads)), wide(thread));
      const PrimExpr inside = arith::lt(place, length);
      const auto sum = make<tir::Var>(Str("sum"), element);
      const PrimExpr under = arith::le(sum, uniform(at));
      return all(when(inside, store(sums, {thread}, probability({row, place})), store(sums, {thread}, none)),
                 waitForGroup(), scanOfGroup(sums, other, thread, arith::add),
                 make<tir::Bind>(sum, arith::add(one(before), sums({thread}))),
                 when(arith::logicalAnd(inside, under), setOne(passed, arith::add(one(passed), i64(1)))),
                 setOne(before, arith::add(one(before), sums({i32(kGroupThreads - 1)}))), waitForGroup());
    };
    const PrimExpr sum = arith::min(counts({i32(kGroupThreads - 1)}), arith::sub(length, i64(1)));
    return memory.around(all(make<tir::Bind>(row, rows(at)), setOne(before, none), setOne(passed, i64(0)),
                             serial(groupsOf(length, kGroupThreads), part), store(counts, {thread}, one(passed)),
                             waitForGroup(), scanOfGroup(counts, otherCounts, thread, arith::add),
                             when(arith::eq(thread, i32(0)), store(out, at, arith::cast(type, sum)))));
  };
  const auto body = [&](const std::vector<Tensor>& out) {
    return launch(wide(uniform.dim(0)),
                  [&](const PrimExpr& group, const PrimExpr& thread) { return sample(out[0], group, thread); });
  };
  const std::vector<Tensor> made = l.graph.external({{uniform.dims(), type}}, {probability, uniform, rows}, body,
                                                    {"multinomial_device", {"out_buf"}});
  l.launches = true;
  return l.finish("multinomial_from_uniform", made);
}

constexpr LegalizeRow kRows[] = {{"relax.cumsum", cumsum}, {"relax.cumprod", cumprod}};
constexpr LegalizeRow kSampling[] = {{"relax.multinomial_from_uniform", multinomial}};

}  // namespace

std::span<const LegalizeRow> deviceScanRows() { return kRows; }
std::span<const LegalizeRow> deviceSamplingRows() { return kSampling; }

}  // namespace rx::legalize
