// Rules for processors: kernels of every shape that they take compute the same as before, on sizes that nothing
// divides; interpreted and compiled they give the same bits. What is none of theirs they say why. One file, since all
// rules go over one grid of shapes by the same comparison.
#include <QtTest>

#include "core/compile/request/passes.h"
#include "core/compile/request/weights.h"
#include "core/schedule/host_rules.h"
#include "core/script/print.h"
#include "host_programs.h"

using namespace rx;
using namespace rx::test;

class TestHostRules : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheSame_data();
  void computesTheSame();
  void computesTheSameForEverySize_data();
  void computesTheSameForEverySize();
  void laysWeightsOut_data();
  void laysWeightsOut();
  void takesOneRowOverPanels();
  void laysPanelsInStrips();
  void gathersRowsInSteps();
  void storesLargeResultsPastCaches();
  void choosesLayouts_data();
  void choosesLayouts();
  void addsInParts_data();
  void addsInParts();
  void computesTheSameBits_data();
  void computesTheSameBits();
  void usesVectors_data();
  void usesVectors();
  void saysWhichRules_data();
  void saysWhichRules();
  void saysWhyNot_data();
  void saysWhyNot();
  void leavesWhatIsScheduled();
};

namespace {

constexpr const char* kConv = "R.nn.conv2d(p0, p1, strides=[%1, %1], padding=[%2, %2, %2, %2])";

}  // namespace

