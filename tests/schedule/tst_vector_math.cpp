// Functions of float32 as vectors of plain arithmetic: how far they are from the C library's in float64, over every
// 4,099th number, or over every RX_FLOAT_STEP-th; the same bits interpreted and on registers of every width.
#include <QtTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "../support/program_result.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"

using namespace rx;
using namespace rx::test;

class TestVectorMath : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void functionsAreClose_data();
  void functionsAreClose();
  void pairsAreClose_data();
  void pairsAreClose();
  void givesTheSameBits_data();
  void givesTheSameBits();
  void powersAreProducts_data();
  void powersAreProducts();
  void callsNoLibrary();
};

namespace {

struct OneRow {
  const char* name;
  double (*exact)(double);
  double ulps;
};
#define RX_ONE(name, ulps)                              \
  {                                                     \
#name, +[](double x) { return std::name(x); }, ulps \
  }
constexpr OneRow kOne[] = {
    RX_ONE(exp, 1.1),
    RX_ONE(log, 0.83),
    {"sigmoid", +[](double x) { return 1 / (1 + std::exp(-x)); }, 2.5},
    RX_ONE(tanh, 5.5),
    RX_ONE(erf, 7.5),
    {"rsqrt", +[](double x) { return 1 / std::sqrt(x); }, 1.5},
    RX_ONE(exp2, 0.51),
    {"exp10", +[](double x) { return std::pow(10, x); }, 0.51},
    RX_ONE(log2, 0.51),
    RX_ONE(log10, 0.51),
    RX_ONE(log1p, 0.51),
    RX_ONE(sin, 0.51),
    RX_ONE(cos, 0.51),
    RX_ONE(tan, 0.51),
    RX_ONE(asin, 0.51),
    RX_ONE(acos, 0.51),
    RX_ONE(atan, 0.51),
    RX_ONE(sinh, 0.51),
    RX_ONE(cosh, 0.51),
    RX_ONE(asinh, 0.51),
    RX_ONE(acosh, 0.51),
    RX_ONE(atanh, 0.51),
};
#undef RX_ONE

struct TwoRow {
  const char* name;
  double (*exact)(double, double);
  double span;  ///< of the logarithms of the arguments
  double ulps;
};
#define RX_TWO(name, span, ulps)                                           \
  {                                                                        \
#name, +[](double x, double y) { return std::name(x, y); }, span, ulps \
  }
constexpr TwoRow kTwo[] = {RX_TWO(pow, 5, 0.51), RX_TWO(atan2, 40, 0.51), RX_TWO(hypot, 80, 0.51)};
#undef RX_TWO

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kSpecial[] = {0.0F,    -0.0F,  1.0F,  -1.0F,  2.0F,  -2.0F, 3.0F,  0.5F,      -0.5F,      1e-41F,
                              -1e-41F, 1e-30F, 1e30F, -3e38F, 10.0F, 1e10F, 3e20F, kInfinity, -kInfinity, NAN};

/// A kernel that stores `value` of x, and of y where there is one, for so many places.
std::string kernelOf(const std::string& value, int64_t count, bool pairs) {
  const std::string buffer = fmt::format("T.Buffer(({},), \"float32\")", count);
  const std::string tensor = fmt::format("R.Tensor(({},), dtype=\"float32\")", count);
  return fmt::format(
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n"
      "    @T.prim_func(private=True)\n    def k(x: {0}, {3}out: {0}):\n        for i in range({1}):\n"
      "            with T.block(\"b\"):\n                vi = T.axis.spatial({1}, i)\n"
      "                out[vi] = {2}\n\n"
      "    @R.function\n    def main(x: {5}{4}):\n        cls = Module\n        with R.dataflow():\n"
      "            lv = R.call_tir(cls.k, (x, {6}), out_sinfo={5})\n            R.output(lv)\n        return lv\n",
      buffer, count, value, pairs ? "y: " + buffer + ", " : "", pairs ? ", y: " + tensor : "", tensor,
      pairs ? "y" : "");
}

Ref<HostTensor> tensorOf(std::span<const float> values) {
  const auto tensor = HostTensor::allocate({static_cast<int64_t>(values.size())}, DataType::Float(32)).value();
  std::memcpy(tensor->mutableData(), values.data(), values.size_bytes());
  return tensor;
}

/// Distance in units of the last place of a float32.
double ulpsApart(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  const float nearest = static_cast<float>(exact);
  if (got == nearest && (exact != 0 || std::signbit(got) == std::signbit(exact))) return 0;
  if (std::isinf(nearest) || std::isinf(got)) return INFINITY;
  // Below the smallest normal number the error of a factor is that of the result.
  if (std::abs(static_cast<double>(got) - exact) < static_cast<double>(std::numeric_limits<float>::min())) return 0;
  const float unit = std::nextafter(std::abs(nearest), INFINITY) - std::abs(nearest);
  return std::abs(static_cast<double>(got) - exact) / static_cast<double>(unit);
}

struct Worst {
  double ulps = 0;
  size_t at = 0;
};
/// The largest distance of what was computed; `exact` of a place. Threads share the places.
template <class Exact>
Worst worstOf(const float* got, size_t count, const Exact& exact) {
  const size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Worst> each(threads);
  std::vector<std::jthread> running;
  for (size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (size_t i = t; i < count; i += threads) {
        const double off = ulpsApart(got[i], exact(i));
        if (off > each[t].ulps) each[t] = {off, i};
      }
    });
  }
  running.clear();
  return *std::max_element(each.begin(), each.end(), [](const Worst& a, const Worst& b) { return a.ulps < b.ulps; });
}

}  // namespace

