// The tables of this layer and of core/analysis that stand beside the operator table.
#include <QTest>
#include <set>

#include "core/analysis/infer_layout.h"
#include "core/analysis/layout_text.h"
#include "core/analysis/mixed_precision.h"
#include "core/op/op_table.h"
#include "core/transform/gradient_rules.h"

using namespace rx;

namespace {

/// Names that are no operator, or stand twice.
template <class Rows>
std::string wrongNames(const Rows& rows) {
  std::set<std::string_view> seen;
  std::string wrong;
  for (const auto& row : rows) {
    if (!op::findOp(row.op) || !seen.insert(row.op).second) wrong += std::string(row.op) + ' ';
  }
  return wrong;
}

std::vector<tir::PrimExpr> shape(std::initializer_list<int64_t> dims) {
  std::vector<tir::PrimExpr> out;
  for (int64_t dim : dims) out.push_back(tir::intImm(dim));
  return out;
}

}  // namespace

class ColumnsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void columnsNameOperators() {
    QCOMPARE(wrongNames(analysis::allLayoutRows()), std::string());
    QCOMPARE(wrongNames(analysis::allPrecisionRows()), std::string());
    QCOMPARE(wrongNames(transform::allGradientRows()), std::string());
    QVERIFY(analysis::allLayoutRows().size() > 100);
    QVERIFY(transform::gradientRule("relax.matmul"));
    QVERIFY(!transform::gradientRule("relax.floor"));
  }

  void layoutsMove() {
    using analysis::movedLike;
    QCOMPARE(movedLike("ABCD", "NCHW", "NHWC").value_or("?"), std::string("ACDB"));
    QCOMPARE(movedLike("NCHW4c", "ABCD4b", "ACDB4b").value_or("?"), std::string("NHWC4c"));
    QVERIFY(!movedLike("ABCD", "NCHW", "NHWX"));
    QVERIFY(!movedLike("ABC", "NCHW", "NHWC"));
    QCOMPARE(analysis::splitLike("ABCD", "NCHW", "NCHW4c").value_or("?"), std::string("ABCD4b"));
    QVERIFY(!analysis::splitLike("ABCD", "NCHW", "NCXW"));
    QCOMPARE(analysis::broadcastTo("BA", 4).value_or("?"), std::string("ABDC"));
    QVERIFY(!analysis::broadcastTo("ABC", 2));
    QCOMPARE(analysis::axisIn("ACDB", 1), int64_t{3});
    QCOMPARE(analysis::axisIn("ACDB4b", -1), int64_t{-1});
    QVERIFY(!analysis::initialLayout(27));
  }

  void layoutsFit() {
    QVERIFY(analysis::fitsExactly("NCHW", "NCHW4c", shape({1, 8, 3, 3})));
    QVERIFY(!analysis::fitsExactly("NCHW", "NCHW4c", shape({1, 7, 3, 3})));
    QVERIFY(!analysis::fitsExactly("NCHW", "NCHW4c", shape({1, 8, 3})));
    QVERIFY(!analysis::fitsExactly("NCHW", "NCXW", shape({1, 8, 3, 3})));
  }

  void indexMapsSplitDimensions() {
    const auto map = analysis::indexMap("ABCD", "ABCD4b");
    QVERIFY(map);
    QCOMPARE((*map)->finalIndices.size(), size_t{5});
    QVERIFY(isa<tir::FloorDiv>((*map)->finalIndices[1]));
    QVERIFY(isa<tir::FloorMod>((*map)->finalIndices[4]));
    QVERIFY(!analysis::indexMap("ABCD", "ABCE"));
  }
};

QTEST_GUILESS_MAIN(ColumnsTest)
#include "tst_columns.moc"