void TestHostRules::computesTheSame_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  auto row = [](const QString& text, const QString& shapes) {
    QTest::newRow(qPrintable(text + " of " + shapes)) << text << shapes;
  };
  for (const int m : {1, 2, 7, 33}) {
    for (const int n : {1, 16, 37, 70}) {
      for (const int k : {1, 9, 20}) row("R.matmul(p0, p1)", QString("%1, %2; %2, %3").arg(m).arg(k).arg(n));
    }
  }
  row("R.matmul(p0, p1)", "0, 4; 4, 3");
  row("R.matmul(p0, p1)", "3, 5, 11; 11, 18");
  row("R.matmul(p0, p1)", "2, 3, 5, 11; 2, 3, 11, 20");
  row("R.matmul(p0, p1)", "300, 20; 20, 35");
  row("R.matmul(p0, p1)", "60, 50; 50");
  row("R.matmul(p0, p1)", "1, 300; 300, 301");
  row("R.matmul(p0, R.permute_dims(p1))", "19, 40; 23, 40");
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "21, 13; 13, 34; 34");
  // Rows fetched ahead; a few vectors times a large matrix.
  row("R.matmul(p0, p1)", "20, 260; 260, 301");
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "3, 1030; 1030, 2050; 2050");
  row("R.add(R.matmul(p0, p1), R.matmul(p1, p0))", "20, 20; 20, 20");
  for (const int stride : {1, 2}) {
    for (const int pad : {0, 1}) {
      row(QString(kConv).arg(stride).arg(pad), "1, 3, 9, 11; 5, 3, 3, 3");
      row(QString(kConv).arg(stride).arg(pad), "2, 17, 7, 7; 20, 17, 1, 1");
      row(QString(kConv).arg(stride).arg(pad), "1, 4, 20, 33; 40, 4, 3, 3");
    }
  }
  row("R.nn.conv2d(p0, p1, groups=6, padding=[1, 1, 1, 1])", "1, 6, 8, 9; 6, 1, 3, 3");
  row("R.nn.conv2d(p0, p1, groups=6, padding=[1, 1, 1, 1], strides=[2, 2])", "1, 6, 19, 40; 6, 1, 3, 3");
  row("R.nn.conv2d(p0, p1, groups=6, padding=[0, 2, 1, 3], strides=[1, 3])", "1, 6, 9, 70; 6, 1, 3, 3");
  row("R.nn.relu(R.add(R.nn.conv2d(p0, p1, groups=6, padding=[1, 1, 1, 1], strides=[4, 4]), p2))",
      "2, 6, 9, 80; 6, 1, 3, 3; 1, 6, 1, 1");
  // Windows of several rows at once: what is left of rows and lanes, steps, holes, and channels that lie last.
  row("R.nn.conv2d(p0, p1, groups=3, padding=[3, 3, 3, 3])", "2, 3, 11, 37; 3, 1, 7, 7");
  row("R.nn.conv2d(p0, p1, groups=3, padding=[2, 1, 0, 1], strides=[2, 1])", "1, 3, 19, 70; 3, 1, 5, 3");
  row("R.nn.conv2d(p0, p1, groups=3, padding=[2, 2, 2, 2], dilation=[2, 3])", "1, 3, 9, 40; 3, 1, 3, 3");
  row("R.nn.conv2d(p0, p1, groups=20, padding=[1, 1, 1, 1], data_layout=\"NHWC\", kernel_layout=\"HWOI\")",
      "1, 5, 6, 20; 3, 3, 20, 1");
  row("R.nn.relu(R.add(R.nn.conv2d(p0, p1, groups=6, padding=[1, 1, 1, 1]), p2))",
      "2, 6, 9, 33; 6, 1, 3, 3; 1, 6, 1, 1");
  // Zeros between what is read: steps, windows shorter and longer than these, groups, and what lies behind.
  for (const char* options :
       {"strides=[2, 2]", "strides=[2, 2], padding=[1, 1, 1, 1]", "strides=[3, 2], output_padding=[1, 1]",
        "strides=[1, 2], padding=[0, 1, 1, 0]", "strides=[2, 3]", "strides=[2, 2], padding=[2, 0, 1, 1]",
        "strides=[4, 1]", "strides=[4, 4]"}) {
    row(QString("R.nn.conv2d_transpose(p0, p1, %1)").arg(options), "2, 3, 5, 7; 3, 9, 3, 4");
    row(QString("R.nn.conv2d_transpose(p0, p1, %1)").arg(options), "1, 4, 2, 6; 4, 20, 1, 2");
  }
  row("R.nn.relu(R.add(R.nn.conv2d_transpose(p0, p1, strides=[2, 2], padding=[1, 1, 1, 1]), p2))",
      "1, 4, 6, 9; 4, 20, 4, 4; 1, 20, 1, 1");
  row("R.nn.conv2d_transpose(p0, p1, strides=[2, 2], groups=2)", "1, 4, 6, 9; 4, 10, 3, 3");
  row("R.nn.conv1d_transpose(p0, p1, strides=3, padding=[1, 1])", "2, 4, 19; 4, 17, 5");
  row("R.nn.conv2d(p0, p1)", "1, 24, 9, 8; 20, 24, 1, 1");
  row("R.nn.conv2d(p0, p1)", "2, 70, 14, 14; 40, 70, 1, 1");
  row("R.nn.relu(R.add(R.nn.conv2d(p0, p1), p2))", "1, 20, 13, 17; 90, 20, 1, 1; 1, 90, 1, 1");
  row("R.nn.relu(R.add(R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1]), p2))", "1, 8, 7, 7; 33, 8, 3, 3; 1, 33, 1, 1");
  for (const int last : {1, 5, 16, 67, 200}) {
    const QString shape = QString("3, 4, %1").arg(last);
    for (const char* text :
         {"R.sum(p0, axis=[-1])", "R.max(p0, axis=[-1])", "R.min(p0, axis=[0])", "R.mean(p0, axis=[1, 2])",
          "R.sum(p0, axis=[0])", "R.nn.log_softmax(p0, axis=-1)", "R.nn.softmax(p0, axis=-1)", "R.nn.gelu(p0)",
          "R.tanh(p0)", "R.sigmoid(p0)", "R.nn.pad(p0, pad_width=[0, 0, 1, 2, 3, 0])", "R.permute_dims(p0)"})
      row(text, shape);
    row("R.nn.layer_norm(p0, p1, p2, axes=[-1])", QString("3, 4, %1; %1; %1").arg(last));
  }
  // Rows of less than the sums that are under way at once, and of no whole vectors.
  for (const int last : {17, 31, 33, 60, 63, 65})
    for (const char* text : {"R.sum(p0, axis=[-1])", "R.max(p0, axis=[-1])", "R.nn.softmax(p0, axis=-1)"})
      row(text, QString("3, %1").arg(last));
  for (const char* shape : {"1, 5, 9, 13", "2, 3, 20, 37", "1, 1, 3, 3"}) {
    row("R.nn.max_pool2d(p0, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])", shape);
    row("R.nn.max_pool2d(p0, pool_size=[2, 3])", shape);
    row("R.nn.adaptive_avg_pool2d(p0, output_size=[2, 2])", shape);
  }
  row("R.nn.batch_norm(p0, p1, p2, p1, R.multiply(p2, p2), axis=1, training=True)[0]", "2, 3, 4, 5; 3; 3");
  row("R.nn.batch_norm(p0, p1, p2, p1, R.multiply(p2, p2), axis=1, training=False)[0]", "2, 3, 4, 5; 3; 3");
  // Channels in groups of many.
  for (const char* stride : {"1", "2"}) {
    row(QString("R.nn.relu(R.add(R.nn.conv2d(p0, p1, groups=2, padding=[1, 1, 1, 1], strides=[%1, %1]), p2))")
            .arg(stride),
        "2, 6, 9, 11; 40, 3, 3, 3; 1, 40, 1, 1");
    row(QString("R.nn.conv2d(p0, p1, groups=3, strides=[%1, %1])").arg(stride), "1, 6, 9, 19; 51, 2, 3, 3");
  }
  // Read in the order of one axis, stored in that of another: whole squares, what is left, and others of their own.
  for (const char* shape : {"20, 33", "16, 8", "65, 17", "8, 7", "300, 40"}) row("R.permute_dims(p0)", shape);
  row("R.permute_dims(p0, axes=[2, 1, 0])", "17, 3, 40");
  row("R.permute_dims(p0, axes=[0, 3, 1, 2])", "2, 5, 19, 24");
  row("R.nn.relu(R.add(R.permute_dims(p0, axes=[1, 0]), p1))", "20, 33; 33, 20");
  row("R.add(R.permute_dims(p0), R.multiply(R.permute_dims(p0), p1))", "20, 33; 20");
  row("R.add(R.permute_dims(p0), p0)", "20, 20");
  row("R.permute_dims(R.astype(p0, \"float16\"))", "20, 33");
  row("R.nn.pad(R.permute_dims(p0), pad_width=[1, 1, 2, 0])", "20, 33");
  // The same elements side by side, and the same rows.
  for (const char* size : {"10, 18", "15, 36", "5, 18", "10, 9", "20, 144"})
    row(QString("R.image.resize2d(p0, R.shape([%1]), layout=\"NCHW\", method=\"nearest_neighbor\", "
                "coordinate_transformation_mode=\"asymmetric\", rounding_method=\"floor\")")
            .arg(size),
        "2, 3, 5, 9");
  for (const char* axis : {"0", "1", "2"})
    for (const char* shape : {"3, 5, 7", "2, 17, 1", "4, 2, 37"})
      for (const char* times : {"2", "3", "17"}) row(QString("R.repeat(p0, %1, axis=%2)").arg(times, axis), shape);
  // An element and its number, of places side by side and of others.
  for (const char* shape : {"3, 7, 40", "5, 33, 16", "2, 3, 4", "4, 1, 20", "1, 100, 65"})
    for (const char* axis : {"0", "1", "2"})
      for (const char* name : {"max", "min"}) row(QString("R.arg%1(p0, axis=%2)").arg(name, axis), shape);
  // What the last axis alone decides, in tables; of a single step, and of few others, in none.
  for (const char* size : {"1, 1", "7, 1", "1, 7", "13, 37", "20, 2000"}) {
    for (const char* method : {"linear", "nearest_neighbor", "cubic"}) {
      row(QString("R.image.resize2d(p0, R.shape([%1]), layout=\"NCHW\", method=\"%2\")").arg(size, method),
          "2, 3, 5, 9");
      row(QString("R.image.resize2d(p0, R.shape([%1]), layout=\"NHWC\", method=\"%2\")").arg(size, method),
          "1, 5, 9, 2");
    }
  }
  row("R.image.resize2d(p0, R.shape([4, 4]), layout=\"NCHW\")", "0, 3, 5, 9");
  // Running sums beside one another, and along what lies in order.
  for (const char* shape : {"5, 37, 3", "3, 9, 200", "1, 4, 1", "2, 1, 64", "0, 4, 3", "4, 0, 3", "3, 4, 0"}) {
    for (const char* axis : {"0", "1", "2"}) {
      row(QString("R.cumsum(p0, axis=%1)").arg(axis), shape);
      row(QString("R.cumprod(p0, axis=%1, exclusive=True)").arg(axis), shape);
    }
  }
  row("R.cumsum(p0)", "5, 37");
  // Two sums in one block.
  for (const char* shapes : {"2, 3, 4, 5; 3; 3", "1, 4, 1, 37; 4; 4", "2, 6, 9, 16; 6; 6", "1, 1, 1, 1; 1; 1"}) {
    row("R.nn.instance_norm(p0, p1, p2, channel_axis=1, axes=[2, 3])", shapes);
    row("R.nn.layer_norm(p0, R.nn.relu(p0), p0, axes=[0, 1, 2, 3])", QString(shapes).section(';', 0, 0));
  }
  row("R.nn.group_norm(p0, p1, p2, num_groups=3, channel_axis=1, axes=[2, 3])", "2, 6, 9, 16; 6; 6");
  row("R.multiply(R.exp(p0), R.add(p1, p0))", "2, 3, 5; 3, 1");
  // Attention, in tiles of rows: a whole one and what is left, in several heads, under a mask.
  row("R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)", "37, 16; 16, 45; 45, 20");
  row("R.matmul(R.nn.softmax(R.multiply(R.matmul(p0, p1), R.const(0.125, \"float32\")), axis=-1), p2)",
      "3, 150, 8; 3, 8, 45; 3, 45, 20");
  row("R.matmul(R.nn.softmax(R.add(R.divide(R.matmul(p0, p1), R.const(3, \"float32\")), p3), axis=-1), p2)",
      "2, 3, 37, 16; 2, 3, 16, 45; 2, 3, 45, 33; 1, 1, 37, 45");
  row("R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=0), p2)", "37, 16; 16, 45; 45, 20");
  for (const char* mask : {"", ", causal_mask=\"TopLeft\"", ", causal_mask=\"BottomRight\""})
    for (const char* shapes : {"2, 19, 3, 8; 2, 23, 3, 8; 2, 23, 3, 8", "1, 1, 2, 16; 1, 37, 2, 16; 1, 37, 2, 20"})
      row(QString("R.nn.attention(p0, p1, p2%1)").arg(mask), shapes);
}

