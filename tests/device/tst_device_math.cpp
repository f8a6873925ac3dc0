// The functions that a device computes itself, on numbers of this process: how far they are from the C library's.
#include <QtTest>
#include <cmath>
#include <functional>
#include <random>

#include "core/tensor/float_functions.h"

using namespace rx;

class TestDeviceMath : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void functions_data();
  void functions();
  void pairs_data();
  void pairs();
  void smallFloats_data();
  void smallFloats();
};

namespace {

using One = std::function<double(double)>;
using Two = std::function<double(double, double)>;

constexpr double kSpecial[] = {
    0.0,    -0.0,  math::kInfinity, -math::kInfinity, math::kNaN, 1, -1, 2, -2, 3, 0.5, -0.5, 10, 1000,
    1e-310, 1e300, -1e300};

/// Units of the last place between two numbers; of zeros, infinities and what is none: whether they are alike.
double distance(double got, double want) {
  constexpr double kFar = 1e9;
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : kFar;
  if (want == 0) return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : kFar;
  if (got == want) return 0;
  if (std::isinf(want) || std::isinf(got)) return kFar;
  const double size = std::abs(want);
  return std::abs(got - want) / (std::nextafter(size, math::kInfinity) - size);
}

struct OneRow {
  const char* name;
  One ours, theirs;
  double low, high, most;
};
struct TwoRow {
  const char* name;
  Two ours, theirs;
  double span;  ///< of the logarithms of the arguments
  double most;
};

#define RX_ONE(name, low, high, most)                                                                                \
  {                                                                                                                  \
#name, [](double x) { return math::name(math::PlainNumbers(), x); }, [](double x) { return std::name(x); }, low, \
                                                                                                             high,   \
                                                                                                             most    \
  }
#define RX_TWO(name, span, most)                                                                                      \
  {                                                                                                                   \
#name, [](double a,                                                                                               \
              double b) { return math::name(math::PlainNumbers(), a, b); },                                           \
                                                                         [](double a,                                 \
                                                                            double b) { return std::name(a, b); },    \
                                                                                                                span, \
                                                                                                                most  \
  }

const std::vector<OneRow>& oneRows() {
  static const std::vector<OneRow> rows{RX_ONE(exp, -745, 720, 1),
                                        RX_ONE(exp, -1, 1, 1),
                                        RX_ONE(exp2, -1080, 1030, 1),
                                        RX_ONE(log, 0.5, 2, 1),
                                        RX_ONE(log, 0, 1e300, 1),
                                        RX_ONE(log2, 0, 10, 1),
                                        RX_ONE(log10, 0, 10, 2),
                                        RX_ONE(log1p, -1, 1, 1),
                                        RX_ONE(sin, -1e5, 1e5, 1),
                                        RX_ONE(sin, -1e12, 1e12, 1),
                                        RX_ONE(cos, -1e5, 1e5, 1),
                                        RX_ONE(tan, -1e5, 1e5, 3),
                                        RX_ONE(atan, -10, 10, 1),
                                        RX_ONE(asin, -1, 1, 2),
                                        RX_ONE(acos, -1, 1, 3),
                                        RX_ONE(sinh, -710, 710, 3),
                                        RX_ONE(sinh, -1, 1, 3),
                                        RX_ONE(cosh, -710, 710, 3),
                                        RX_ONE(tanh, -30, 30, 4),
                                        RX_ONE(tanh, -1, 1, 4),
                                        RX_ONE(asinh, -10, 10, 3),
                                        RX_ONE(asinh, -1e20, 1e20, 3),
                                        RX_ONE(acosh, 1, 1e20, 3),
                                        RX_ONE(atanh, -1, 1, 3),
                                        RX_ONE(erf, -6, 6, 1),
                                        RX_ONE(erf, -1, 1, 1),
                                        {"exp10", [](double x) { return math::exp10(math::PlainNumbers(), x); },
                                         [](double x) { return std::pow(10.0, x); }, -300, 300, 2}};
  return rows;
}

