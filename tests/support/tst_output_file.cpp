// Files that are written: whole or not at all, in the place that was meant, by one or several, and by who is killed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "core/support/file.h"
#include "core/support/output_file.h"
#include "killed.h"

using namespace rx;
namespace fs = std::filesystem;

class OutputFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void takesItsPlaceWhenCommitted();
  void goesOnGrowingInItsPlace();
  void followsLinks();
  void keepsTheModeAndAsksForNewOnes();
  void refusesWhatCanNotBeWritten();
  void writesIntoItsOwnDescriptors();
  void writersDoNotMeet();
  void killedAtEachCall();
  void leftoversGo();
  void fifosDoNotHang();

 private:
  std::string path(const char* name) const { return folder_->filePath(QString::fromUtf8(name)).toStdString(); }
  int files() const {
    const QDir::Filters all = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
    return static_cast<int>(QDir(folder_->path()).entryList(all).size());
  }
  static mode_t modeOf(const std::string& path) {
    struct stat info = {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
  }
  std::unique_ptr<QTemporaryDir> folder_;
};

void OutputFileTest::takesItsPlaceWhenCommitted() {
  QVERIFY(writeFile(path("a"), "old"));
  {
    auto file = OutputFile::open(path("a"));
    QVERIFY(file && file->write("ne") && file->write("w"));
    QCOMPARE(*readFile(path("a")), std::string("old"));
  }
  QCOMPARE(*readFile(path("a")), std::string("old"));  // dropped
  QCOMPARE(files(), 1);
  auto file = OutputFile::open(path("a"));
  QVERIFY(file && file->write("new") && file->commit());
  QCOMPARE(*readFile(path("a")), std::string("new"));
  QCOMPARE(files(), 1);
  // Any name that a file can have.
  for (const std::string& name : {std::string("%s %n\n"), std::string("\xf0\x9f\x98\x80"), std::string("\xff\xfe"),
                                  std::string(255, 'n'), std::string("-o")}) {
    QVERIFY(writeFile(folder_->path().toStdString() + "/" + name, name));
    QCOMPARE(*readFile(folder_->path().toStdString() + "/" + name), name);
    fs::remove(folder_->path().toStdString() + "/" + name);
  }
}

void OutputFileTest::goesOnGrowingInItsPlace() {
  // Where nothing is replaced, and where an old file is, which whoever has it open keeps.
  for (const bool old : {false, true}) {
    const int before = old ? ::open(path("a").c_str(), O_RDONLY | O_CLOEXEC) : -1;
    auto file = OutputFile::open(path("a"));
    QVERIFY(file && file->write("new") && file->commitGrowing() && file->write(", and more"));
    QCOMPARE(*readFile(path("a")), std::string("new, and more"));
    QCOMPARE(files(), 1);
    if (!old) QVERIFY(writeFile(path("a"), "old"));
    std::array<char, 16> kept = {};
    if (old) QCOMPARE(::read(before, kept.data(), kept.size()), ssize_t{3});
    if (old) QCOMPARE(std::string(kept.data()), std::string("old"));
    ::close(before);
  }
  // What came to stand there since is no file of ours to move away.
  auto file = OutputFile::open(path("b"));
  QVERIFY(file && file->write("new"));
  fs::create_directory(path("b"));
  QVERIFY(!file->commitGrowing());
  QVERIFY(fs::is_directory(path("b")));
}

void OutputFileTest::followsLinks() {
  fs::create_directory(path("sub"));
  fs::create_symlink("sub/real", path("there"));
  fs::create_symlink("there", path("link"));
  QVERIFY(writeFile(path("link"), "through a link to nowhere"));
  QVERIFY(fs::is_symlink(path("link")) && fs::is_symlink(path("there")));
  QCOMPARE(*readFile(path("sub/real")), std::string("through a link to nowhere"));
  QVERIFY(writeFile(path("link"), "again"));
  QCOMPARE(*readFile(path("sub/real")), std::string("again"));
  fs::create_symlink("round", path("round"));
  QVERIFY(!writeFile(path("round"), "x"));
}

