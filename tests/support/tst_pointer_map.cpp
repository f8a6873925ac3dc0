#include <QTest>
#include <string>

#include "core/support/pointer_map.h"

using namespace rx;

class PointerMapTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatWasNotSetIsNotFound();
  void theLaterValueCounts();
  void manyKeysAreToldApart();
  void clearingForgets();
};

void PointerMapTest::whatWasNotSetIsNotFound() {
  PointerMap<int, std::string> map;
  const int keys[2] = {};
  QVERIFY(!map.find(&keys[0]));
  map.set(&keys[0], "a");
  QVERIFY(!map.find(&keys[1]));
  QCOMPARE(*map.find(&keys[0]), std::string("a"));
}

void PointerMapTest::theLaterValueCounts() {
  PointerMap<int, std::string> map;
  const int key = 0;
  map.set(&key, "a");
  map.set(&key, "b");
  QCOMPARE(map.size(), size_t{1});
  QCOMPARE(*map.find(&key), std::string("b"));
}

void PointerMapTest::manyKeysAreToldApart() {
  PointerMap<int, int> map;
  std::vector<int> keys(10000);
  for (int i = 0; i < 10000; i += 2) map.set(&keys[static_cast<size_t>(i)], i);
  QCOMPARE(map.size(), size_t{5000});
  for (int i = 0; i < 10000; ++i) {
    const int* value = map.find(&keys[static_cast<size_t>(i)]);
    QCOMPARE(value ? *value : -1, i % 2 ? -1 : i);
  }
}

void PointerMapTest::clearingForgets() {
  PointerMap<int, int> map;
  const int key = 0;
  map.set(&key, 1);
  map.clear();
  QVERIFY(!map.find(&key));
  QCOMPARE(map.size(), size_t{0});
}

QTEST_GUILESS_MAIN(PointerMapTest)
#include "tst_pointer_map.moc"
