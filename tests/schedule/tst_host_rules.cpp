// Rules for processors: kernels of every shape that they take compute the same as before, on sizes that nothing
// divides; interpreted and compiled they give the same bits.
#include <QtTest>

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
  void addsInParts_data();
  void addsInParts();
  void computesTheSameBits_data();
  void computesTheSameBits();
  void dividesRowsBySumsOnce_data();
  void dividesRowsBySumsOnce();
  void dividesRowsWithoutReciprocal();
  void placesWhereDataSay_data();
  void placesWhereDataSay();
};

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
      row(convolution(stride, pad), "1, 3, 9, 11; 5, 3, 3, 3");
      row(convolution(stride, pad), "2, 17, 7, 7; 20, 17, 1, 1");
      row(convolution(stride, pad), "1, 4, 20, 33; 40, 4, 3, 3");
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
  row("R.nn.conv2d(p0, p1, groups=3, padding=[2, 2, 2, 2], strides=[2, 2])", "2, 3, 19, 75; 3, 1, 5, 5");
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
  // Numbers too large for the type, and no numbers.
  for (const char* type : {"int8", "uint8", "int32", "int64"})
    row(QString("R.astype(R.astype(R.multiply(R.log(p0), R.const(1e9, \"float32\")), \"%1\"), \"float32\")").arg(type),
        "5, 37");
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
  row("R.nn.gelu(R.add(R.matmul(p0, p1), p2))", "30, 20; 20, n; 30, 1");
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
  row("R.variance(p0, axis=[-1])", "3, n");
  row("R.subtract(p0, R.mean(p0, axis=[-1], keepdims=True))", "3, n");
  row("R.nn.layer_norm(p0, p1, p2, axes=[-1])", "2, n, 40; 40; 40");
  row("R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)", "3, n, 16; 3, 16, n; 3, n, 16");
  row("R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)", "3, n, 16; 3, 16, 21; 3, 21, 16");
  row("R.nn.pad(p0, pad_width=[0, 1, 2, 0])", "n, 5");
  row("R.nn.pad(p0, pad_width=[1, 0, 1, 2])", "3, n");
  row("R.concat((p0, p1, p2), axis=1)", "3, n; 3, 5; 3, n");
  row("R.concat((p0, p1), axis=0)", "n, 5; 4, 5");
  row("R.permute_dims(p0)", "n, 20");
  row("R.permute_dims(p0, axes=[0, 2, 1])", "2, 17, n");
  row("R.repeat(p0, 2, axis=1)", "3, n");
  row("R.nn.max_pool2d(p0, pool_size=[3, 3], padding=[1, 1, 1, 1])", "1, 2, n, 20");
  row("R.nn.max_pool2d(p0, pool_size=[3, 3], padding=[1, 1, 1, 1])", "1, 2, 9, n");
  // The shape of what a part hands on asks about the size.
  row("R.nn.avg_pool2d(p0, pool_size=[2, 2], strides=[2, 2], padding=[0, 1, 0, 1], ceil_mode=True)", "1, 1, n, 5");
  row("R.cumsum(p0, axis=0)", "n, 20");
  row("R.argmax(p0, axis=1)", "3, n");
  row("R.nn.silu(R.multiply(p0, p1))", "n, 37; n, 37");
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

void TestHostRules::dividesRowsBySumsOnce_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<bool>("once");
  const auto row = [](const char* name, const QString& text, const char* shapes, bool once) {
    QTest::newRow(name) << text << QString(shapes) << once;
  };
  row("softmax", "R.nn.softmax(p0, axis=-1)", "3, 203", true);
  row("rows that a run counts", "R.nn.softmax(p0, axis=-1)", "3, \"n\"", true);
  row("a few elements", "R.nn.softmax(p0, axis=-1)", "3, 17", false);
  // Nothing rounds there: what follows may ask for the quotient itself.
  row("a maximum", "R.divide(p0, R.max(p0, axis=[-1], keepdims=True))", "3, 203", false);
  row("given", "R.divide(p0, p1)", "3, 203; 3, 1", false);
}

