// Looks at whole tensors: distances, surveys, pictures of planes, searches, comparisons; each refuses what it can not.
#include <QtTest>
#include <cmath>
#include <limits>

#include "core/tensor/comparison.h"
#include "core/tensor/element_block.h"
#include "core/tensor/plane.h"
#include "core/tensor/survey.h"
#include "core/tensor/tensor_error.h"

using namespace rx;

namespace {

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

Ref<HostTensor> tensor(std::vector<int64_t> shape, DataType dtype, const std::vector<double>& values) {
  auto made = HostTensor::fromDoubles(std::move(shape), dtype, values);
  return made.ok() ? *made : nullptr;
}

}  // namespace

class SurveyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// What is off is told by one rule: an infinity that is wanted and not there, and whole numbers that doubles can not
  /// tell apart, are.
  void errors() {
    const DataType single = DataType::Float(32);
    const auto wanted = tensor({5}, single, {1, 2, kInf, kNan, 0});
    const TensorError same = tensorError(*wanted, *wanted);
    QVERIFY(same.identical && same.within());
    const TensorError error = tensorError(*tensor({5}, single, {1.00001, 3, 4, kNan, 0}), *wanted);
    QCOMPARE(error.off, int64_t{2});
    QCOMPARE(error.maxAbsolute, kInf);
    QCOMPARE(error.worst, int64_t{2});
    QCOMPARE(error.maxScaled, kInf);
    // Over the limit where an element is off, and nowhere else.
    const TensorError scaled = tensorError(*tensor({2}, single, {4, 1e-5}), *tensor({2}, single, {3, 0}), 0.25);
    QCOMPARE(scaled.maxScaled, 0.25);
    QCOMPARE(scaled.limit, 0.25);
    QVERIFY(scaled.within() && !tensorError(*tensor({1}, single, {4}), *tensor({1}, single, {3}), 0.2).within());
    QCOMPARE(tensorError(*tensor({1}, single, {3}), *tensor({1}, single, {2}), 1.0).off, int64_t{0});
    const auto large = tensor({1}, DataType::Int(64), {0}), next = tensor({1}, DataType::Int(64), {0});
    large->setInt(0, int64_t{1} << 60);
    next->setInt(0, (int64_t{1} << 60) + 1);
    QCOMPARE(tensorError(*large, *next).off, int64_t{1});
  }
  void distances() {
    const DataType half = DataType::Float(16);
    QCOMPARE(distanceOf(Distance::Absolute, half, 1, -2), 3.0);
    QCOMPARE(distanceOf(Distance::Relative, half, 1, 2), 0.5);
    QCOMPARE(distanceOf(Distance::Ulp, half, 1, 1 + 1.0 / 512), 2.0);  // an ulp of 1 is 1/1024
    QCOMPARE(distanceOf(Distance::Ulp, DataType::Float(32), 0.0, -0.0), 0.0);
    QCOMPARE(distanceOf(Distance::Ulp, DataType::Float(32), 1.0, std::nextafter(1.0f, 2.0f)), 1.0);
    QCOMPARE(distanceOf(Distance::Ulp, DataType::Float(64), -1.0, std::nextafter(-1.0, 0.0)), 1.0);
    QCOMPARE(distanceOf(Distance::Ulp, DataType::Int(8), 3, -4), 7.0);
    QCOMPARE(distanceOf(Distance::Absolute, half, kNan, kNan), 0.0);
    QCOMPARE(distanceOf(Distance::Relative, half, kInf, 1), kInf);
  }

  void theRightSideIsRoundedToTheLeftsType() {
    const auto left = tensor({2}, DataType::Float(16), {0.1, 2});
    const auto right = tensor({2}, DataType::Float(64), {0.1, 2.5});
    const auto apart = Elements::between(*left, *right, Distance::Absolute);
    QVERIFY(apart.ok());
    QCOMPARE(apart->at(0), 0.0);
    QCOMPARE(apart->at(1), 0.5);
    QCOMPARE(
        Elements::between(*left, *tensor({1, 2}, DataType::Float(16), {1, 2}), Distance::Ulp).diagnostics()[0].rule,
        std::string("tensor.compare"));
  }

  void aSurvey() {
    const auto t = tensor({2, 4}, DataType::Float(32), {0, 1, 2, -8, kNan, kInf, -kInf, 0});
    const std::vector<double> fractions = {0, 0.5, 1};
    const auto s = survey(Elements(*t), 10, fractions);
    QVERIFY(s);
    QCOMPARE(s->looked, int64_t{8});
    QCOMPARE(s->nan + 10 * s->positiveInf + 100 * s->negativeInf, int64_t{111});
    QCOMPARE(s->zeros, int64_t{2});
    QCOMPARE(s->largest, int64_t{3});
    QVERIFY(s->bins == std::vector<int64_t>({1, 0, 0, 0, 0, 0, 0, 0, 2, 2}));
    QVERIFY(s->quantiles == std::vector<double>({-8, 0, 2}));
    CancelToken token;
    token.cancel();
    QVERIFY(!survey(Elements(*t), 10, fractions, token));
  }

  void binsOfIntegersAndOfOneNumber() {
    const auto labels = survey(Elements(*tensor({4}, DataType::Int(64), {3, 5, 5, 4})), 40, {});
    QVERIFY(labels->bins == std::vector<int64_t>({1, 1, 2}));
    QCOMPARE(labels->low, 2.5);
    const auto same = survey(Elements(*tensor({3}, DataType::Float(32), {7, 7, 7})), 40, {});
    QVERIFY(same->bins == std::vector<int64_t>({3}));
    const auto none = survey(Elements(*tensor({2}, DataType::Float(32), {kNan, kNan})), 40, {});
    QVERIFY(none->bins.empty() && none->largest == -1);
    const auto wide = survey(Elements(*tensor({2}, DataType::Float(64), {-1.7e308, 1.7e308})), 4, {});
    QVERIFY(wide->bins == std::vector<int64_t>({1, 0, 0, 1}));
  }

  void aLargeTensorIsSampled() {
    auto large = HostTensor::allocate({4096, 1024}, DataType::Float(16));
    QVERIFY(large.ok());
    for (int64_t i = 0; i < 4096 * 1024; ++i) (*large)->set(i, static_cast<double>(i % 1024));
    const auto s = survey(Elements(**large), 4, {});
    QCOMPARE(s->looked, kSurveyBudget);
    for (const int64_t bin : s->bins) QVERIFY2(std::abs(bin - kSurveyBudget / 4) < 5000, "every column has its share");
  }

  void planes() {
    const auto t = tensor({2, 2, 3}, DataType::Float(32), {0, 1, 2, 3, 4, 5, 6, 7, kNan, 9, kInf, 11});
    PlaneWish wish{2, 0, {0, 1, 0}, 16, 16};  // rows are the last axis: the picture is turned
    const auto plane = planeOf(Elements(*t), wish);
    QVERIFY(plane.ok() && *plane);
    QVERIFY((*plane)->rows == 3 && (*plane)->columns == 2 && !(*plane)->sampled);
    QVERIFY((*plane)->low[0] == 3 && (*plane)->low[1] == 9 && (*plane)->low[2] == 4);
    QVERIFY(std::isnan((*plane)->low[3]) && (*plane)->bad[3] == 2);
    wish = {1, 2, {1, 0, 0}, 1, 2};  // cells of several elements
    const auto small = planeOf(Elements(*t), wish);
    QVERIFY(small.ok() && (*small)->rows == 1 && (*small)->columns == 2);
    QVERIFY((*small)->low[0] == 6 && (*small)->high[0] == 9);
    QVERIFY((*small)->low[1] == 7 && (*small)->high[1] == 11 && (*small)->bad[1] == 3);
    for (const PlaneWish& wrong : {PlaneWish{3, 0, {0, 0, 0}, 4, 4}, PlaneWish{1, 1, {0, 0, 0}, 4, 4},
                                   PlaneWish{0, 1, {0, 0, 3}, 4, 4}, PlaneWish{0, 1, {0, 0}, 4, 4}})
      QCOMPARE(planeOf(Elements(*t), wrong).diagnostics()[0].rule, std::string("tensor.plane"));
    const auto scalar = planeOf(Elements(*HostTensor::scalar(DataType::Float(32), 4)), PlaneWish{});
    QVERIFY(scalar.ok() && (*scalar)->rows == 1 && (*scalar)->low[0] == 4);
  }

  void aLargePlaneCostsNoMore() {
    auto large = HostTensor::allocate({8192, 8192}, DataType::Float(16));
    QVERIFY(large.ok());
    QElapsedTimer timer;
    timer.start();
    const auto plane = planeOf(Elements(**large), PlaneWish{0, 1, {0, 0}, 256, 256});
    QVERIFY(plane.ok() && (*plane)->sampled && (*plane)->low.size() == 256 * 256);
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
  }

  void searches() {
    const auto t = tensor({6}, DataType::Float(32), {1, kNan, 3, kInf, 5, 6});
    const Elements elements(*t);
    const auto found = [&](const ElementWish& wish, int64_t from, bool forward) {
      return findElement(elements, wish, {from, forward})->index;
    };
    QCOMPARE(found({}, 1, true), int64_t{3});
    QCOMPARE(found({}, 3, true), int64_t{1});
    QCOMPARE(found({}, 1, false), int64_t{3});
    QCOMPARE(found({}, 3, false), int64_t{1});
    QCOMPARE(found({}, 0, false), int64_t{3});  // around the start
    QCOMPARE(found({false, 4.5, 6}, -1, true), int64_t{4});
    QCOMPARE(found({false, 7, 9}, -1, true), int64_t{-1});
    QCOMPARE(findElement(elements, {false, 7, 9}, {-1, true})->looked, int64_t{6});
    const auto none = HostTensor::allocate({0}, DataType::Float(32));
    QCOMPARE(findElement(Elements(**none), {}, {})->index, int64_t{-1});
  }

  /// In parts of any length a search finds what it finds at once, each part going on where the one before ended.
  void searchesInParts() {
    constexpr int64_t kCount = 20000;
    auto large = HostTensor::allocate({kCount}, DataType::Float(16));
    QVERIFY(large.ok());
    (*large)->set(123, kNan);
    (*large)->set(15000, kInf);
    const Elements elements(**large);
    for (const bool forward : {true, false}) {
      for (const int64_t from : {int64_t{-1}, int64_t{123}, int64_t{14999}, kCount}) {
        const auto whole = findElement(elements, {}, {from, forward});
        for (const int64_t budget : {int64_t{1000}, int64_t{4097}}) {
          ElementSearch part{from, forward, 0, budget};
          FoundElement found;
          int parts = 0;
          do {
            found = *findElement(elements, {}, part);
            QVERIFY(found.looked - part.looked <= budget);
            part.looked = found.looked;
            ++parts;
          } while (found.index < 0 && found.looked < kCount);
          QCOMPARE(found.index, whole->index);
          QCOMPARE(found.looked, whole->looked);
          QVERIFY(parts >= whole->looked / budget);
        }
      }
    }
    CancelToken token;
    token.cancel();
    QVERIFY(!findElement(elements, {}, {}, token));
  }

  /// Elements read together are the numbers that they are one by one, whatever the type.
  void readsTogether() {
    const std::vector<double> numbers{0, 1, -1, 2.5, -7, 100, kNan, kInf};
    for (const DataType type : {DataType::Float(16), DataType::Float(32), DataType::Float(64), DataType::BFloat16(),
                                DataType::Int(8), DataType::Int(16), DataType::Int(32), DataType::Int(64),
                                DataType::UInt(8), DataType::UInt(64), DataType::Bool()}) {
      const auto t = tensor({8}, type, numbers);
      std::vector<double> read(5);
      readElements(*t, 3, 5, read.data());
      for (int64_t i = 0; i < 5; ++i) {
        const double one = t->at(3 + i), together = read[static_cast<size_t>(i)];
        QVERIFY2(one == together || (std::isnan(one) && std::isnan(together)), type.str().c_str());
      }
    }
  }

  void comparisons() {
    const auto left = tensor({5}, DataType::Float(32), {1, 2, 100, kNan, kNan});
    const auto right = tensor({5}, DataType::Float(32), {1, 4, 101, kNan, 1});
    const auto result = compare(*left, *right);
    QVERIFY(result.ok() && *result);
    const Comparison& c = **result;
    QCOMPARE(c.different, int64_t{3});
    QVERIFY(c.nonFinite == 1 && c.firstNonFinite == 4);
    QVERIFY(c.of(Distance::Absolute).distance == 2 && c.of(Distance::Absolute).index == 1);
    QCOMPARE(c.of(Distance::Relative).distance, 0.5);
    QCOMPARE(c.of(Distance::Ulp).index, int64_t{1});
    QVERIFY(!compare(*left, *tensor({1, 5}, DataType::Float(32), {1, 2, 3, 4, 5})).ok());
  }
};

QTEST_APPLESS_MAIN(SurveyTest)
#include "tst_survey.moc"
