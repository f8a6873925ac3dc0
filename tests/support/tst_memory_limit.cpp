// How much memory there is: of the machine, of the control groups around a process in both versions, of its own limit.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "core/support/file.h"
#include "core/support/memory_limit.h"

using namespace rx;
namespace fs = std::filesystem;

class MemoryLimitTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void ofTheMachine();
  void ofGroupsOfVersion2();
  void ofGroupsOfVersion1();
  void ofAContainer();
  void ofTheProcess();

 private:
  void put(const std::string& name, const std::string& text) {
    const fs::path path = fs::path(folder_->path().toStdString()) / name;
    fs::create_directories(path.parent_path());
    QVERIFY(writeFile(path, text + "\n"));
  }
  uint64_t limit() const { return memoryLimitIn(folder_->path().toStdString()).bytes; }
  std::unique_ptr<QTemporaryDir> folder_;
};

void MemoryLimitTest::ofTheMachine() {
  QCOMPARE(limit(), UINT64_MAX);
  put("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    1000 kB\nSwapFree:  24 kB");
  QCOMPARE(limit(), uint64_t{1024} << 10);
  put("proc/meminfo", "MemAvailable: what");
  QCOMPARE(limit(), UINT64_MAX);
  const MemoryLimit here = memoryLimit();
  QVERIFY(here.bytes > 1 << 20 && here.bytes < uint64_t{1} << 50 && !here.why.empty());
}

void MemoryLimitTest::ofGroupsOfVersion2() {
  put("proc/meminfo", "MemAvailable: 100000 kB");
  put("proc/self/cgroup", "0::/a/b");
  put("sys/fs/cgroup/a/b/memory.max", "max");
  put("sys/fs/cgroup/a/b/memory.current", "5000");
  QCOMPARE(limit(), uint64_t{100000} << 10);
  put("sys/fs/cgroup/a/memory.max", "100000");
  put("sys/fs/cgroup/a/memory.current", "60000");
  QCOMPARE(limit(), uint64_t{40000});
  put("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 10000\nfile 3");
  QCOMPARE(limit(), uint64_t{50000});
  put("sys/fs/cgroup/a/b/memory.max", "4000");
  QCOMPARE(limit(), uint64_t{0});
  QCOMPARE(memoryLimitIn(folder_->path().toStdString()).why, "what the control group of this process leaves");
}

void MemoryLimitTest::ofGroupsOfVersion1() {
  put("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/1\n1:name=systemd:/");
  put("sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "3000");
  put("sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes", "1000");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "500000");
  QCOMPARE(limit(), uint64_t{2000});
}

void MemoryLimitTest::ofAContainer() {
  // The group's name is that of the machine outside, what is mounted is the group itself.
  put("proc/self/cgroup", "0::/docker/1");
  put("sys/fs/cgroup/memory.max", "7000");
  put("sys/fs/cgroup/memory.current", "1000");
  QCOMPARE(limit(), uint64_t{6000});
}

void MemoryLimitTest::ofTheProcess() {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlim_t bytes = rlim_t{1} << 30;
    const rlimit own{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &own);
    const MemoryLimit limit = memoryLimit();
    ::_exit(limit.bytes < bytes && limit.bytes > 0 && limit.why.find("addresses") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  QCOMPARE(status, 0);
}

QTEST_APPLESS_MAIN(MemoryLimitTest)
#include "tst_memory_limit.moc"
