// Random numbers of a generator that is a value: Threefry over four words of 64 bits, as TVM computes it. A generator
// is ten words: the key, the path (a bit for each time it was split), the counter, and the place of the next bit in the
// path.
#include <array>
#include <numbers>

#include "core/arith/fold.h"
#include "core/relay/passes/to_relax_rules.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

using te::Indices;
using te::Tensor;
using tir::PrimExpr;
using Words = std::vector<PrimExpr>;

constexpr size_t kWords = 4, kPath = 4, kCounter = 7, kPlace = 8, kState = 10;
constexpr int64_t kRounds = 20;
/// Of the Skein hash function: by round, for each pair of words.
constexpr std::array<std::array<int64_t, 2>, 8> kRotations = {
    {{14, 16}, {52, 57}, {23, 40}, {5, 37}, {25, 33}, {46, 12}, {58, 22}, {32, 32}}};
constexpr std::array<size_t, kWords> kPermutation = {0, 3, 2, 1};
constexpr int64_t kParity = 0x1BD11BDAA9FC1A22;

const DataType kWord = DataType::UInt(64);

PrimExpr word(int64_t value) { return arith::constantInt(kWord, value); }
PrimExpr bits(std::string_view op, const PrimExpr& a, const PrimExpr& b) { return te::intrinsic(op, a->dtype, {a, b}); }
PrimExpr shifted(std::string_view op, const PrimExpr& a, int64_t by) {
  return bits(op, a, arith::constantInt(a->dtype, by));
}
PrimExpr at(const Tensor& words, size_t i) { return words({dim(static_cast<int64_t>(i))}); }
/// The word that an index chooses.
PrimExpr chosen(const PrimExpr& index, const Words& words) {
  PrimExpr out = words.back();
  for (size_t i = words.size() - 1; i-- > 0;)
    out = te::ifThenElse(arith::eq(index, dim(static_cast<int64_t>(i))), words[i], out);
  return out;
}
Tensor wordsOf(te::Graph& graph, const Words& words, const char* name) {
  return graph.compute({dim(static_cast<int64_t>(words.size()))}, [&](const Indices& i) { return chosen(i[0], words); },
                       {name});
}

/// One of the words of a counter after a round. Where the paper has the sum, TVM has the sum and the second word once
/// more: its kernel stores the sum over the first word, and reads that again.
PrimExpr mixed(const Words& words, int64_t round, size_t which) {
  const size_t pair = which / 2;
  const PrimExpr &a = words[2 * pair], &b = words[2 * pair + 1], sum = arith::add(a, b);
  if (which % 2 == 0) return sum;
  const int64_t by = kRotations[static_cast<size_t>(round) % kRotations.size()][pair];
  return bits("bitwise_xor", arith::add(sum, b),
              bits("bitwise_or", shifted("shift_left", b, by), shifted("shift_right", b, 64 - by)));
}

/// The hashes of counters, a row each, under the first words of a generator.
Tensor threefry(te::Graph& graph, const Tensor& generator, Tensor counters) {
  Words key;
  for (size_t i = 0; i < kWords; ++i) key.push_back(at(generator, i));
  PrimExpr parity = word(kParity);
  for (size_t i = 0; i < kWords; ++i) parity = bits("bitwise_xor", parity, key[i]);
  key.push_back(parity);
  const Tensor schedule = wordsOf(graph, key, "key");
  for (int64_t round = 0; round < kRounds; ++round) {
    const Tensor before = counters;
    auto element = [&](const Indices& i) {
      Words words;
      for (size_t w = 0; w < kWords; ++w) {
        PrimExpr each = before({i[0], dim(static_cast<int64_t>(w))});
        const int64_t turn = round / 4;
        if (round % 4 == 0) each = arith::add(each, at(schedule, (static_cast<size_t>(turn) + w) % key.size()));
        if (round % 4 == 0 && w == kWords - 1) each = arith::add(each, word(turn));
        words.push_back(each);
      }
      Words out;
      for (size_t source : kPermutation) out.push_back(mixed(words, round, source));
      return chosen(i[1], out);
    };
    counters = graph.compute(before.dims(), element, {"round"});
  }
  return counters;
}

