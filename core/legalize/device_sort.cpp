// Sorting on a device: chunks in shared memory by a network of exchanges, then several sorted runs at a time into one,
// where each element finds its own place. Equal elements keep their order, and NaN is larger than every number.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/legalize/threads.h"

namespace rx::legalize {

using namespace te;

namespace {

constexpr int64_t kChunkBits = 9;
constexpr int64_t kChunk = int64_t{1} << kChunkBits;
static_assert(kChunk == 2 * kGroupThreads);
/// Runs that become one: of a length that is known, and of another, where there are so many launches for every length.
constexpr int64_t kKnownWays = 4, kUnknownWays = 16;
/// Places in a line are numbers of this type.
const DataType kPlace = DataType::Int(32);
constexpr int64_t kMostLength = int64_t{1} << 31;

PrimExpr shiftLeft(PrimExpr a, PrimExpr b) { return intrinsic("shift_left", kPlace, {std::move(a), std::move(b)}); }
PrimExpr shiftRight(PrimExpr a, PrimExpr b) { return intrinsic("shift_right", kPlace, {std::move(a), std::move(b)}); }
PrimExpr bitAnd(PrimExpr a, PrimExpr b) { return intrinsic("bitwise_and", kPlace, {std::move(a), std::move(b)}); }

/// What a statement after it may use under a name.
struct Named {
  tir::VarRef var;
  tir::Stmt bind;
};
Named named(std::string_view name, PrimExpr value) {
  auto var = make<tir::Var>(Str(name), value->dtype);
  return {var, make<tir::Bind>(var, std::move(value))};
}

/// What becomes of the elements in their order: of line and place (int64), the element and where it was.
using Result = std::function<tir::Stmt(const PrimExpr& line, const PrimExpr& to, PrimExpr element, PrimExpr from)>;

/// The elements of all lines as far as they are in order, and where each of them was.
struct Run {
  Tensor element, from;
};

class Sorter {
 public:
  Sorter(const Tensor& data, const Lines& lines, bool ascending)
      : data_(data), lines_(lines), length_(tir::asInt(lines.length)), ascending_(ascending) {}

  /// Whether a chunk holds every line.
  bool isShort() const { return length_ && *length_ <= kChunk; }

  /// `a` and `b`: memory for elements on the way, unless a chunk holds every line.
  tir::Stmt run(const Run& a, const Run& b, const Result& result) {
    if (isEmpty(lines_)) return make<tir::Evaluate>(i32(0));
    if (isShort()) return sortChunks(result);
    std::vector<tir::Stmt> made{sortChunks([&](const PrimExpr& line, const PrimExpr& to, PrimExpr element,
                                               PrimExpr from) { return put(a, line, to, element, from); })};
    const int64_t ways = length_ ? kKnownWays : kUnknownWays;
    const Run *from = &a, *to = &b;
    // Of an unknown length a second pass follows every first one, so that the result stands where it began.
    const auto second = [&] { return !length_ && from == &b; };
    for (int64_t width = kChunk; width < length_.value_or(kMostLength) || second(); width *= ways) {
      const int64_t least = second() ? width / ways : width;
      made.push_back(merge(*from, *to, width, ways, arith::gt(lines_.length, i64(least))));
      std::swap(from, to);
    }
    made.push_back(launchEach(lines_.elements(), tir::boolImm(true), [&](const PrimExpr& number) {
      const PrimExpr line = arith::floorDiv(number, lines_.length), i = arith::floorMod(number, lines_.length);
      return result(line, i, from->element({line, i}), from->from({line, i}));
    }));
    return steps(made);
  }

 private:
  static PrimExpr comparable(const PrimExpr& x) {
    if (x->dtype.isBool()) return arith::cast(kPlace, x);
    return x->dtype.isFloat() && x->dtype.bits < 32 ? arith::cast(DataType::Float(32), x) : x;
  }
  static PrimExpr isNan(const PrimExpr& x) { return intrinsic("isnan", DataType::Bool(), {x}); }
  static PrimExpr less(const PrimExpr& a, const PrimExpr& b) {
    PrimExpr made = arith::lt(a, b);
    if (!a->dtype.isFloat()) return made;
    return arith::logicalOr(made, arith::logicalAnd(isNan(b), arith::logicalNot(isNan(a))));
  }
  PrimExpr before(const PrimExpr& a, const PrimExpr& b) const {
    const PrimExpr x = comparable(a), y = comparable(b);
    return ascending_ ? less(x, y) : less(y, x);
  }