void TestHostRules::dividesRowsBySumsOnce() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(bool, once);
  const std::string module = moduleOf(text, shapes);
  const auto before = programOf(module, "llvm"), here = programOf(module, "llvm", "optimized"),
             precise = programOf(module, "llvm", "optimized_precise");
  QVERIFY(before && here && precise);
  const auto asks = [](const compile::Program& program) {
    return script::printModule(program.module).text.find("reciprocal") != std::string::npos;
  };
  QCOMPARE(asks(*here), once);
  QVERIFY(!asks(*precise));
  const auto plain = machineOf(*before, false), interpreted = machineOf(*here, true),
             compiled = machineOf(*here, false);
  QVERIFY(plain && interpreted && compiled);
  constexpr int64_t kSize = 77;
  const auto wanted = resultOn(**plain, *before, kSize), slow = resultOn(**interpreted, *here, kSize),
             got = resultOn(**compiled, *here, kSize);
  QVERIFY(wanted && slow && got);
  QVERIFY((*got)->identical(**slow));
  QCOMPARE_LE(apart(**wanted, **slow), 1e-6);
}

/// The reciprocals of the sums of two rows are infinite and no number: there a run takes the quotients. A root of a sum
/// is divided by in the same way.
void TestHostRules::dividesRowsWithoutReciprocal() {
  for (const char* divisor : {"total[v0]", "T.sqrt(total[v0])"}) {
    const QString module = QString(R"(from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def shares(x: T.Buffer((T.int64(3), T.int64(203)), "float32"), y: T.Buffer((T.int64(3), T.int64(203)), "float32")):
        T.func_attr({"tirx.noalias": True})
        total = T.alloc_buffer((T.int64(3),))
        for i, k in T.grid(T.int64(3), T.int64(203)):
            with T.sblock("total"):
                v0, v1 = T.axis.remap("SR", [i, k])
                with T.init():
                    total[v0] = T.float32(0.0)
                total[v0] = total[v0] + x[v0, v1]
        for i, j in T.grid(T.int64(3), T.int64(203)):
            with T.sblock("share"):
                v0, v1 = T.axis.remap("SS", [i, j])
                y[v0, v1] = x[v0, v1] / %1

    @R.function
    def main(p0: R.Tensor((3, 203), dtype="float32")):
        with R.dataflow():
            lv = R.call_tir(Module.shares, (p0,), out_sinfo=R.Tensor((3, 203), dtype="float32"))
            R.output(lv)
        return lv
)")
                               .arg(divisor);
    const auto before = programOf(module.toStdString(), "llvm"),
               here = programOf(module.toStdString(), "llvm", "optimized");
    QVERIFY2(before, before ? "" : before.diagnostics()[0].message.c_str());
    QVERIFY(here);
    QVERIFY(script::printModule(here->module).text.find("reciprocal") != std::string::npos);
    std::vector<double> rows;
    for (const double scale : {1e-42, 1.0, 0.0})
      for (int i = 0; i < 203; ++i) rows.push_back(scale * (1 + i % 7));
    const auto given = *HostTensor::fromDoubles({3, 203}, DataType::Float(32), rows);
    const auto plain = machineOf(*before, false), interpreted = machineOf(*here, true),
               compiled = machineOf(*here, false);
    QVERIFY(plain && interpreted && compiled);
    const auto wanted = resultOn(**plain, {vm::Value::of(given)}),
               slow = resultOn(**interpreted, {vm::Value::of(given)}),
               got = resultOn(**compiled, {vm::Value::of(given)});
    QVERIFY(wanted && slow && got);
    QVERIFY((*got)->identical(**slow));
    for (int64_t i = 0; i < 406; ++i) QCOMPARE_LE(std::abs((*got)->at(i) / (*wanted)->at(i) - 1), 1e-6);
    for (int64_t i = 406; i < 609; ++i) QVERIFY(std::isnan((*got)->at(i)));
  }
}

