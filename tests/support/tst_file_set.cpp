// Sets of files: opened whole or refused, whoever wrote them, was killed at it, or changed a byte since.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "core/support/chunk_hash.h"
#include "core/support/file.h"
#include "core/support/file_set.h"
#include "killed.h"

using namespace rx;
namespace fs = std::filesystem;
using Json = FileSet::Json;

namespace {

constexpr const char* kIndex = "index.json";

/// A set whose members all say which it is: `only` is of no other.
Result<Unit> writeSet(const std::string& folder, const std::string& which) {
  RX_TRY(set, FileSetWriter::begin(folder, kIndex));
  for (const std::string& name : {std::string("a"), std::string("b \n%\xf0\x9f\x98\x80"), "only " + which}) {
    RX_TRY(path, set.place(name));
    RX_CHECK(writeFile(path, which + " " + name));
  }
  return set.commit({{"which", which}});
}

/// Which set a folder holds; "" and why where it is refused.
std::string whichIn(const std::string& folder, std::string* why = nullptr) {
  const auto answer = [&]() -> Result<std::string> {
    RX_TRY(set, FileSet::open(folder, kIndex));
    RX_CHECK(set.check());
    const std::string which = set.index()["which"].get<std::string>();
    for (const std::string& member : set.members()) {
      RX_CHECK(set.checkContent(member));
      RX_TRY(content, readFile(set.path(member)));
      if (content != which + " " + member) return fail("test", member + " is of another set");
    }
    return which;
  }();
  if (!answer && why) *why = answer.diagnostics()[0].rule;
  return answer ? *answer : std::string();
}

}  // namespace

class FileSetTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void writesOverAnother();
  void everyByteIsCovered();
  void refusesWhatIsNoSet_data();
  void refusesWhatIsNoSet();
  void killedAtEachCall();
  void twoWritersLeaveOne();
  void readersAreWaitedFor();
  void dumpedNamesStay();

 private:
  std::string folder() const { return folder_->filePath("set").toStdString(); }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder())) names.insert(entry.path().filename());
    return names;
  }
  std::unique_ptr<QTemporaryDir> folder_;
};

void FileSetTest::writesOverAnother() {
  QVERIFY(writeSet(folder(), "old"));
  QCOMPARE(whichIn(folder()), std::string("old"));
  // What is no member is nobody's business; a link is followed, a mode stays.
  QVERIFY(writeFile(folder() + "/mine", "x"));
  fs::rename(folder() + "/a", folder_->filePath("elsewhere").toStdString());
  fs::create_symlink("../elsewhere", folder() + "/a");
  fs::permissions(folder() + "/" + kIndex, fs::perms::owner_read | fs::perms::owner_write);
  QVERIFY(writeSet(folder(), "new"));
  QCOMPARE(whichIn(folder()), std::string("new"));
  QCOMPARE(files(), (std::set<std::string>{"a", "b \n%\xf0\x9f\x98\x80", "only new", "mine", kIndex}));
  QVERIFY(fs::is_symlink(folder() + "/a"));
  QCOMPARE(*readFile(folder_->filePath("elsewhere").toStdString()), std::string("new a"));
  QCOMPARE(fs::status(folder() + "/" + kIndex).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

void FileSetTest::everyByteIsCovered() {
  QVERIFY(writeSet(folder(), "it"));
  for (const std::string& name : files()) {
    const std::string whole = *readFile(folder() + "/" + name);
    std::string why;
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x04);
      QVERIFY(writeFile(folder() + "/" + name, changed));
      // Spaces between the words of the index say nothing.
      const bool same = name == kIndex && Json::parse(changed, nullptr, false) == Json::parse(whole);
      QVERIFY2(whichIn(folder(), &why).empty() != same, qPrintable(QString("%1 byte %2").arg(name.c_str()).arg(at)));
      if (!same) QCOMPARE(why, std::string("file.set"));
    }
    for (const std::string& other : {whole + "x", whole + std::string(2, '\0'), whole.substr(1), std::string()}) {
      QVERIFY(writeFile(folder() + "/" + name, other));
      QVERIFY(whichIn(folder(), &why).empty());
    }
    fs::remove(folder() + "/" + name);
    QVERIFY(whichIn(folder(), &why).empty());
    QVERIFY(writeFile(folder() + "/" + name, whole));
    QCOMPARE(whichIn(folder()), std::string("it"));
  }
}