  static tir::Stmt put(const Run& run, const PrimExpr& line, const PrimExpr& to, const PrimExpr& element,
                       const PrimExpr& from) {
    return all(store(run.element, {line, to}, element), store(run.from, {line, to}, from));
  }

  /// A group for each chunk of each line.
  tir::Stmt sortChunks(const Result& result) const {
    const PrimExpr chunks = groupsOf(lines_.length, kChunk);
    return launch(arith::mul(lines_.count, chunks), [&](const PrimExpr& group, const PrimExpr& thread) {
      Memory memory;
      const Run run{memory.shared({i32(kChunk)}, data_.dtype(), "element"),
                    memory.shared({i32(kChunk)}, kPlace, "place")};
      const PrimExpr line = arith::floorDiv(group, chunks);
      const PrimExpr first = arith::mul(arith::floorMod(group, chunks), i64(kChunk));
      const PrimExpr count = arith::cast(kPlace, arith::min(arith::sub(lines_.length, first), i64(kChunk)));
      const auto each = [&](const std::function<tir::Stmt(const PrimExpr& at)>& body) {
        return serial(i32(kChunk / kGroupThreads), [&](PrimExpr part) {
          const PrimExpr at = arith::add(arith::mul(part, i32(kGroupThreads)), thread);
          return when(arith::lt(at, count), body(at));
        });
      };
      const auto place = [&](const PrimExpr& at) { return arith::add(first, wide(at)); };
      return memory.around(all(each([&](const PrimExpr& at) {
                                 return all(store(run.element, {at}, readAt(data_, lines_.at(line, place(at)))),
                                            store(run.from, {at}, at));
                               }),
                               waitForGroup(), exchanges(run, count, thread), each([&](const PrimExpr& at) {
                                 const PrimExpr from = arith::cast(kPlace, arith::add(first, wide(run.from({at}))));
                                 return result(line, place(at), run.element({at}), from);
                               })));
    });
  }

  /// Sorts a chunk: runs of 2, 4, 8 elements and so on, of which the second is read backwards when two become one. What
  /// is missing of a chunk counts as larger than all, so that no exchange moves it.
  tir::Stmt exchanges(const Run& run, const PrimExpr& count, const PrimExpr& thread) const {
    return serial(i32(kChunkBits), [&](PrimExpr bits) {
      const PrimExpr half = shiftLeft(i32(1), bits);
      const auto firstOf = [&](const PrimExpr& shift) {
        return arith::add(shiftLeft(shiftRight(thread, shift), arith::add(shift, i32(1))),
                          bitAnd(thread, arith::sub(shiftLeft(i32(1), shift), i32(1))));
      };
      const PrimExpr offset = bitAnd(thread, arith::sub(half, i32(1)));
      const PrimExpr mirrored = arith::add(
          firstOf(bits), arith::sub(arith::sub(arith::mul(half, i32(2)), i32(1)), arith::mul(offset, i32(2))));
      return all(exchange(run, firstOf(bits), mirrored, count), waitForGroup(), serial(bits, [&](PrimExpr step) {
                   const PrimExpr shift = arith::sub(arith::sub(bits, i32(1)), step);
                   return all(
                       exchange(run, firstOf(shift), arith::add(firstOf(shift), shiftLeft(i32(1), shift)), count),
                       waitForGroup());
                 }));
    });
  }

  tir::Stmt exchange(const Run& run, const PrimExpr& low, const PrimExpr& high, const PrimExpr& count) const {
    const Named l = named("low", low), h = named("high", high);
    const Named a = named("a", run.element({l.var})), b = named("b", run.element({h.var}));
    const Named placeA = named("place_a", run.from({l.var})), placeB = named("place_b", run.from({h.var}));
    const PrimExpr same = arith::logicalNot(before(a.var, b.var));
    const PrimExpr later =
        arith::logicalOr(before(b.var, a.var), arith::logicalAnd(same, arith::lt(placeB.var, placeA.var)));
    // What is missing is read too: threads wait for each other before some of them write.
    const PrimExpr wrong = arith::logicalAnd(arith::lt(h.var, count), later);
    const tir::Stmt swap = all(store(run.element, {l.var}, b.var), store(run.element, {h.var}, a.var),
                               store(run.from, {l.var}, placeB.var), store(run.from, {h.var}, placeA.var));
    return all(l.bind, h.bind, a.bind, b.bind, placeA.bind, placeB.bind, when(wrong, swap));
  }