void TestHostRules::computesTheSame() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  const std::string module = moduleOf(text, shapes);
  const auto before = programOf(module, "llvm");
  QVERIFY2(before, before ? "" : before.diagnostics()[0].message.c_str());
  const auto expected = resultOf(*before, true);
  QVERIFY2(expected, expected ? "" : expected.diagnostics()[0].message.c_str());
  const auto here = programOf(module, "llvm", "optimized");
  QVERIFY2(here, here ? "" : here.diagnostics()[0].message.c_str());
  const auto compiled = resultOf(*here, false), interpreted = resultOf(*here, true);
  QVERIFY2(compiled, compiled ? "" : compiled.diagnostics()[0].message.c_str());
  QVERIFY2(interpreted, interpreted ? "" : interpreted.diagnostics()[0].message.c_str());
  QVERIFY((*compiled)->identical(**interpreted));
  QCOMPARE_LE(apart(**expected, **compiled), 1e-5);
  // Other widths of registers, without and with products that are rounded with their sums.
  for (const char* target : {"llvm -mcpu=x86-64-v2", "llvm -mcpu=x86-64-v3", "llvm -mcpu=x86-64-v4"}) {
    const auto other = programOf(module, target, "optimized");
    QVERIFY2(other, other ? "" : other.diagnostics()[0].message.c_str());
    const auto got = resultOf(*other, true);
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QCOMPARE_LE(apart(**expected, **got), 1e-5);
  }
}