void TestHostRules::placesWhereDataSay_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QStringList>("shapes");
  QTest::addColumn<int>("places");
  auto row = [](const QString& text, const QStringList& shapes, int places) {
    QTest::newRow(qPrintable(text + " of " + shapes.join("; "))) << text << shapes << places;
  };
  const QString elements = "R.scatter_elements(p0, p1, p2, axis=%1, reduction=\"%2\")",
                all = "R.scatter_nd(p0, p1, p2, \"%1\")";
  row("R.gather_nd(p0, p1)", {"6, 5, 19", "7, 1"}, 6);
  row("R.gather_nd(p0, p1)", {"6, 5, 3", "7, 2"}, 5);
  row("R.gather_nd(p0, p1)", {"1, 1", "1, 1"}, 1);
  row("R.take(p0, p1, axis=0)", {"6, 70", "9,"}, 6);
  row(elements.arg(0).arg("add"), {"9, 21", "4, 21", "4, 21"}, 9);
  row(elements.arg(1).arg("update"), {"9, 21", "9, 5", "9, 5"}, 21);
  row(elements.arg(1).arg("max"), {"5, 4, 18", "5, 3, 18", "5, 3, 18"}, 4);
  row(elements.arg(0).arg("add"), {"1, 1", "1, 1", "1, 1"}, 1);
  row(all.arg("add"), {"9, 21", "4, 1", "4, 21"}, 9);
  row(all.arg("update"), {"9, 3, 17", "4, 1", "4, 3, 17"}, 9);
  row(all.arg("mul"), {"9, 6", "5, 2", "5,"}, 6);
  row(all.arg("add"), {"3, 0", "2, 1", "2, 0"}, 3);
  row(all.arg("add"), {"600, 300", "500, 1", "500, 300"}, 600);
}

/// Rows and elements that data choose come out as without a schedule, in the same order where several meet; an index
/// that is outside ends the run with the same words.
void TestHostRules::placesWhereDataSay() {
  QFETCH(QString, text);
  QFETCH(QStringList, shapes);
  QFETCH(int, places);
  std::string params;
  for (qsizetype i = 0; i < shapes.size(); ++i)
    params += fmt::format("{}p{}: R.Tensor(({}), dtype=\"{}\")", i ? ", " : "", i, shapes[i].toStdString(),
                          i == 1 ? "int64" : "float32");
  const std::string module = fmt::format(
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main({}):\n        with R.dataflow():\n            lv = {}\n            R.output(lv)\n"
      "        return lv\n",
      params, text.toStdString());
  const auto before = programOf(module, "llvm"), here = programOf(module, "llvm", "optimized");
  QVERIFY2(before, before ? "" : before.diagnostics()[0].message.c_str());
  QVERIFY2(here, here ? "" : here.diagnostics()[0].message.c_str());
  const auto plain = machineOf(*before, false), compiled = machineOf(*here, false),
             interpreted = machineOf(*here, true);
  QVERIFY(plain && compiled && interpreted);
  const auto given = [&](bool outside) {
    std::vector<vm::Value> arguments = argumentsOf(*here, 1).value();
    Ref<HostTensor> chosen = arguments[1].tensor().copy().value();
    for (int64_t i = 0; i < chosen->count(); ++i) chosen->setInt(i, i * 5 % places);
    if (outside && chosen->count() > 0) chosen->setInt(chosen->count() - 1, 1000);
    arguments[1] = vm::Value::of(chosen);
    return arguments;
  };
  const auto expected = resultOn(**plain, given(false)), got = resultOn(**compiled, given(false));
  QVERIFY2(expected, expected ? "" : expected.diagnostics()[0].message.c_str());
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY((*got)->identical(**expected));
  if ((*got)->count() < 10000) {
    const auto slow = resultOn(**interpreted, given(false));
    QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
    QVERIFY((*slow)->identical(**expected));
  }
  if ((*got)->count() == 0) return;  // nothing is placed
  const auto fails = resultOn(**plain, given(true)), failsToo = resultOn(**compiled, given(true));
  QVERIFY(!fails && !failsToo);
  QCOMPARE(failsToo.diagnostics()[0].message, fails.diagnostics()[0].message);
}

QTEST_GUILESS_MAIN(TestHostRules)
#include "tst_host_rules.moc"