  /// Runs of `width` elements, `ways` at a time, into one. A thread counts for its element how many of each other run
  /// come before it: of earlier runs those that are equal too.
  tir::Stmt merge(const Run& from, const Run& to, int64_t width, int64_t ways, const PrimExpr& runs) const {
    return launchEach(lines_.elements(), runs, [&](const PrimExpr& number) {
      Memory memory;
      const Tensor rank = memory.own(DataType::Int(64), "rank");
      const Tensor low = memory.own(DataType::Int(64), "low"), high = memory.own(DataType::Int(64), "high");
      const PrimExpr line = arith::floorDiv(number, lines_.length), i = arith::floorMod(number, lines_.length);
      const PrimExpr run = arith::floorDiv(i, i64(width)), way = arith::floorMod(run, i64(ways));
      const PrimExpr first = arith::mul(arith::sub(run, way), i64(width));
      const Named own = named("own", from.element({line, i}));
      const auto at = [](const Tensor& t) { return t({i32(0)}); };
      const auto set = [](const Tensor& t, PrimExpr value) { return store(t, {i32(0)}, std::move(value)); };
      const auto counted = [&](const PrimExpr& other) {
        const Named start = named("start", arith::min(arith::add(first, arith::mul(other, i64(width))), lines_.length));
        const Named end = named("end", arith::min(arith::add(start.var, i64(width)), lines_.length));
        const Named middle = named("middle", arith::floorDiv(arith::add(at(low), at(high)), i64(2)));
        const Named its = named("its", from.element({line, middle.var}));
        const PrimExpr earlier = arith::logicalAnd(arith::lt(other, way), arith::logicalNot(before(own.var, its.var)));
        const PrimExpr comes = arith::logicalOr(before(its.var, own.var), earlier);
        const tir::Stmt halve =
            all(middle.bind, its.bind,
                when(comes, set(low, arith::add(middle.var, i64(1))), set(high, PrimExpr(middle.var))));
        return all(start.bind, end.bind, set(low, start.var), set(high, end.var),
                   make<tir::While>(arith::lt(at(low), at(high)), halve),
                   set(rank, arith::add(at(rank), arith::sub(at(low), start.var))));
      };
      const tir::Stmt count =
          serial(i64(ways), [&](PrimExpr other) { return when(arith::ne(other, way), counted(other)); });
      return memory.around(all(own.bind, set(rank, arith::floorMod(i, i64(width))), count,
                               put(to, line, arith::add(first, at(rank)), own.var, from.from({line, i}))));
    });
  }

