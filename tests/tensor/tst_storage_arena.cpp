#include <QTest>
#include <cstring>

#include "core/tensor/host_tensor.h"
#include "core/tensor/storage.h"

using namespace rx;

namespace {

bool holdsOnly(const Storage& storage, std::byte wanted) {
  const auto* end = storage.data() + storage.bytes();
  return std::all_of(storage.data(), end, [&](std::byte b) { return b == wanted; });
}

}  // namespace

class StorageArenaTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void countsWhatIsLive();
  void givesBlocksAgain();
  void keepsNoMoreThanWasUsed();
  void largeBlocksServeSmaller();
  void everySizeIsWhole();
  void refuses();
};

void StorageArenaTest::countsWhatIsLive() {
  auto arena = std::make_shared<StorageArena>(1000);
  auto first = Storage::allocate(600, arena);
  QVERIFY(first.ok());
  QCOMPARE(arena->live(), int64_t{600});
  QCOMPARE(Storage::allocate(401, arena).diagnostics()[0].rule, std::string("vm.memory-budget"));
  QCOMPARE(arena->live(), int64_t{600});
  *first = nullptr;
  QCOMPARE(arena->live(), int64_t{0});
  QCOMPARE(arena->peak(), int64_t{600});
  QVERIFY(Storage::allocate(1000, arena).ok());
}

void StorageArenaTest::givesBlocksAgain() {
  auto arena = std::make_shared<StorageArena>(1 << 20, false);
  auto first = Storage::allocate(300, arena);
  const std::byte* block = (*first)->data();
  QVERIFY2(holdsOnly(**first, std::byte{0}), "memory from the system comes with zeros, nobody else's bytes");
  QVERIFY(!(*first)->fresh());
  std::memset((*first)->mutableData(), 7, 300);
  *first = nullptr;
  const auto second = Storage::allocate(290, arena);  // of the same size class
  QCOMPARE(static_cast<const void*>((*second)->data()), static_cast<const void*>(block));
  uint64_t word = 1;
  std::memcpy(&word, (*second)->data(), sizeof word);
  QCOMPARE(word, uint64_t{0});  // the arena's own pointer is not left in it

  auto filled = std::make_shared<StorageArena>(1 << 20);
  for (int round = 0; round < 2; ++round) {
    const auto storage = Storage::allocate(300, filled);
    QVERIFY((*storage)->fresh() && holdsOnly(**storage, Storage::kFreshFill));
    std::memset((*storage)->mutableData(), 7, 300);
  }
}

void StorageArenaTest::keepsNoMoreThanWasUsed() {
  auto arena = std::make_shared<StorageArena>(int64_t{1} << 40, false);
  // A run over ever larger storages, one at a time: what is kept of the small ones would otherwise be as much again.
  for (int64_t bytes = 1 << 12; bytes <= 1 << 24; bytes *= 2) QVERIFY(Storage::allocate(bytes, arena).ok());
  QVERIFY(arena->kept() <= (1 << 24));
  QCOMPARE(arena->peak(), int64_t{1} << 24);
}

/// Kernels of a run need memory of many sizes, one behind the other: the system is asked once.
void StorageArenaTest::largeBlocksServeSmaller() {
  auto arena = std::make_shared<StorageArena>(int64_t{1} << 40, false);
  const auto place = [&](int64_t bytes) {
    const auto storage = Storage::allocate(bytes, arena);
    return static_cast<const void*>((*storage)->data());
  };
  const void* block = place(1 << 20);
  QCOMPARE(place(1 << 18), block);
  QCOMPARE(place(1 << 16), block);
  QCOMPARE(place(1 << 20), block);
  QVERIFY(place(1 << 12) != block);  // small ones leave it for those that need it
  const auto held = Storage::allocate(1 << 18, arena);
  QCOMPARE(static_cast<const void*>((*held)->data()), block);
  QVERIFY(place(1 << 18) != block);
  QVERIFY(place(1 << 20) != block);
}

void StorageArenaTest::everySizeIsWhole() {
  auto arena = std::make_shared<StorageArena>(int64_t{1} << 40, false);
  for (int64_t bytes = 0; bytes < 5000; bytes += 7) {
    std::vector<Ref<Storage>> held;
    for (int i = 0; i < 3; ++i) {
      auto storage = Storage::allocate(bytes, arena);
      QVERIFY(storage.ok());
      QCOMPARE(std::bit_cast<uintptr_t>((*storage)->data()) % Storage::kAlignment, uintptr_t{0});
      std::memset((*storage)->mutableData(), i + 1, static_cast<size_t>(bytes));
      held.push_back(*storage);
    }
    for (int i = 0; i < 3; ++i) QVERIFY(holdsOnly(*held[static_cast<size_t>(i)], static_cast<std::byte>(i + 1)));
  }
}

void StorageArenaTest::refuses() {
  auto arena = std::make_shared<StorageArena>(INT64_MAX);
  QCOMPARE(Storage::allocate(-1, arena).diagnostics()[0].rule, std::string("tensor.memory"));
  QCOMPARE(Storage::allocate(INT64_MAX, arena).diagnostics()[0].rule, std::string("tensor.memory"));
  QCOMPARE(arena->live(), int64_t{0});
}

QTEST_APPLESS_MAIN(StorageArenaTest)
#include "tst_storage_arena.moc"