void TestHostRules::computesTheSameForEverySize_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  auto row = [](const QString& text, const QString& shapes) {
    QTest::newRow(qPrintable(text + " of " + shapes)) << text << QString(shapes).replace("n", "\"n\"");
  };
  row("R.matmul(p0, p1)", "n, 20; 20, 35");
  row("R.matmul(p0, p1)", "n, 300; 300, 301");
  row("R.matmul(p0, p1)", "7, n; n, 35");
  row("R.matmul(p0, p1)", "30, 20; 20, n");
  row("R.matmul(p0, p1)", "n, n; n, n");
  row("R.matmul(p0, p1)", "3, n, 16; 3, 16, n");
  row("R.matmul(p0, p1)", "n, 5, 16; 16, 33");
  row("R.matmul(p0, R.permute_dims(p1))", "n, 40; 23, 40");
  row("R.matmul(R.permute_dims(p0, axes=[1, 0, 2]), R.permute_dims(p1, axes=[1, 2, 0]))", "n, 3, 16; n, 3, 16");
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "n, 13; 13, 34; 34");
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "n, 300; 300, 301; 301");
  for (const char* shape : {"3, n", "n, 37", "n, n", "2, n, 19"}) {
    for (const char* text : {"R.sum(p0, axis=[-1])", "R.max(p0, axis=[0])", "R.nn.softmax(p0, axis=-1)",
                             "R.nn.gelu(p0)", "R.add(R.permute_dims(p0), R.permute_dims(p0))"})
      row(text, shape);
  }
  row("R.nn.layer_norm(p0, p1, p2, axes=[-1])", "2, n, 40; 40; 40");
  row("R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)", "3, n, 16; 3, 16, n; 3, n, 16");
  row("R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)", "3, n, 16; 3, 16, 21; 3, 21, 16");
  row("R.nn.pad(p0, pad_width=[0, 1, 2, 0])", "n, 5");
  row("R.nn.adaptive_avg_pool1d(p0, output_size=[5])", "1, 2, n");
}

void TestHostRules::computesTheSameForEverySize() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  const std::string module = moduleOf(text, shapes);
  const auto before = programOf(module, "llvm"), here = programOf(module, "llvm", "optimized");
  QVERIFY2(before, before ? "" : before.diagnostics()[0].message.c_str());
  QVERIFY2(here, here ? "" : here.diagnostics()[0].message.c_str());
  const auto plain = machineOf(*before, false), compiled = machineOf(*here, false),
             interpreted = machineOf(*here, true);
  QVERIFY(plain && compiled && interpreted);
  for (const int64_t size : {0, 1, 2, 3, 7, 15, 16, 33, 70}) {
    const auto expected = resultOn(**plain, *before, size), got = resultOn(**compiled, *here, size);
    QVERIFY2(expected, expected ? "" : expected.diagnostics()[0].message.c_str());
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QCOMPARE((*got)->count(), (*expected)->count());
    QCOMPARE_LE(apart(**expected, **got), 1e-5);
    if (size > 16) continue;  // each step takes the interpreter its time
    const auto slow = resultOn(**interpreted, *here, size);
    QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
    QVERIFY((*got)->identical(**slow));
  }
}

void TestHostRules::laysWeightsOut_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<bool>("laidOut");
  auto row = [](const char* text, const char* shapes, bool laidOut) {
    QTest::newRow(qPrintable(QString("%1 of %2").arg(text, shapes))) << QString(text) << QString(shapes) << laidOut;
  };
  for (const char* shapes :
       {"1, 70; 70, 133", "7, 70; 70, 133", "80, 70; 70, 133", "20, 64; 64, 64", "\"n\", 70; 70, 133",
        "\"n\", 70; 70, 401", "2, \"n\", 70; 70, 133", "3, 5, 40; 3, 40, 50", "1, 300; 300, 1100"})
    row("R.matmul(p0, p1)", shapes, true);
  row("R.matmul(p0, R.permute_dims(p1))", "9, 70; 130, 70", true);
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "21, 90; 90, 134; 134", true);
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "\"n\", 90; 90, 134; 134", true);
  row("R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1])", "1, 32, 7, 7; 70, 32, 3, 3", true);
  row("R.nn.conv2d(p0, p1, strides=[2, 2])", "1, 64, 9, 9; 70, 64, 1, 1", true);
  row("R.nn.conv2d(p0, p1, strides=[2, 3])", "2, 34, 25, 26; 530, 34, 1, 1", true);  // its rows are gathered
  // Of sums of inputs and weights: an odd number of results on a side, more than one image, panels that are no vectors.
  constexpr const char* kLast =
      "R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1], data_layout=\"NHWC\", kernel_layout=\"OIHW\")";
  row(kLast, "1, 13, 17, 64; 70, 64, 3, 3", true);
  row(kLast, "2, 14, 11, 33; 37, 33, 3, 3", true);
  row(qPrintable(QString("R.nn.relu(R.add(%1, p2))").arg(kLast)), "1, 12, 12, 40; 96, 40, 3, 3; 96", true);
  row("R.nn.conv2d(p0, p1, groups=2)", "1, 64, 9, 9; 70, 32, 3, 3", true);
  row("R.nn.conv2d(p0, p1, groups=2)", "1, 640, 9, 9; 6, 320, 3, 3", false);  // its groups have too few lanes
  row("R.nn.conv2d_transpose(p0, p1, strides=[2, 2])", "1, 32, 6, 7; 32, 20, 3, 3", true);
  row("R.matmul(p0, p1)", "3, 4; 4, 5", false);                 // too small
  row("R.add(R.matmul(p0, p1), p1)", "80, 80; 80, 80", false);  // read in another way too
}