void TestVectorMath::functionsAreClose_data() {
  QTest::addColumn<int>("number");
  for (size_t i = 0; i < std::size(kOne); ++i) QTest::newRow(kOne[i].name) << static_cast<int>(i);
}

void TestVectorMath::functionsAreClose() {
  QFETCH(int, number);
  const OneRow& function = kOne[number];
  constexpr uint64_t kAll = uint64_t{1} << 32, kAtOnce = uint64_t{1} << 20;
  const uint64_t step = std::max(qEnvironmentVariable("RX_FLOAT_STEP", "4099").toULongLong(), 1ULL);
  const auto program =
      programOf(kernelOf(fmt::format("T.{}(x[vi])", function.name), kAtOnce, false), "llvm", "optimized");
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  const auto machine = machineOf(*program, false);
  QVERIFY(machine);
  std::vector<float> values(kAtOnce);
  double most = 0;
  float at = 0;
  for (uint64_t first = 0; first < kAll; first += step * kAtOnce) {
    for (uint64_t i = 0; i < kAtOnce; ++i) values[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i * step));
    const auto result = resultOn(**machine, {vm::Value::of(tensorOf(values))});
    QVERIFY2(result, result ? "" : result.diagnostics()[0].message.c_str());
    const Worst worst = worstOf(reinterpret_cast<const float*>((*result)->data()), kAtOnce,
                                [&](size_t i) { return function.exact(static_cast<double>(values[i])); });
    if (worst.ulps <= most) continue;
    most = worst.ulps;
    at = values[worst.at];
  }
  qInfo("%s: at most %.3f units in the last place, at %.9g", function.name, most, static_cast<double>(at));
  QCOMPARE_LE(most, function.ulps);
}

void TestVectorMath::pairsAreClose_data() {
  QTest::addColumn<int>("number");
  for (size_t i = 0; i < std::size(kTwo); ++i) QTest::newRow(kTwo[i].name) << static_cast<int>(i);
}

