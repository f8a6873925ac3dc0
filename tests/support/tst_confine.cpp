// A process that was confined is asked to leave: by its files, by other programs, processes and machines.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <thread>

#include "core/support/confine.h"
#include "core/support/file.h"
#include "core/support/file_set.h"

using namespace rx;

namespace {

/// What an attempt may use; `outside` is a file that the process could write before.
struct Place {
  std::string inside, outside, folder;
  uint16_t port = 0;
  pid_t parent = 0;
  int listener = -1;
};
using Attempt = bool (*)(const Place&);

bool writes(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  return file >= 0 && ::write(file, "x", 1) == 1;
}

bool connects(const Place& place) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(place.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return socket >= 0 && ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

bool executes(const Place&) {
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  char* none[] = {nullptr};
  return ::execve(name, arguments, none) == 0;  // comes back where it is refused
}

struct Row {
  const char* name;
  Attempt attempt;
};
/// True where the process got what it should not.
constexpr Row kAttempts[] = {
    {"open for write", [](const Place& p) { return writes(p.outside, O_WRONLY); }},
    {"append", [](const Place& p) { return writes(p.outside, O_WRONLY | O_APPEND); }},
    {"open and truncate", [](const Place& p) { return ::open(p.outside.c_str(), O_RDONLY | O_TRUNC) >= 0; }},
    {"truncate", [](const Place& p) { return ::truncate(p.outside.c_str(), 0) == 0; }},
    {"create", [](const Place& p) { return writes(p.folder + "/new", O_WRONLY | O_CREAT); }},
    {"create in /tmp", [](const Place&) { return ::open("/tmp", O_TMPFILE | O_RDWR, 0600) >= 0; }},
    {"through a link",
     [](const Place& p) {
       // Made before, so that it leads out.
       return writes(p.inside + "/out", O_WRONLY);
     }},
    {"make a link", [](const Place& p) { return ::symlink(p.outside.c_str(), (p.inside + "/l").c_str()) == 0; }},
    {"hard link", [](const Place& p) { return ::link(p.outside.c_str(), (p.inside + "/h").c_str()) == 0; }},
    {"remove", [](const Place& p) { return ::unlink(p.outside.c_str()) == 0; }},
    {"rename out",
     [](const Place& p) {
       return writes(p.inside + "/mine", O_WRONLY | O_CREAT) &&
              ::rename((p.inside + "/mine").c_str(), p.outside.c_str()) == 0;
     }},
    {"rename in", [](const Place& p) { return ::rename(p.outside.c_str(), (p.inside + "/taken").c_str()) == 0; }},
    {"folder", [](const Place& p) { return ::mkdir((p.folder + "/made").c_str(), 0700) == 0; }},
    {"mode", [](const Place& p) { return ::chmod(p.outside.c_str(), 0777) == 0; }},
    {"mode of a descriptor", [](const Place& p) { return ::fchmod(::open(p.outside.c_str(), O_RDONLY), 0777) == 0; }},
    {"owner", [](const Place& p) { return ::chown(p.outside.c_str(), ::getuid(), ::getgid()) == 0; }},
    {"times", [](const Place& p) { return ::utime(p.outside.c_str(), nullptr) == 0; }},
    {"flags",
     [](const Place& p) {
       int flags = FS_NODUMP_FL;
       return ::ioctl(::open(p.outside.c_str(), O_RDONLY), FS_IOC_SETFLAGS, &flags) == 0;
     }},
    {"memory of the parent",
     [](const Place& p) { return ::open(("/proc/" + std::to_string(p.parent) + "/mem").c_str(), O_RDWR) >= 0; }},
    {"trace the parent", [](const Place& p) { return ::ptrace(PTRACE_ATTACH, p.parent, nullptr, nullptr) == 0; }},
    {"signal to the parent", [](const Place& p) { return ::kill(p.parent, 0) == 0; }},
    {"limits of the parent",
     [](const Place& p) {
       const rlimit limit = {1, 1};
       return ::prlimit(p.parent, RLIMIT_CORE, &limit, nullptr) == 0;
     }},
    {"execute", executes},
    {"execute from memory",
     [](const Place&) {
       const int memory = ::memfd_create("x", 0);
       char* none[] = {nullptr};
       return memory >= 0 && ::fexecve(memory, none, none) == 0;
     }},
    {"fork",
     [](const Place&) {
       const pid_t child = ::fork();
       if (child == 0) ::_exit(0);
       return child > 0;
     }},
    {"a shell", [](const Place&) { return ::system("true") == 0; }},
    {"connect", connects},
    {"listen", [](const Place&) { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
    {"datagram", [](const Place&) { return ::socket(AF_UNIX, SOCK_DGRAM, 0) >= 0; }},
    {"name spaces", [](const Place&) { return ::unshare(CLONE_NEWUSER) == 0; }},
    {"ring of calls",
     [](const Place&) {
       char parameters[128] = {};
       return ::syscall(__NR_io_uring_setup, 1, parameters) >= 0;
     }},
    {"events",
     [](const Place&) { return ::syscall(__NR_perf_event_open, nullptr, 0, 0, 0, 0) >= 0 || errno != EPERM; }},
    {"calls of tomorrow", [](const Place&) { return ::syscall(460) >= 0 || errno != ENOSYS; }},
};

constexpr int kUnavailable = 77;

/// The exit status of `body` in a process of its own that was confined.
int confined(const Confinement& confinement, const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!confine(confinement)) ::_exit(kUnavailable);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + status;
}

}  // namespace

class ConfineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void isRefused_data();
  void isRefused();
  void isAllowed();
  void listensWhereItMay();
  void startsProgramsWhereItMay();

 private:
  Place place_;
  QTemporaryDir folder_;
};

void ConfineTest::initTestCase() {
  place_.folder = folder_.path().toStdString();
  place_.inside = place_.folder + "/inside";
  place_.outside = place_.folder + "/outside";
  place_.parent = ::getpid();
  QCOMPARE(::mkdir(place_.inside.c_str(), 0700), 0);
  QCOMPARE(::symlink(place_.outside.c_str(), (place_.inside + "/out").c_str()), 0);
  place_.listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  QVERIFY(::bind(place_.listener, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
          ::listen(place_.listener, 4) == 0);
  QCOMPARE(::getsockname(place_.listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  place_.port = ntohs(address.sin_port);
  if (confined({}, [] { return true; }) == kUnavailable) QSKIP("this system confines no process");
}

void ConfineTest::isRefused_data() {
  QTest::addColumn<int>("row");
  for (size_t i = 0; i < std::size(kAttempts); ++i) QTest::newRow(kAttempts[i].name) << static_cast<int>(i);
}

void ConfineTest::isRefused() {
  QFETCH(int, row);
  QVERIFY(writeFile(place_.outside, "what was there"));
  struct stat before = {}, after = {};
  QCOMPARE(::stat(place_.outside.c_str(), &before), 0);
  const int status = confined({{place_.inside}}, [&] { return !kAttempts[row].attempt(place_); });
  QCOMPARE(status, 0);
  QCOMPARE(*readFile(place_.outside), std::string("what was there"));
  QCOMPARE(::stat(place_.outside.c_str(), &after), 0);
  QVERIFY(before.st_mode == after.st_mode && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
  QVERIFY(::access((place_.folder + "/new").c_str(), F_OK) != 0);
}

void ConfineTest::isAllowed() {
  // What attempts are refused for is the confinement: without, they do what they say.
  QVERIFY(writeFile(place_.outside, "x"));
  QVERIFY(connects(place_) && writes(place_.outside, O_WRONLY));
  const std::string file = place_.folder + "/file";
  QVERIFY(writeFile(file, "x"));
  QCOMPARE(confined({{place_.inside, file, "/dev/null", "/no/such"}},
                    [&] {
                      int done = 0;
                      std::thread([&] { done += 1; }).join();
                      done += writeFile(place_.inside + "/made", "x").ok();
                      done += readFile(place_.outside).ok();
                      done += writes(file, O_WRONLY) && writes("/dev/null", O_WRONLY);
                      auto set = FileSetWriter::begin(place_.inside + "/set", "index");
                      done += set && writeFile(*set->place("a"), "x") && set->commit({{"a", 1}});
                      void* code = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                      done += ::mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0;  // kernels are compiled
                      done += ::raise(0) == 0;
                      return done == 7;
                    }),
           0);
}

void ConfineTest::listensWhereItMay() {
  QCOMPARE(confined({{}, true},
                    [&] {
                      const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
                      sockaddr_in address = {};
                      address.sin_family = AF_INET;
                      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                      return ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                             ::listen(socket, 1) == 0 && !connects(place_);
                    }),
           0);
}

/// They are held as who started them.
void ConfineTest::startsProgramsWhereItMay() {
  QVERIFY(writeFile(place_.outside, "what was there"));
  const auto shell = [](const std::string& line) { return ::system(line.c_str()) == 0; };
  QVERIFY(shell("echo > /dev/null"));
  QCOMPARE(confined({{place_.inside, "/dev/null"}, false, true},
                    [&] {
                      const bool writes = shell("echo x > '" + place_.inside + "/by-program'");
                      const bool leaves = shell("echo x > '" + place_.outside + "' 2>/dev/null") ||
                                          shell("kill -0 " + std::to_string(place_.parent) + " 2>/dev/null") ||
                                          shell("unshare -U true 2>/dev/null") || ::unshare(CLONE_NEWUSER) == 0 ||
                                          connects(place_);
                      return writes && !leaves;
                    }),
           0);
  QCOMPARE(*readFile(place_.inside + "/by-program"), std::string("x\n"));
  QCOMPARE(*readFile(place_.outside), std::string("what was there"));
}

QTEST_APPLESS_MAIN(ConfineTest)
#include "tst_confine.moc"