/// Weights that are constants are laid out when the module is compiled, where a rule reads them in panels; the results
/// stay.
void TestHostRules::laysWeightsOut() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(bool, laidOut);
  const auto module = script::parseModule(make<SourceFile>("m.py", moduleOf(text, shapes)));
  QVERIFY(module);
  const auto whole = programOf(moduleOf(text, shapes), "llvm");
  QVERIFY(whole);
  for (const int64_t size : {1, 5, 33}) {
    const auto arguments = argumentsOf(*whole, size);
    QVERIFY(arguments);
    std::vector<NamedTensor> weights;
    for (size_t i = 1; i < arguments->size(); ++i)
      weights.emplace_back(fmt::format("p{}", i), (*arguments)[i].tensor().copy().value());
    const auto bound = compile::withWeights(*module, "main", weights);
    QVERIFY2(bound, bound ? "" : bound.diagnostics()[0].message.c_str());
    compile::Request request;
    request.module = *bound;
    request.passes = "optimized";
    compile::Control control;
    control.keepStages = true;
    const auto program = compile::compile(request, control);
    QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
    const auto copiesIn = [](const ir::Module& stage) {
      return std::any_of(stage->vars.begin(), stage->vars.end(),
                         [](const auto& var) { return var->name.view().ends_with("_weight_prepack"); });
    };
    bool split = false;
    for (size_t i = 0; i <= program->history.steps.size(); ++i) split |= copiesIn(program->history.stage(i));
    QCOMPARE(split, laidOut);
    // What copied weights ran while the module was compiled.
    QVERIFY(!copiesIn(program->module));
    const auto plain = machineOf(*whole, false), compiled = machineOf(*program, false);
    QVERIFY(plain && compiled);
    const auto expected = resultOn(**plain, *whole, size);
    QVERIFY((*compiled)->start("main", {arguments->front()}).ok());
    (*compiled)->run();
    QVERIFY(!(*compiled)->fault());
    QCOMPARE_LE(apart(**expected, (*compiled)->result().tensor()), 1e-5);
  }
}

/// Every stage of what is made of p0 and the weight p1, as text.
static std::string stagesOfWeighed(const char* expression, const char* shapes, const char* target) {
  const std::string text = moduleOf(expression, shapes);
  const auto module = script::parseModule(make<SourceFile>("m.py", text));
  const auto whole = programOf(text, "llvm");
  if (!whole) return {};
  const auto arguments = argumentsOf(*whole, 5);
  if (!module || !arguments) return {};
  const std::vector<NamedTensor> weights{{"p1", (*arguments)[1].tensor().copy().value()}};
  compile::Request request;
  request.module = compile::withWeights(*module, "main", weights).value();
  request.passes = "optimized";
  request.target = target::parseTarget(target).value();
  compile::Control control;
  control.keepStages = true;
  const auto program = compile::compile(request, control);
  std::string stages;
  for (size_t i = 0; program && i <= program->history.steps.size(); ++i)
    stages += script::printModule(program->history.stage(i)).text;
  return stages;
}

/// A weight is laid out in one way for every size: where there is one row, several of its panels go together.
void TestHostRules::takesOneRowOverPanels() {
  for (const auto& [shapes, expected] : {std::pair("\"n\", 70; 70, 401", true), std::pair("\"n\", 70; 70, 16", false),
                                         std::pair("7, 70; 70, 133", false)}) {
    const std::string stages = stagesOfWeighed("R.matmul(p0, p1)", shapes, "llvm");
    QVERIFY(!stages.empty());
    QCOMPARE(stages.find("for panels in ") != std::string::npos, expected);
  }
}

/// A panel lies in strips as wide as a line of memory, or as a vector where it is made of no whole lines.
void TestHostRules::laysPanelsInStrips() {
  for (const auto& [target, shapes, packed] :
       {std::tuple("x86-64-v4", "4, 70; 70, 192", "T.int64(2), T.int64(6), T.int64(70), T.int64(16)"),
        std::tuple("x86-64-v4", "4, 70; 70, 70", "T.int64(1), T.int64(5), T.int64(70), T.int64(16)"),
        std::tuple("x86-64-v3", "4, 70; 70, 192", "T.int64(12), T.int64(1), T.int64(70), T.int64(16)"),
        std::tuple("x86-64-v3", "1, 70; 70, 192", "T.int64(4), T.int64(7), T.int64(70), T.int64(8)")}) {
    const std::string stages = stagesOfWeighed("R.matmul(p0, p1)", shapes, target);
    QVERIFY(!stages.empty());
    if (stages.find(packed) == std::string::npos)
      qInfo("%s", stages.substr(stages.rfind("_packed")).substr(0, 300).c_str());
    QVERIFY2(stages.find(packed) != std::string::npos, packed);
  }
}

/// Rows of which neither pixels nor channels are side by side are gathered once, where many panels read them.
void TestHostRules::gathersRowsInSteps() {
  for (const auto& [strides, shapes, expected] :
       {std::tuple("2", "1, 64, 15, 15; 256, 64, 1, 1", true), std::tuple("1", "1, 64, 15, 15; 256, 64, 1, 1", false),
        std::tuple("2", "1, 64, 15, 15; 16, 64, 1, 1", false)}) {
    const std::string text = fmt::format("R.nn.conv2d(p0, p1, strides=[{}, {}])", strides, strides);
    const std::string stages = stagesOfWeighed(text.c_str(), shapes, "llvm -mcpu=x86-64-v3");
    QVERIFY(!stages.empty());
    QCOMPARE(stages.find("gathered") != std::string::npos, expected);
  }
}