void TestVectorMath::pairsAreClose() {
  QFETCH(int, number);
  const TwoRow& function = kTwo[number];
  std::vector<float> x, y;
  for (const float a : kSpecial) {
    for (const float b : kSpecial) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> logarithms(-function.span, function.span);
  std::bernoulli_distribution negative(0.2);
  const auto drawn = [&] { return static_cast<float>(std::exp(logarithms(random)) * (negative(random) ? -1 : 1)); };
  while (x.size() < 1000000) {
    x.push_back(drawn());
    // Of what is below zero only whole powers are numbers.
    y.push_back(x.back() < 0 && x.size() % 2 ? std::trunc(drawn()) : drawn());
  }
  const auto program =
      programOf(kernelOf(fmt::format("T.{}(x[vi], y[vi])", function.name), static_cast<int64_t>(x.size()), true),
                "llvm", "optimized");
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  const auto machine = machineOf(*program, false);
  QVERIFY(machine);
  const auto result = resultOn(**machine, {vm::Value::of(tensorOf(x)), vm::Value::of(tensorOf(y))});
  QVERIFY2(result, result ? "" : result.diagnostics()[0].message.c_str());
  const Worst worst = worstOf(reinterpret_cast<const float*>((*result)->data()), x.size(), [&](size_t i) {
    return function.exact(static_cast<double>(x[i]), static_cast<double>(y[i]));
  });
  qInfo("%s: at most %.3f units in the last place, at %.9g, %.9g", function.name, worst.ulps,
        static_cast<double>(x[worst.at]), static_cast<double>(y[worst.at]));
  QCOMPARE_LE(worst.ulps, function.ulps);
}

void TestVectorMath::givesTheSameBits_data() {
  QTest::addColumn<QString>("value");
  for (const OneRow& row : kOne) QTest::newRow(row.name) << QString("T.%1(x[vi])").arg(row.name);
  for (const TwoRow& row : kTwo) QTest::newRow(row.name) << QString("T.%1(x[vi], x[%2 - vi])").arg(row.name).arg(399);
}

/// Interpreted, here and for registers of other widths.
void TestVectorMath::givesTheSameBits() {
  QFETCH(QString, value);
  std::vector<float> numbers(std::begin(kSpecial), std::end(kSpecial));
  std::mt19937 random(7);
  while (numbers.size() < 400) numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  const std::string text = kernelOf(value.toStdString(), 400, false);
  Ref<HostTensor> expected;
  const auto here = programOf(text, "llvm", "optimized");
  QVERIFY2(here, here ? "" : here.diagnostics()[0].message.c_str());
  const auto compiled = machineOf(*here, false);
  const auto wanted = resultOn(**compiled, {vm::Value::of(tensorOf(numbers))});
  QVERIFY(wanted);
  for (const char* target : {"llvm", "llvm -mcpu=x86-64-v3", "llvm -mcpu=x86-64-v4"}) {
    const auto program = programOf(text, target, "optimized");
    QVERIFY(program);
    const auto machine = machineOf(*program, true);
    QVERIFY(machine);
    const auto got = resultOn(**machine, {vm::Value::of(tensorOf(numbers))});
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    for (int64_t i = 0; i < 400; ++i) {
      const double a = (*wanted)->at(i), b = (*got)->at(i);
      QVERIFY2(
          (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b),
          qPrintable(QString("%1 and %2 of %3 on %4").arg(a).arg(b).arg(numbers[static_cast<size_t>(i)]).arg(target)));
    }
  }
}

void TestVectorMath::powersAreProducts_data() {
  QTest::addColumn<QString>("power");
  QTest::addColumn<bool>("products");
  for (const char* power : {"0", "1", "2", "3", "-1", "-2", "7", "16"}) QTest::newRow(power) << QString(power) << true;
  for (const char* power : {"0.5", "17", "-0.25", "2.5"}) QTest::newRow(power) << QString(power) << false;
}

/// A whole power that the call names is a few products.
void TestVectorMath::powersAreProducts() {
  QFETCH(QString, power);
  QFETCH(bool, products);
  std::vector<float> numbers(std::begin(kSpecial), std::end(kSpecial));
  const auto program = programOf(kernelOf(fmt::format("T.pow(x[vi], T.float32({}))", power.toStdString()),
                                          static_cast<int64_t>(numbers.size()), false),
                                 "llvm", "optimized");
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  const auto machine = machineOf(*program, false);
  const auto got = resultOn(**machine, {vm::Value::of(tensorOf(numbers))});
  QVERIFY(got);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double exact = std::pow(static_cast<double>(numbers[i]), power.toDouble());
    QCOMPARE_LE(ulpsApart(static_cast<float>((*got)->at(static_cast<int64_t>(i))), exact), 0.51);
  }
  bool rounds = false;
  for (const auto& function : program->module->functions) {
    if (!isa<tir::PrimFunc>(function)) continue;
    walk(*function, Into::Parts, [&](const Node& node) {
      rounds = rounds || lower::asCallOf(NodeRef(&node), "round");
      return !rounds;
    });
  }
  QCOMPARE(rounds, !products);
}

/// Nothing of the C library is left in what has a vector of its own.
void TestVectorMath::callsNoLibrary() {
  for (const char* text : {"T.sin(x[vi])", "T.pow(x[vi], x[vi])", "T.atan2(x[vi], x[vi])", "T.floor(x[vi])",
                           "T.Cast(\"float32\", T.exp(T.Cast(\"float16\", x[vi])))"}) {
    const auto program = programOf(kernelOf(text, 64, false), "llvm -mcpu=x86-64-v3", "optimized");
    QVERIFY(program);
    for (const auto& function : program->module->functions) {
      if (!isa<tir::PrimFunc>(function)) continue;
      walk(*function, Into::Parts, [&](const Node& node) {
        for (const char* name : {"sin", "pow", "atan2", "exp"}) {
          if (lower::asCallOf(NodeRef(&node), name)) QTest::qFail(text, __FILE__, __LINE__);
        }
        return true;
      });
    }
  }
}

QTEST_GUILESS_MAIN(TestVectorMath)
#include "tst_vector_math.moc"
