#include <QTest>
#include <cmath>
#include <limits>

#include "core/tensor/host_tensor.h"
#include "core/tensor/slice.h"
#include "core/tensor/stats.h"

using namespace rx;

class TensorTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void smallFloatsRoundTrip();
  void halfRounding();
  void overflowFollowsTheFormat();
  void integersWrapAndClamp();
  void viewsStayInside();
  void hostileShapesAreRefused();
  void slices();
  void statistics();
  void comparison();
};

void TensorTest::smallFloatsRoundTrip() {
  for (const char* name :
       {"float16", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
        "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"}) {
    const DataType dtype = *DataType::parse(name);
    const FloatFormat* format = smallFloatFormat(dtype);
    QVERIFY2(format, name);
    for (uint32_t code = 0; code < (1U << format->bits); ++code) {
      const double value = decodeFloat(*format, code);
      if (std::isnan(value)) {
        QVERIFY(std::isnan(decodeFloat(*format, encodeFloat(*format, value))) ||
                format->special == FloatFormat::Special::None);
      } else {
        QCOMPARE(encodeFloat(*format, value), code);
      }
    }
  }
}

void TensorTest::halfRounding() {
  QCOMPARE(floatToHalf(65504.0F), uint16_t{0x7bff});
  QCOMPARE(floatToHalf(65519.0F), uint16_t{0x7bff});
  QCOMPARE(floatToHalf(65520.0F), uint16_t{0x7c00});
  QCOMPARE(floatToHalf(1.0F + 0x1p-11F), uint16_t{0x3c00});
  QCOMPARE(floatToHalf(1.0F + 0x3p-11F), uint16_t{0x3c02});
  QCOMPARE(floatToHalf(0x1p-25F), uint16_t{0});
  QCOMPARE(floatToHalf(0x1.8p-25F), uint16_t{1});
  QCOMPARE(floatToBfloat(1.0F + 0x1p-8F), uint16_t{0x3f80});
  for (uint32_t code = 0; code < 0x7c00; ++code) {
    QCOMPARE(halfToFloat(static_cast<uint16_t>(code)),
             static_cast<float>(decodeFloat(*smallFloatFormat(DataType::Float(16)), code)));
  }
}

void TensorTest::overflowFollowsTheFormat() {
  auto stored = [](const char* name, double value) { return HostTensor::scalar(*DataType::parse(name), value)->at(0); };
  QCOMPARE(stored("float8_e4m3fn", 448), 448.0);
  QVERIFY(std::isnan(stored("float8_e4m3fn", 500)));
  QVERIFY(std::isinf(stored("float8_e5m2", 1e6)));
  QVERIFY(std::isnan(stored("float8_e5m2fnuz", 1e6)));
  QCOMPARE(stored("float4_e2m1fn", 100), 6.0);
  QCOMPARE(stored("float4_e2m1fn", -100), -6.0);
  QCOMPARE(stored("float8_e8m0fnu", 4), 4.0);
}

void TensorTest::integersWrapAndClamp() {
  QCOMPARE(HostTensor::scalarInt(DataType::Int(8), 200)->intAt(0), int64_t{-56});
  QCOMPARE(HostTensor::scalarInt(DataType::UInt(8), -1)->intAt(0), int64_t{255});
  QCOMPARE(HostTensor::scalarInt(DataType::Bool(), 7)->intAt(0), int64_t{1});
  QCOMPARE(HostTensor::scalarInt(DataType::Int(4), 9)->intAt(0), int64_t{-7});
  QCOMPARE(toInt64(1e300), std::numeric_limits<int64_t>::max());
  QCOMPARE(toInt64(std::nan("")), int64_t{0});
}

void TensorTest::viewsStayInside() {
  auto storage = Storage::allocate(64);
  QVERIFY(storage.ok());
  auto view = HostTensor::view(*storage, 32, {2, 4}, DataType::Float(32));
  QVERIFY(view.ok());
  (*view)->set(7, 2.5);
  QCOMPARE((*view)->at(7), 2.5);
  QCOMPARE((*storage)->data()[0], Storage::kFreshFill);
  QVERIFY(!HostTensor::view(*storage, 36, {2, 4}, DataType::Float(32)).ok());
  QVERIFY(!HostTensor::view(*storage, -4, {2, 4}, DataType::Float(32)).ok());
  QVERIFY((*view)->reshaped({8}).ok());
  QVERIFY(!(*view)->reshaped({9}).ok());
}

void TensorTest::hostileShapesAreRefused() {
  QCOMPARE(HostTensor::allocate({-1}, DataType::Float(32)).diagnostics()[0].rule, std::string("tensor.shape"));
  QVERIFY(!HostTensor::allocate({int64_t{1} << 40, int64_t{1} << 40}, DataType::Float(32)).ok());
  QVERIFY(!HostTensor::allocate({int64_t{1} << 62}, DataType::Float(32)).ok());
  QCOMPARE(HostTensor::allocate({4}, DataType::Void()).diagnostics()[0].rule, std::string("tensor.dtype"));
  QVERIFY(HostTensor::allocate({0, int64_t{1} << 40}, DataType::Float(32)).ok());
}