/// Results of several times the second cache, of 256 KiB here, go past the caches, where vectors begin at multiples of
/// their size and where they do not, as in rows of an odd length.
void TestHostRules::storesLargeResultsPastCaches() {
  for (const auto& [text, shapes, expected] :
       {std::tuple("R.nn.relu(p0)", "515, 517", true), std::tuple("R.add(p0, p1)", "515, 517; 517", true),
        std::tuple("R.exp(p0)", "515, 517", true), std::tuple("R.nn.relu(p0)", "315, 517", false)}) {
    const std::string module = moduleOf(text, shapes);
    const auto before = programOf(module, "llvm"), here = programOf(module, "llvm -mcpu=x86-64-v3", "optimized");
    QVERIFY(before && here);
    QCOMPARE(script::printModule(here->module).text.find("streamed_stores") != std::string::npos, expected);
    const auto plain = machineOf(*before, false), interpreted = machineOf(*here, true);
    QVERIFY(plain && interpreted);
    const auto wanted = resultOn(**plain, *before, 1), slow = resultOn(**interpreted, *here, 1);
    QVERIFY(wanted && slow);
    QCOMPARE_LE(apart(**wanted, **slow), 1e-6);
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) continue;
    const auto compiled = machineOf(*here, false);
    QVERIFY(compiled);
    const auto got = resultOn(**compiled, *here, 1);
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QVERIFY((*got)->identical(**slow));
#endif
  }
}

void TestHostRules::choosesLayouts_data() {
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<QString>("rule");
  QTest::newRow("many channels") << "1, 64, 16, 16; 64, 64, 3, 3"
                                 << "conv2d_nhwc: host.Winograd";
  QTest::newRow("few channels") << "1, 16, 16, 16; 64, 16, 3, 3"
                                << "conv2d_nchw: host.Products";
  QTest::newRow("a small image") << "1, 64, 8, 8; 64, 64, 3, 3"
                                 << "conv2d_nchw: host.Products";
}

/// A convolution alone gets its channels last where that saves more than it moves.
void TestHostRules::choosesLayouts() {
  QFETCH(QString, shapes);
  QFETCH(QString, rule);
  const std::string text = moduleOf(QString(kConv).arg(1).arg(1), shapes);
  const auto module = script::parseModule(make<SourceFile>("m.py", text));
  const auto whole = programOf(text, "llvm");
  QVERIFY(module && whole);
  const auto arguments = argumentsOf(*whole, 1);
  QVERIFY(arguments);
  compile::Request request;
  const auto bound = compile::withWeights(*module, "main", {{"p1", (*arguments)[1].tensor().copy().value()}});
  QVERIFY(bound);
  request.module = *bound;
  request.passes = "optimized";
  const auto program = compile::compile(request, {});
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  QVERIFY2(rulesOf(*program).contains(rule), qPrintable(rulesOf(*program)));
  const auto plain = machineOf(*whole, false), compiled = machineOf(*program, false);
  QVERIFY(plain && compiled);
  const auto expected = resultOn(**plain, *whole, 1);
  QVERIFY((*compiled)->start("main", {arguments->front()}).ok());
  (*compiled)->run();
  QCOMPARE_LE(apart(**expected, (*compiled)->result().tensor()), 1e-5);
}

void TestHostRules::addsInParts_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  auto row = [](const char* text, const char* shapes) {
    QTest::newRow(qPrintable(QString("%1 of %2").arg(text, shapes))) << QString(text) << QString(shapes);
  };
  row("R.matmul(p0, p1)", "259, 521; 521, 300");
  row("R.matmul(p0, R.permute_dims(p1))", "140, 1000; 150, 1000");
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "140, 1100; 1100, 331; 331");
  row("R.matmul(p0, p1)", "2, 140, 1000; 2, 1000, 70");
}

/// Rows that no cache of a core holds: parts of sums are kept where they end, or beside it where more is made of them.
void TestHostRules::addsInParts() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  const std::string module = moduleOf(text, shapes);
  const auto before = programOf(module, "llvm"), here = programOf(module, "llvm", "optimized"),
             precise = programOf(module, "llvm", "optimized_precise");
  QVERIFY(before && here && precise);
  const auto expected = resultOf(*before, false), got = resultOf(*here, false), same = resultOf(*precise, false);
  QVERIFY(expected && got && same);
  QCOMPARE_LE(apart(**expected, **got), 1e-5);
  QVERIFY((*same)->identical(**expected));
}

void TestHostRules::computesTheSameBits_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<bool>("without");
  auto row = [](const char* text, const char* shapes, bool without = true) {
    QTest::newRow(text) << QString(text) << QString(shapes) << without;
  };
  row("R.sum(R.multiply(p0, p0))", "1000", false);
  row("R.sum(R.multiply(p0, p0), axis=[-1])", "3, 200", false);
  row("R.mean(R.multiply(p0, p0), axis=[1, 2])", "3, 4, 50", false);
  row("R.sum(R.add(p0, p1), axis=[0])", "70, 40; 70, 40");
  row("R.max(p0, axis=[-1])", "3, 200");
  row("R.matmul(p0, p1)", "21, 300; 300, 70", false);
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "1, 300; 300, 301; 301", false);
  row("R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1])", "1, 4, 20, 33; 40, 4, 3, 3", false);
}