void FileSetTest::refusesWhatIsNoSet_data() {
  QTest::addColumn<QByteArray>("index");
  QTest::newRow("no JSON") << QByteArray("{");
  QTest::newRow("a list") << QByteArray("[]");
  QTest::newRow("no sum") << QByteArray(R"({"members": []})");
  QTest::newRow("another sum") << QByteArray(R"({"members": [], "sum": "0000000000000000"})");
  QTest::newRow("a sum of another kind") << QByteArray(R"({"members": [], "sum": 3})");
}

void FileSetTest::refusesWhatIsNoSet() {
  QFETCH(QByteArray, index);
  fs::create_directory(folder());
  QVERIFY(writeFile(folder() + "/" + kIndex, index.toStdString()));
  std::string why;
  QVERIFY(whichIn(folder(), &why).empty());
  QCOMPARE(why, std::string("file.set"));
  // Names that lead elsewhere are no members, also of the set that is written over it.
  QVERIFY(writeFile(folder_->filePath("victim").toStdString(), "x"));
  QVERIFY(
      writeFile(folder() + "/" + kIndex, R"({"members": [{"file": "../victim"}, {"file": ".."}, {"file": 3}, 7]})"));
  QVERIFY(writeSet(folder(), "new"));
  QCOMPARE(whichIn(folder()), std::string("new"));
  QVERIFY(fs::exists(folder_->filePath("victim").toStdString()));
  auto set = FileSetWriter::begin(folder(), kIndex);
  for (const char* name : {"", ".", "..", "../x", "a/b", "/x", kIndex}) QVERIFY2(!set->place(name), name);
}

void FileSetTest::killedAtEachCall() {
  int kills = 0;
  for (int at = 1;; ++at) {
    fs::remove_all(folder());
    QVERIFY(writeSet(folder(), "old"));
    const auto ending = test::killedAt(at, [&] { (void)writeSet(folder(), "new"); });
    QVERIFY2(ending != test::Ending::NotTraced, "the system lets no process be traced");
    const std::string which = whichIn(folder());
    QVERIFY2(which == "old" || which == "new", qPrintable(QString("killed at call %1").arg(at)));
    if (ending == test::Ending::Finished) {
      QCOMPARE(which, std::string("new"));
      break;
    }
    ++kills;
    QVERIFY(writeSet(folder(), "next"));
    QCOMPARE(whichIn(folder()), std::string("next"));
    QCOMPARE(files().size(), size_t{4});
  }
  QVERIFY(kills > 30);
}

void FileSetTest::twoWritersLeaveOne() {
  std::vector<std::thread> writers;
  std::atomic<int> failed{0};
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&, i] {
      for (int round = 0; round < 10; ++round) {
        failed += !writeSet(folder(), std::string(1, static_cast<char>('A' + i)));
        failed += whichIn(folder()).empty();
      }
    });
  for (std::thread& writer : writers) writer.join();
  QCOMPARE(failed.load(), 0);
  QCOMPARE(whichIn(folder()).size(), size_t{1});
  QCOMPARE(files().size(), size_t{4});
}

void FileSetTest::readersAreWaitedFor() {
  QVERIFY(writeSet(folder(), "old"));
  std::atomic<bool> written{false};
  std::thread writer;
  {
    auto set = FileSet::open(folder(), kIndex);
    QVERIFY(set);
    writer = std::thread([&] { written = writeSet(folder(), "new").ok(); });
    QTest::qSleep(100);
    QVERIFY(!written);
    for (const std::string& member : set->members()) QVERIFY(set->checkContent(member));
  }
  writer.join();
  QVERIFY(written);
  QCOMPARE(whichIn(folder()), std::string("new"));
}

void FileSetTest::dumpedNamesStay() {
  // A text of elsewhere that is no UTF-8 is no reason for an index that can not be read.
  auto set = FileSetWriter::begin(folder(), kIndex);
  QVERIFY(set->commit({{"which", "x\xff"}}));
  auto back = FileSet::open(folder(), kIndex);
  QVERIFY(back && back->check());
  QVERIFY(back->isSealed() && back->members().empty());
  QCOMPARE(chunkHashes(std::string(kHashedChunk + 1, 'x')).size(), size_t{2});
  QCOMPARE(chunkHashes("").size(), size_t{0});
}

QTEST_APPLESS_MAIN(FileSetTest)
#include "tst_file_set.moc"