  const Tensor& data_;
  const Lines& lines_;
  const std::optional<int64_t> length_;
  const bool ascending_;
};

using Outputs = std::vector<std::pair<Shape, DataType>>;

/// Sorts the first argument; `result` gets the tensors of the outputs, which `names` calls.
Outcome sorted(Lowering& l, std::string_view name, bool ascending, Outputs outputs, std::vector<std::string> names,
               const std::function<Result(const Lines& lines, const std::vector<Tensor>& out)>& result) {
  const Tensor data = l.tensor(l.call.args[0], true);
  const auto axis = normalAxis(l.intAttr("axis", -1), data.rank());
  if (!axis) return refuse(l.call, "the axis does not fit");
  const Lines lines = linesOf(data.shape(), *axis);
  if (const auto length = tir::asInt(lines.length); length && *length >= kMostLength) return relax::Expr();
  Sorter sorter(data, lines, ascending);
  const size_t wanted = outputs.size();
  if (!sorter.isShort()) {
    for (const char* which : {"a", "b"}) {
      outputs.emplace_back(Shape{lines.count, lines.length}, data.dtype());
      outputs.emplace_back(Shape{lines.count, lines.length}, kPlace);
      names.push_back(std::string("element_") + which);
      names.push_back(std::string("place_") + which);
    }
  }
  const auto body = [&](const std::vector<Tensor>& out) {
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(wanted);
    return withViews({first, out.end()}, [&](const std::vector<Tensor>& memory) {
      const bool any = !memory.empty();
      return sorter.run(any ? Run{memory[0], memory[1]} : Run(), any ? Run{memory[2], memory[3]} : Run(),
                        result(lines, out));
    });
  };
  std::vector<Tensor> made = l.graph.external(outputs, {data}, body, {std::string(name) + "_device", std::move(names)});
  made.resize(wanted);
  l.launches = true;
  return l.finish(name, made);
}

Outcome sort(Lowering& l) {
  const auto info = l.resultShape();
  if (!info) return relax::Expr();
  return sorted(l, "sort", !l.boolAttr("descending"), {{*info, l.resultType()}}, {"out_buf"},
                [](const Lines& lines, const std::vector<Tensor>& out) -> Result {
                  return [lines, out](const PrimExpr& line, const PrimExpr& to, PrimExpr element, PrimExpr) {
                    return writeAt(out[0], lines.at(line, to), arith::cast(out[0].dtype(), std::move(element)));
                  };
                });
}

Outcome argsort(Lowering& l) {
  const auto info = l.resultShape();
  if (!info) return relax::Expr();
  return sorted(l, "argsort", !l.boolAttr("descending"), {{*info, l.resultType()}}, {"out_buf"},
                [](const Lines& lines, const std::vector<Tensor>& out) -> Result {
                  return [lines, out](const PrimExpr& line, const PrimExpr& to, PrimExpr, PrimExpr from) {
                    return writeAt(out[0], lines.at(line, to), arith::cast(out[0].dtype(), std::move(from)));
                  };
                });
}

/// The first `k` of each line in order.
Outcome topk(Lowering& l) {
  const auto* info = Lowering::tensorInfo(l.call.args[0]);
  const auto* dims = info ? as<relax::ShapeExpr>(info->shape) : nullptr;
  const auto axis = dims ? normalAxis(l.intAttr("axis", -1), dims->values.size()) : std::nullopt;
  if (!axis) return refuse(l.call, "the axis does not fit");
  const int64_t k = l.intAttr("k", 1);
  // What is asked for in vain is said by the function of the host.
  if (const auto length = tir::asInt(dims->values[*axis]); length && k > *length) return relax::Expr();
  Shape shape = l.inside(dims->values.span());
  if (k >= 1) shape[*axis] = i64(k);
  const std::string_view what = l.strAttr("ret_type");
  const bool values = what != "indices", indices = what != "values";
  const DataType given = l.dtypeAttr("dtype");
  Outputs outputs;
  std::vector<std::string> names;
  if (values) outputs.emplace_back(shape, info->dtype), names.emplace_back("value_buf");
  if (indices) outputs.emplace_back(shape, given.isVoid() ? kPlace : given), names.emplace_back("indices_buf");
  const auto result = [&](const Lines& lines, const std::vector<Tensor>& out) -> Result {
    const Lines kept = linesOf(out[0].shape(), *axis);
    return [=](const PrimExpr& line, const PrimExpr& to, PrimExpr element, PrimExpr from) {
      std::vector<tir::Stmt> made;
      if (values) made.push_back(writeAt(out[0], kept.at(line, to), std::move(element)));
      if (indices) {
        const Tensor& places = out[values ? 1 : 0];
        made.push_back(writeAt(places, kept.at(line, to), arith::cast(places.dtype(), std::move(from))));
      }
      tir::Stmt taken = when(arith::lt(to, kept.length), steps(made));
      if (tir::asInt(lines.length)) return taken;
      const Array<PrimExpr> message{PrimExpr(make<tir::StringImm>(Str("topk of more than there are")))};
      return all(
          make<tir::AssertStmt>(arith::le(kept.length, lines.length), make<tir::StringImm>(Str("ValueError")), message),
          taken);
    };
  };
  return sorted(l, "topk", !l.boolAttr("largest", true), std::move(outputs), std::move(names), result);
}

constexpr LegalizeRow kRows[] = {{"relax.sort", sort}, {"relax.argsort", argsort}, {"relax.topk", topk}};

}  // namespace

std::span<const LegalizeRow> deviceSortRows() { return kRows; }

}  // namespace rx::legalize