/// Precise sums give the bits of the kernel as it was; without that, those whose sums are made of shares or of products
/// that are not rounded do not.
void TestHostRules::computesTheSameBits() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(bool, without);
  const std::string module = moduleOf(text, shapes);
  const auto plain = programOf(module, "llvm"), precise = programOf(module, "llvm", "optimized_precise"),
             fast = programOf(module, "llvm -mcpu=x86-64-v3", "optimized");
  QVERIFY(plain && precise && fast);
  const auto expected = resultOf(*plain, true), compiled = resultOf(*precise, false), other = resultOf(*fast, true);
  QVERIFY(expected && compiled && other);
  QVERIFY((*compiled)->identical(**expected));
  QCOMPARE((*other)->identical(**expected), without);
}

namespace {

bool isScheduled(const compile::Program& program) {
  for (const auto& function : program.module->functions) {
    const auto* kernel = as<tir::PrimFunc>(function);
    if (kernel && ir::boolAttrOf(kernel->attrs, schedule::kScheduled, false)) return true;
  }
  return false;
}

}  // namespace

void TestHostRules::usesVectors_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<bool>("scheduled");
  QTest::newRow("product") << "R.matmul(p0, p1)"
                           << "3, 4; 4, 5" << true;
  QTest::newRow("convolution") << QString(kConv).arg(1).arg(1) << "1, 3, 9, 11; 5, 3, 3, 3" << true;
  QTest::newRow("sum") << "R.sum(p0)"
                       << "70" << true;
  QTest::newRow("rows of any number") << "R.matmul(p0, p1)"
                                      << "\"n\", 4; 4, 5" << true;
  QTest::newRow("nothing") << "R.matmul(p0, p1)"
                           << "0, 4; 4, 5" << false;
}

void TestHostRules::usesVectors() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(bool, scheduled);
  const auto program = programOf(moduleOf(text, shapes), "llvm", "optimized");
  QVERIFY(program);
  QCOMPARE(isScheduled(*program), scheduled);
}

void TestHostRules::saysWhichRules_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<QString>("rules");
  QTest::newRow("product") << "R.matmul(p0, p1)"
                           << "3, 4; 4, 5"
                           << "matmul: host.Products";
  QTest::newRow("rows") << "R.nn.softmax(p0, axis=-1)"
                        << "3, 40"
                        << "T_softmax_norm: by rows, T_softmax_maxelem host.Reductions, T_softmax_exp and "
                           "T_softmax_expsum host.Reductions, T_softmax_norm host.Elementwise";
  QTest::newRow("a few vectors") << "R.matmul(p0, p1)"
                                 << "4, 1024; 1024, 2048"
                                 << "matmul: host.VectorMatrix";
  QTest::newRow("attention") << "R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)"
                             << "3, 40, 8; 3, 8, 50; 3, 50, 20"
                             << "matmul1: by tiles of 40 rows, matmul host.Products, T_softmax_norm: by rows, "
                                "T_softmax_maxelem host.Reductions, T_softmax_exp and "
                                "T_softmax_expsum host.Reductions, T_softmax_norm host.Elementwise, "
                                "matmul1 host.Products";
  // Of an operator that says which buffers may be laid out otherwise.
  QTest::newRow("causal attention") << "R.nn.attention(p0, p1, p2, causal_mask=\"TopLeft\")"
                                    << "1, 40, 3, 8; 1, 50, 3, 8; 1, 50, 3, 20"
                                    << "T_reshape: host.Elementwise; T_reshape_1: host.Elementwise; T_batch_matmul_NT: "
                                       "host.Products; T_divide_1: by rows, trilu_red host.Reductions, trilu_1 and "
                                       "trilu_red_1 host.Reductions, T_divide_1 host.Elementwise; T_reshape_2: "
                                       "host.Elementwise; T_batch_matmul_NN: host.Products";
  QTest::newRow("too many vectors") << "R.matmul(p0, p1)"
                                    << "9, 1024; 1024, 2048"
                                    << "matmul: host.Products";
  QTest::newRow("rows that a run counts")
      << "R.nn.layer_norm(p0, p1, p1, axes=[-1])"
      << "\"n\", 40; 40"
      << "T_layer_norm: by rows, p0_sum host.Reductions, p0_var_sum host.Reductions, "
         "T_layer_norm host.Elementwise";
  // A channel by itself is padded where it is used; padding by nothing is no stage.
  QTest::newRow("channels apart") << "R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1], strides=[2, 2], groups=6)"
                                  << "1, 6, 20, 40; 6, 1, 3, 3"
                                  << "group_conv2d_nchw: by rows, pad_temp host.Elementwise, group_conv2d_nchw "
                                     "host.Reductions";
  QTest::newRow("windows with rows in common")
      << "R.nn.relu(R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1], groups=6))"
      << "1, 6, 20, 40; 6, 1, 3, 3"
      << "compute: by rows, pad_temp host.Elementwise, group_conv2d_nchw host.Windows";
  QTest::newRow("zeros between steps") << "R.nn.conv2d_transpose(p0, p1, strides=[2, 1])"
                                       << "1, 4, 6, 9; 4, 10, 3, 3"
                                       << "compute: without the zeros between steps; kernel_transform: "
                                          "host.Elementwise; data_pad: host.Elementwise; compute: "
                                          "host.Products; compute: host.Products";
  QTest::newRow("two sums in one block")
      << "R.nn.instance_norm(p0, p1, p1, channel_axis=1, axes=[2, 3])"
      << "1, 6, 20, 40; 6"
      << "p0_red_temp_v0: host.Reductions; T_instance_norm: by rows, p0_red_temp_v1 host.Reductions, T_instance_norm "
         "host.Elementwise";
  // Of an operator that says by which rule TVM's tuning would schedule it.
  QTest::newRow("a pool") << "R.nn.max_pool2d(p0, pool_size=[3, 3], padding=[1, 1, 1, 1])"
                          << "1, 5, 20, 40"
                          << "pool_max: by rows, pad_temp host.Elementwise, pool_max host.Windows";
  QTest::newRow("running sums beside one another") << "R.cumsum(p0, axis=1)"
                                                   << "3, 20, 40"
                                                   << "cumsum_generic: host.Lines";
  QTest::newRow("a transpose") << "R.permute_dims(p0)"
                               << "20, 40"
                               << "T_transpose: host.Transposes";
  QTest::newRow("elements repeated") << "R.repeat(p0, 2, axis=1)"
                                     << "3, 40"
                                     << "T_repeat: host.Repeats";
  QTest::newRow("channels in groups of many") << "R.nn.relu(R.nn.conv2d(p0, p1, groups=2))"
                                              << "1, 6, 9, 11; 40, 3, 3, 3"
                                              << "group_conv2d_nchw: host.Products";
  QTest::newRow("an element and its number") << "R.argmax(p0, axis=1)"
                                             << "3, 20, 40"
                                             << "p0_red_temp: host.CoupledSums; p0_red: host.Elementwise";
  QTest::newRow("no window") << "R.nn.conv2d(p0, p1)"
                             << "1, 24, 9, 8; 20, 24, 1, 1"
                             << "conv2d_nchw: host.Products";
  // Steps of the only axis that all have in common lie in order: lanes go along it.
  QTest::newRow("no rows") << "R.nn.softmax(p0, axis=0)"
                           << "3, 40"
                           << "T_softmax_maxelem: host.Reductions; T_softmax_exp: host.Elementwise; "
                              "T_softmax_expsum: host.Reductions; T_softmax_norm: host.Elementwise";
}