const std::vector<TwoRow>& twoRows() {
  static const std::vector<TwoRow> rows{RX_TWO(atan2, 10, 1), RX_TWO(hypot, 300, 2), RX_TWO(fmod, 300, 0),
                                        RX_TWO(pow, 4, 2)};
  return rows;
}

}  // namespace

void TestDeviceMath::functions_data() {
  QTest::addColumn<int>("row");
  for (size_t i = 0; i < oneRows().size(); ++i)
    QTest::addRow("%s up to %g", oneRows()[i].name, oneRows()[i].high) << static_cast<int>(i);
}

void TestDeviceMath::functions() {
  QFETCH(int, row);
  const OneRow& is = oneRows()[static_cast<size_t>(row)];
  const auto look = [&](double x) {
    const double far = distance(is.ours(x), is.theirs(x));
    QVERIFY2(far <= is.most, qPrintable(QString("%1 at %2").arg(far).arg(x, 0, 'g', 17)));
  };
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> numbers(is.low, is.high);
  for (int i = 0; i < 20000; ++i) look(numbers(random));
  for (const double x : kSpecial) {
    const bool angle = QByteArray("sin cos tan").contains(is.name) && std::abs(x) > math::kMostAngle;
    if (angle) {
      QVERIFY(std::isnan(is.ours(x)));
    } else {
      look(x);
    }
  }
}

void TestDeviceMath::pairs_data() {
  QTest::addColumn<int>("row");
  for (size_t i = 0; i < twoRows().size(); ++i) QTest::newRow(twoRows()[i].name) << static_cast<int>(i);
}

void TestDeviceMath::pairs() {
  QFETCH(int, row);
  const TwoRow& is = twoRows()[static_cast<size_t>(row)];
  const auto look = [&](double a, double b) {
    const double far = distance(is.ours(a, b), is.theirs(a, b));
    QVERIFY2(far <= is.most, qPrintable(QString("%1 at %2, %3").arg(far).arg(a, 0, 'g', 17).arg(b, 0, 'g', 17)));
  };
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> numbers(-is.span, is.span);
  for (int i = 0; i < 20000; ++i) look(std::exp(numbers(random)), std::exp(numbers(random)));
  for (const double a : kSpecial) {
    for (const double b : kSpecial) {
      // A quotient that is no number has no remainder here.
      const bool beyond = is.most == 0 && std::isfinite(a) && std::isinf(a / b) && b != 0;
      if (!beyond) look(a, b);
    }
  }
}

void TestDeviceMath::smallFloats_data() {
  QTest::addColumn<QString>("type");
  for (const char* type : {"float16", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
                           "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"})
    QTest::newRow(type) << QString(type);
}

/// All bits to numbers and back, and numbers between them.
void TestDeviceMath::smallFloats() {
  QFETCH(QString, type);
  const auto dtype = DataType::parse(type.toStdString());
  QVERIFY(dtype);
  const FloatFormat& format = *smallFloatFormat(*dtype);
  const math::PlainNumbers o;
  for (uint32_t bits = 0; bits < 1U << format.bits; ++bits) {
    const double want = decodeFloat(format, bits);
    QCOMPARE(distance(math::decoded(o, format, int64_t{bits}), want), 0.0);
    for (const double factor : {1.0, 1.001, 1.03125, 0.97, 1.5}) {
      const double value = static_cast<float>(want * factor);
      QCOMPARE(math::encoded(o, format, value), int64_t{encodeFloat(format, value)});
    }
  }
  for (const double value : {math::kInfinity, -math::kInfinity, math::kNaN, 0.0, -0.0, 1e30, -1e30})
    QCOMPARE(math::encoded(o, format, value), int64_t{encodeFloat(format, value)});
}

QTEST_GUILESS_MAIN(TestDeviceMath)
#include "tst_device_math.moc"