void TensorTest::slices() {
  const std::vector<int64_t> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto tensor = *HostTensor::fromInts({2, 3, 2}, DataType::Int(16), numbers);
  const auto numbersOf = [](const Result<Ref<HostTensor>>& part) {
    QList<qint64> all;
    for (int64_t i = 0; part && i < (*part)->count(); ++i) all << (*part)->intAt(i);
    return all;
  };
  using Ranges = std::vector<std::optional<IndexRange>>;
  const auto cut = [&](const Ranges& ranges) { return sliced(*tensor, ranges); };
  QCOMPARE(numbersOf(cut({})), (QList<qint64>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  QCOMPARE(numbersOf(cut({std::nullopt, IndexRange{1, 3}})), (QList<qint64>{2, 3, 4, 5, 8, 9, 10, 11}));
  QCOMPARE(numbersOf(cut({IndexRange{1, 2}, std::nullopt, IndexRange{0, 1}})), (QList<qint64>{6, 8, 10}));
  // Behind the end there are zeros, along any axis.
  QCOMPARE(numbersOf(cut({IndexRange{1, 3}, IndexRange{2, 4}, IndexRange{1, 4}})),
           (QList<qint64>{11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  QCOMPARE((*cut({IndexRange{0, 0}}))->shape(), (std::vector<int64_t>{0, 3, 2}));
  QVERIFY(!cut({IndexRange{2, 1}}));
  QVERIFY(!cut({IndexRange{-1, 1}}));
  QVERIFY(!cut({std::nullopt, std::nullopt, std::nullopt, std::nullopt}));
  QCOMPARE(numbersOf(sliced(*HostTensor::scalarInt(DataType::Int(64), 7), Ranges{})), (QList<qint64>{7}));
}

void TensorTest::statistics() {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {1, -3, std::nan(""), inf, 5};
  auto tensor = HostTensor::fromDoubles({5}, DataType::Float(16), values);
  QVERIFY(tensor.ok());
  auto stats = tensorStats(**tensor);
  QVERIFY(stats);
  QCOMPARE(stats->min, -3.0);
  QCOMPARE(stats->max, 5.0);
  QCOMPARE(stats->mean, 1.0);
  QCOMPARE(stats->nanCount, int64_t{1});
  QCOMPARE(stats->infCount, int64_t{1});
  QCOMPARE(stats->firstNonFinite, int64_t{2});
  CancelToken token;
  token.cancel();
  QVERIFY(!tensorStats(**tensor, token));
  // Many elements are taken several at a time; one that is not finite stands anywhere among them.
  for (const DataType type : {DataType::Float(32), DataType::Float(64), DataType::Float(16), DataType::Int(32)}) {
    for (const size_t count : {size_t{8}, size_t{4096}, size_t{9001}}) {
      for (const size_t bad : {size_t{0}, count / 2, count - 1, count}) {
        if (!type.isFloat() && bad < count) continue;
        std::vector<double> many(count);
        double sum = 0;
        for (size_t i = 0; i < count; ++i) many[i] = static_cast<double>(i % 64) - 20;
        if (bad < count) many[bad] = bad % 2 == 0 ? inf : std::nan("");
        for (size_t i = 0; i < count; ++i) sum += i == bad ? 0 : many[i];
        const auto made = tensorStats(**HostTensor::fromDoubles({static_cast<int64_t>(count)}, type, many));
        const auto finite = static_cast<double>(count - (bad < count));
        QCOMPARE(made->nanCount + made->infCount, bad < count ? 1 : 0);
        QCOMPARE(made->infCount, bad < count && bad % 2 == 0 ? 1 : 0);
        QCOMPARE(made->firstNonFinite, bad < count ? static_cast<int64_t>(bad) : -1);
        QCOMPARE(made->mean, sum / finite);
        QCOMPARE(made->min, bad == 0 && count == 8 ? -19.0 : -20.0);
        QCOMPARE(made->max, count == 8 ? (bad == 7 ? -14.0 : -13.0) : 43.0);
      }
    }
  }
}

void TensorTest::comparison() {
  const std::vector<double> x = {1, 2, 3};
  const std::vector<double> y = {1, 2.5, 3};
  auto a = HostTensor::fromDoubles({3}, DataType::Float(32), x);
  auto b = HostTensor::fromDoubles({3}, DataType::Float(32), y);
  auto difference = compareTensors(**a, **b);
  QVERIFY(difference.ok());
  QCOMPARE(difference->maxAbsolute, 0.5);
  QCOMPARE(difference->index, int64_t{1});
  QVERIFY(!compareTensors(**a, *HostTensor::scalar(DataType::Float(32), 1)).ok());
}

QTEST_APPLESS_MAIN(TensorTest)
#include "tst_tensor.moc"