void TestHostRules::saysWhichRules() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(QString, rules);
  const auto program = programOf(moduleOf(text, shapes), "llvm", "optimized");
  QVERIFY(program);
  QCOMPARE(rulesOf(*program), rules);
}

namespace {

/// What the pass says of a kernel with this body of its only block.
Result<std::string> saidOf(const QString& body) {
  const std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
      "    @T.prim_func(s_tir=True)\n    def k(x: T.Buffer((8, 8), \"float32\"), y: T.Buffer((8,), \"float32\")):\n"
      "        with T.sblock(\"root\"):\n" +
      body.toStdString();
  RX_TRY(module, script::parseModule(make<SourceFile>("k.py", text)));
  RX_TRY(target, target::parseTarget("llvm"));
  RX_TRY(calls, pass::parsePipeline(compile::passTable(), "ApplySchedules()"));
  pass::RunOptions run;
  run.context.target = target;
  const pass::History history = pass::runPipeline(module, calls, run);
  std::string said;
  for (const Diagnostic& message : history.steps.front().messages) said += message.message;
  return said;
}

}  // namespace

void TestHostRules::saysWhyNot_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("why");
  const QString head =
      "            for i, k in T.grid(8, 8):\n                with T.sblock(\"b\"):\n"
      "                    vi, vk = T.axis.remap(\"SR\", [i, k])\n";
  const QString init = "                    with T.init():\n                        y[vi] = T.float32(%1)\n";
  const QString step = "                    y[vi] = %1\n";
  auto row = [&](const QString& body, const char* why) { QTest::newRow(why) << body << QString(why); };
  row(head + init.arg(1) + step.arg("y[vi] + x[vi, vk]"), "it is no sum, maximum or minimum that starts from a number");
  row(head + init.arg(0) + step.arg("y[vi] + x[vi, vk]"), "");
  row("            for i in range(8):\n                with T.sblock(\"b\"):\n"
      "                    vi = T.axis.spatial(8, i)\n                    T.where(i < 4)\n"
      "                    y[vi] = x[vi, 0]\n",
      "it is no stage of one store for each place of its axes");
}

void TestHostRules::saysWhyNot() {
  QFETCH(QString, body);
  QFETCH(QString, why);
  const auto said = saidOf(body);
  QVERIFY2(said, said ? "" : said.diagnostics()[0].message.c_str());
  if (why.isEmpty()) QCOMPARE(*said, std::string());
  QVERIFY2(said->find(why.toStdString()) != std::string::npos, said->c_str());
}

/// The pass on its own result changes nothing.
void TestHostRules::leavesWhatIsScheduled() {
  const auto module = script::parseModule(make<SourceFile>("m.py", moduleOf("R.matmul(p0, p1)", "3, 4; 4, 5")));
  QVERIFY(module);
  const auto calls = pass::parsePipeline(compile::passTable(), "LegalizeOps(), ApplySchedules(), ApplySchedules()");
  QVERIFY(calls);
  pass::RunOptions run;
  run.context.target = *target::parseTarget("llvm");
  run.keepStages = true;
  const pass::History history = pass::runPipeline(*module, *calls, run);
  QVERIFY(history.stage(1) != history.stage(2));
  QVERIFY(history.stage(2) == history.stage(3));
}

QTEST_GUILESS_MAIN(TestHostRules)
#include "tst_host_rules.moc"