void OutputFileTest::keepsTheModeAndAsksForNewOnes() {
  QVERIFY(writeFile(path("kept"), "old"));
  QVERIFY(::chmod(path("kept").c_str(), 0751) == 0);
  const mode_t before = ::umask(027);
  QVERIFY(writeFile(path("kept"), "new") && writeFile(path("new"), "new"));
  ::umask(before);
  QCOMPARE(modeOf(path("kept")) & 07777, mode_t{0751});
  QCOMPARE(modeOf(path("new")) & 07777, mode_t{0640});
}

void OutputFileTest::refusesWhatCanNotBeWritten() {
  for (const std::string& name : {folder_->path().toStdString(), path("no/such"), path("none/"), std::string()}) {
    const auto written = writeFile(name, "x");
    QVERIFY2(!written, name.c_str());
    QCOMPARE(written.diagnostics()[0].rule, std::string("file.write"));
  }
  QCOMPARE(files(), 0);
  const auto full = writeFile("/dev/full", "x");
  QVERIFY(!full && S_ISCHR(modeOf("/dev/full")));
  QVERIFY(full.diagnostics()[0].message.find("No space left") != std::string::npos);
}

void OutputFileTest::writesIntoItsOwnDescriptors() {
  const int file = ::open(path("out").c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
  QVERIFY(::write(file, "before ", 7) == 7);
  const std::string name = "/dev/fd/" + std::to_string(file);
  QVERIFY(writeFile(name, "into") && writeFile("/proc/self/fd/" + std::to_string(file), " it"));
  ::close(file);
  QCOMPARE(*readFile(path("out")), std::string("before into it"));
  QVERIFY(!writeFile(name, "closed"));
}

void OutputFileTest::writersDoNotMeet() {
  std::vector<std::thread> writers;
  std::atomic<int> failed{0};
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, i] {
      const std::string content(100000, static_cast<char>('a' + i));
      for (int round = 0; round < 50; ++round) failed += !writeFile(path("one"), content);
    });
  for (std::thread& writer : writers) writer.join();
  QCOMPARE(failed.load(), 0);
  const std::string last = *readFile(path("one"));
  QCOMPARE(last, std::string(100000, last[0]));
  QCOMPARE(files(), 1);
}

void OutputFileTest::killedAtEachCall() {
  const std::string old(10000, 'o'), made(20000, 'n');
  int kills = 0;
  for (int at = 1;; ++at) {
    QVERIFY(writeFile(path("f"), old));
    const auto ending = test::killedAt(at, [&] { (void)writeFile(path("f"), made); });
    QVERIFY2(ending != test::Ending::NotTraced, "the system lets no process be traced");
    const std::string now = *readFile(path("f"));
    QVERIFY(now == old || now == made);
    if (ending == test::Ending::Finished) {
      QCOMPARE(now, made);
      break;
    }
    ++kills;
    // What was left goes with the next.
    QVERIFY(writeFile(path("f"), "next"));
    QCOMPARE(files(), 1);
  }
  QVERIFY(kills > 5);
}

void OutputFileTest::leftoversGo() {
  for (const char* name : {"f", "g", "h"})
    QCOMPARE(test::killedAt(1000000,
                            [&] {
                              auto file = OutputFile::open(path(name));
                              (void)file->write("half");
                              ::_exit(0);
                            }),
             test::Ending::Finished);
  QCOMPARE(files(), 3);
  auto living = OutputFile::open(path("g"));
  QCOMPARE(files(), 3);  // which took over what was left for it
  QVERIFY(writeFile(path(".mine.rxs-new"), "no leftover") && writeFile(path("mine.rxs-new1"), "neither"));
  removeLeftovers(folder_->path().toStdString());
  QCOMPARE(files(), 3);
  QVERIFY(living->commit());
}

void OutputFileTest::fifosDoNotHang() {
  QVERIFY(::mkfifo(path("fifo").c_str(), 0600) == 0);
  QVERIFY(!readFile(path("fifo")) && !MappedFile::open(path("fifo")));
  QVERIFY(S_ISFIFO(modeOf(path("fifo"))));
}

QTEST_APPLESS_MAIN(OutputFileTest)
#include "tst_output_file.moc"