/// The place of the next bit in a path, one further to the right: its two words, one of which is 0.
Words placeBehind(const Tensor& generator, const PrimExpr& top) {
  const PrimExpr a = at(generator, kPlace), b = at(generator, kPlace + 1), zero = word(0);
  const PrimExpr crosses = arith::eq(a, word(1)), isRight = arith::eq(a, zero);
  const PrimExpr left = te::ifThenElse(crosses, zero, shifted("shift_right", a, 1));
  return {left, te::ifThenElse(crosses, top, te::ifThenElse(isRight, shifted("shift_right", b, 1), zero))};
}
PrimExpr hasNoPlace(const Tensor& generator) {
  return arith::logicalAnd(arith::eq(at(generator, kPlace), word(0)), arith::eq(at(generator, kPlace + 1), word(0)));
}
/// The key of a hash, a path, no count, and the place behind the path.
Words freshWords(const Tensor& hash, const PrimExpr& path, const PrimExpr& place) {
  Words out;
  for (size_t i = 0; i < kWords; ++i) out.push_back(hash({dim(0), dim(static_cast<int64_t>(i))}));
  out.insert(out.end(), {path, word(0), word(0), word(0), place, word(0)});
  return out;
}
/// A generator with its path ended by a one or a zero.
Words withPath(const Tensor& generator, bool one, const PrimExpr& top) {
  Words out;
  for (size_t i = 0; i < kPlace; ++i) out.push_back(at(generator, i));
  for (size_t i = kPath; one && i < kPath + 2; ++i)
    out[i] = bits("bitwise_or", out[i], at(generator, kPlace + i - kPath));
  for (const PrimExpr& each : placeBehind(generator, top)) out.push_back(each);
  return out;
}
Words either(const PrimExpr& condition, const Words& yes, const Words& no) {
  Words out;
  for (size_t i = 0; i < yes.size(); ++i) out.push_back(te::ifThenElse(condition, yes[i], no[i]));
  return out;
}

Dims dimsOf(const std::vector<int64_t>& shape) {
  Dims out;
  for (int64_t extent : shape) out.push_back(dim(extent));
  return out;
}

/// The next generator, and words of a shape. What no literal of 64 bits can say is a constant of its own.
Expr generated(CallTranslation& t, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  const int64_t whole = count / kWords, blocks = (count + 3) / 4;
  const std::vector<int64_t> numbers = {-1, INT64_MIN, -1 - count};
  const Expr constants = t.vector(numbers, kWord);
  return t.kernel(
      "threefry_generate", {t.arg(0), constants}, [&](legalize::Lowering& l, const std::vector<Tensor>& in) {
        const Tensor& given = in[0];
        const PrimExpr ones = at(in[1], 0), top = at(in[1], 1), limit = at(in[1], 2);
        // Without room in the counter the path gets longer; without room there either, the key is a hash of all.
        const Tensor spent = l.graph.compute({dim(1), dim(kWords)}, [&](const Indices&) { return ones; }, {"spent"});
        const Words fresh = freshWords(threefry(l.graph, given, spent), word(0), top);
        Words longer = withPath(given, true, top), same;
        longer[kCounter - 1] = longer[kCounter] = word(0);
        for (size_t i = 0; i < kState; ++i) same.push_back(at(given, i));
        const PrimExpr hasRoom = arith::lt(at(given, kCounter), limit);
        const Tensor used =
            wordsOf(l.graph, either(hasRoom, same, either(hasNoPlace(given), fresh, longer)), "generator");
        const auto counter = [&](const Indices& i) {
          const PrimExpr plain = used({arith::add(dim(kPath), i[1])});
          const PrimExpr counted = arith::add(plain, arith::cast(kWord, i[0]));
          if (whole == blocks) return counted;
          const PrimExpr behind = arith::add(plain, word(4 * whole));
          const PrimExpr rest = te::ifThenElse(arith::eq(i[1], dim(3)), behind, plain);
          return te::ifThenElse(arith::eq(i[0], dim(whole)), rest, counted);
        };
        const Dims rows = {dim(std::max<int64_t>(blocks, 1)), dim(kWords)};
        const Tensor hashes = threefry(l.graph, used, l.graph.compute(rows, counter, {"counter"}));
        const auto element = [&](const Indices& i) {
          PrimExpr flat = dim(0);
          for (size_t d = 0; d < shape.size(); ++d) flat = arith::add(arith::mul(flat, dim(shape[d])), i[d]);
          return hashes({arith::floorDiv(flat, dim(4)), arith::floorMod(flat, dim(4))});
        };
        Words next;
        for (size_t i = 0; i < kState; ++i) next.push_back(at(used, i));
        next[kCounter - 1] = word(0);
        next[kCounter] = arith::add(next[kCounter], word(4 * blocks));
        return std::vector{wordsOf(l.graph, next, "next"), l.graph.compute(dimsOf(shape), element, {"random"})};
      });
}

/// What the words of a generator are as real numbers from 0 to 1, of a type.
PrimExpr fraction(const PrimExpr& random, DataType type) {
  const bool isDouble = type.bits == 64;
  const int64_t kept = isDouble ? 52 : 23, bias = isDouble ? 1023 : 127;
  const DataType whole = DataType::UInt(type.bits);
  const PrimExpr mantissa = shifted("shift_right", arith::cast(whole, random), type.bits - kept);
  const PrimExpr number = bits("bitwise_or", mantissa, arith::constantInt(whole, bias << kept));
  return arith::sub(te::intrinsic("reinterpret", type, {number}), arith::constant(type, 1));
}

