// A temporary folder is there as long as its object, for its user alone, and goes with all that is in it.
#include <sys/stat.h>

#include <QtTest>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/support/temporary_folder.h"

using namespace rx;
namespace fs = std::filesystem;

class TemporaryFolderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void goesWithItsObject();
  void movesToAnother();
  void isRefusedWhereItCanNotBe();
};

void TemporaryFolderTest::goesWithItsObject() {
  std::string path;
  {
    auto folder = TemporaryFolder::make("rx-test");
    QVERIFY(folder.ok());
    path = folder->path();
    struct stat info {};
    QVERIFY(stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && (info.st_mode & 0077) == 0);
    fs::create_directories(folder->file("inner"));
    std::ofstream(folder->file("inner/file")) << "content";
    auto other = TemporaryFolder::make("rx-test");
    QVERIFY(other.ok() && other->path() != path);
  }
  QVERIFY(!fs::exists(path));
}

void TemporaryFolderTest::movesToAnother() {
  std::optional<TemporaryFolder> kept;
  {
    auto folder = TemporaryFolder::make("rx-test");
    QVERIFY(folder.ok());
    kept.emplace(std::move(*folder));
  }
  QVERIFY(fs::exists(kept->path()));
  const std::string path = kept->path();
  kept.reset();
  QVERIFY(!fs::exists(path));
}

void TemporaryFolderTest::isRefusedWhereItCanNotBe() {
  const auto folder = TemporaryFolder::make("rx-test", "/proc/nowhere");
  QVERIFY(!folder);
  QCOMPARE(folder.diagnostics()[0].rule, std::string("file.write"));
}

QTEST_GUILESS_MAIN(TemporaryFolderTest)
#include "tst_temporary_folder.moc"