/// The next generator, and numbers from 0 to 1, which 1 is none of.
struct Drawn {
  Expr next, numbers;
};
Drawn drawn(CallTranslation& t, const std::vector<int64_t>& shape, DataType type) {
  const Expr both = generated(t, shape);
  if (t.failed()) return {both, both};
  const Expr numbers =
      t.kernel("uniform", {t.item(both, 1)}, [&](legalize::Lowering& l, const std::vector<Tensor>& in) {
        const auto element = [&](const Indices& i) { return fraction(in[0](i), type); };
        return std::vector{l.graph.compute(in[0].dims(), element, {"uniform"})};
      });
  return {t.item(both, 0), numbers};
}

/// The shape that a call draws; nothing where it is not known.
std::optional<std::vector<int64_t>> drawnShape(CallTranslation& t) {
  auto shape = t.numbers("out_shape");
  if (!shape) t.refuse("the shape of random numbers has to be known");
  return shape;
}

}  // namespace

Expr threefryGenerate(CallTranslation& t) {
  const auto shape = drawnShape(t);
  return shape ? generated(t, *shape) : t.tuple({});
}

Expr threefrySplit(CallTranslation& t) {
  const std::vector<int64_t> numbers = {INT64_MIN};
  const Expr constants = t.vector(numbers, kWord);
  return t.kernel("threefry_split", {t.arg(0), constants}, [&](legalize::Lowering& l, const std::vector<Tensor>& in) {
    const Tensor& given = in[0];
    const PrimExpr top = at(in[1], 0), second = word(int64_t{1} << 62);
    const auto counter = [&](const Indices& i) { return given({arith::add(dim(kPath), i[1])}); };
    const Tensor hash = threefry(l.graph, given, l.graph.compute({dim(1), dim(kWords)}, counter, {"counter"}));
    const auto half = [&](bool one, const char* name) {
      const Words fresh = freshWords(hash, one ? top : word(0), second);
      return wordsOf(l.graph, either(hasNoPlace(given), fresh, withPath(given, one, top)), name);
    };
    return std::vector{half(false, "left"), half(true, "right")};
  });
}

Expr uniform(CallTranslation& t) {
  const auto shape = drawnShape(t);
  if (!shape) return t.tuple({});
  const auto [next, numbers] = drawn(t, *shape, CallTranslation::dtype(t.arg(1)));
  const Expr &low = t.arg(1), wide = t.make("multiply", {numbers, t.make("subtract", {t.arg(2), low})});
  return t.tuple({next, t.make("add", {wide, low})});
}

/// By Box and Muller: two numbers from 0 to 1 make one.
Expr normal(CallTranslation& t) {
  auto shape = drawnShape(t);
  if (!shape) return t.tuple({});
  const DataType type = CallTranslation::dtype(t.arg(1));
  const Dims dims = dimsOf(*shape);
  shape->insert(shape->begin(), 2);
  const auto [next, numbers] = drawn(t, *shape, type);
  const auto half = [&, all = numbers](int64_t which) {
    return t.reshape(t.slice(all, 0, dim(which), dim(which + 1)), dims);
  };
  const auto times = [&](const Expr& a, const Expr& b) { return t.make("multiply", {a, b}); };
  const Expr log = t.make("log", {t.make("subtract", {t.scalar(1, type), half(0)})});
  const Expr radius = t.make("sqrt", {times(t.scalar(-2, type), log)});
  const Expr sine = t.make("sin", {times(t.scalar(2 * std::numbers::pi, type), half(1))});
  return t.tuple({next, t.make("add", {times(times(radius, sine), t.arg(2)), t.arg(1)})});
}

/// The first index whose cumulative probability is above a number from 0 to 1.
Expr multinomial(CallTranslation& t) {
  const DataType type = DataType::Float(32);
  const Expr given = t.make("maximum", {t.cast(t.arg(1), type), t.scalar(0, type)});
  auto shape = CallTranslation::constantDims(given);
  if (!shape || shape->empty()) return t.refuse("the shape of the probabilities has to be known");
  const auto axis = [](int64_t at) { return op::Keyword{"axis", ir::intAttr(at)}; };
  const Expr sum = t.make("sum", {given}, {axis(-1), {"keepdims", ir::boolAttr(true)}});
  const Expr steps = t.make("cumsum", {t.make("divide", {given, sum})}, {axis(-1)});
  shape->back() = t.integer("num_samples", 1);
  const auto [next, numbers] = drawn(t, *shape, type);
  const Expr wide = t.make("expand_dims", {steps}, {axis(-1)});
  const Expr above = t.make("subtract", {wide, t.make("expand_dims", {numbers}, {axis(-2)})});
  const Expr isAbove = t.make("greater", {above, t.scalar(0, type)});
  const Expr least = t.make("argmin", {t.make("where", {isAbove, above, t.scalar(1, type)})}, {axis(-2)});
  return t.tuple({next, t.cast(least, DataType::Int(32))});
}

}  // namespace rx::relay::translate
