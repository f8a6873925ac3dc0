#include "core/support/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace rx {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

Failure unavailable(const std::string& what) {
  return fail("confine.unavailable",
              fmt::format("this system can not confine a process: {}: {}", what, std::strerror(errno)));
}

/// Landlock's as of its version 6; older ones take a shorter struct and fewer rights.
struct RulesetAttributes {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};
struct VersionRow {
  int version;
  size_t size;     ///< of RulesetAttributes
  uint64_t files;  ///< rights that come with it
};
constexpr uint64_t kFirstRights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr uint64_t kMove = 1 << 13, kTruncate = 1 << 14, kDevices = 1 << 15;
constexpr VersionRow kVersions[] = {
    {1, offsetof(RulesetAttributes, network), kFirstRights}, {2, offsetof(RulesetAttributes, network), kMove},
    {3, offsetof(RulesetAttributes, network), kTruncate},    {4, offsetof(RulesetAttributes, scopes), 0},
    {5, offsetof(RulesetAttributes, scopes), kDevices},      {6, sizeof(RulesetAttributes), 0},
};
/// What who may write gets: in a folder, and of a single file.
constexpr uint64_t kOfFolder = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                               LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                               LANDLOCK_ACCESS_FS_MAKE_REG | kMove | kTruncate;
constexpr uint64_t kOfFile = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr uint64_t kBind = 1, kConnect = 2, kSockets = 1, kSignals = 2;

Result<Unit> restrictFiles(const Confinement& confinement) {
  const long version = ::syscall(__NR_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return unavailable("Landlock");
  RulesetAttributes attributes = {0, confinement.listens ? kConnect : kBind | kConnect, kSockets | kSignals};
  size_t size = 0;
  for (const VersionRow& row : kVersions) {
    if (row.version > version) break;
    attributes.files |= row.files;
    size = row.size;
  }
  // Who starts a program is still held by all the rest, and so is the program.
  if (confinement.startsPrograms) attributes.files &= ~static_cast<uint64_t>(LANDLOCK_ACCESS_FS_EXECUTE);
  const int rules = static_cast<int>(::syscall(__NR_landlock_create_ruleset, &attributes, size, 0));
  if (rules < 0) return unavailable("Landlock");
  for (const std::string& path : confinement.writable) {
    const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat info = {};
    if (file < 0 || ::fstat(file, &info) != 0) continue;
    landlock_path_beneath_attr rule = {};
    const uint64_t rights = S_ISDIR(info.st_mode) ? kOfFolder : S_ISCHR(info.st_mode) ? kOfFile | kDevices : kOfFile;
    rule.allowed_access = rights & attributes.files;
    rule.parent_fd = file;
    (void)::syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(file);
  }
  const bool done = ::syscall(__NR_landlock_restrict_self, rules, 0) == 0;
  const int wrong = errno;
  ::close(rules);
  errno = wrong;
  return done ? Result<Unit>(Unit{}) : Result<Unit>(unavailable("Landlock"));
}

/// Calls that nothing here needs, and what leads out of a process: other programs, processes and machines, the kernel
/// itself, and what Landlock does not see of files.
constexpr int kRefused[] = {
#define RX_CALL(name) __NR_##name,
#include "core/support/confine_calls.def"
#undef RX_CALL
#ifdef __x86_64__
#define RX_CALL_OF_X86(name) __NR_##name,
#include "core/support/confine_calls.def"
#undef RX_CALL_OF_X86
#endif
};
constexpr int kPrograms[] = {
    __NR_execve,
    __NR_execveat,
#ifdef __x86_64__
    __NR_fork,
    __NR_vfork,
#endif
};
constexpr uint32_t kNameSpaces =
    CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr int kRefusedSockets[] = {__NR_socket, __NR_bind, __NR_listen, __NR_accept, __NR_accept4};

/// Of ioctl: typing into a terminal, and what a file system keeps of a file beside its content and mode.
constexpr uint32_t kRefusedRequests[] = {TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR};
/// Calls from here on came after those that were looked through for this: as if this kernel did not have them.
constexpr uint32_t kFirstUnknown = 451;

/// A filter of calls by number, which is loaded where each row begins.
class Filter {
 public:
  void add(uint16_t code, uint32_t value, uint8_t yes = 0, uint8_t no = 0) {
    program_.push_back({code, yes, no, value});
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  /// The lower half of an argument.
  void loadArgument(size_t index) { load(offsetof(seccomp_data, args) + index * sizeof(uint64_t)); }
  void answer(uint32_t value) { add(BPF_RET | BPF_K, value); }
  void refuse(int error = EPERM) { answer(SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)); }
  void refuse(int call, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1);
    refuse(error);
  }
  /// Of this call: allowed where an argument is `value`, refused for any other.
  void allowOnly(int call, size_t argument, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 4);
    loadArgument(argument);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    refuse();
    answer(SECCOMP_RET_ALLOW);
  }
  /// Of this call: refused where an argument is `value`. Ends with the number of the call loaded.
  void refuseWhere(int call, size_t argument, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 4);
    loadArgument(argument);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    refuse();
    load(offsetof(seccomp_data, nr));
  }
  Result<Unit> install() {
    const sock_fprog all = {static_cast<unsigned short>(program_.size()), program_.data()};
    if (::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &all) != 0)
      return unavailable("seccomp");
    return Unit{};
  }

 private:
  std::vector<sock_filter> program_;
};

/// Of clone: a thread of this process alone, or a process too; never one in another name space.
void restrictClone(bool startsPrograms, Filter& filter) {
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 5);
  filter.loadArgument(0);
  filter.add(BPF_ALU | BPF_AND | BPF_K, startsPrograms ? kNameSpaces : CLONE_THREAD);
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, startsPrograms ? 0 : CLONE_THREAD, 1, 0);
  filter.refuse();
  filter.answer(SECCOMP_RET_ALLOW);
}

Result<Unit> restrictCalls(const Confinement& confinement) {
  const auto self = static_cast<uint32_t>(::getpid());
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  filter.load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
  // The calls of x32 have other numbers.
  filter.add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  filter.refuse();
#endif
  for (const int call : kRefused) filter.refuse(call, EPERM);
  if (!confinement.startsPrograms)
    for (const int call : kPrograms) filter.refuse(call, EPERM);
  if (!confinement.listens)
    for (const int call : kRefusedSockets) filter.refuse(call, EPERM);
  filter.add(BPF_JMP | BPF_JGE | BPF_K, kFirstUnknown, 0, 1);
  filter.refuse(ENOSYS);
  // Its arguments can not be looked at; who is told that there is none asks for clone.
  filter.refuse(__NR_clone3, ENOSYS);
  for (const uint32_t request : kRefusedRequests) filter.refuseWhere(__NR_ioctl, 1, request);
  filter.allowOnly(__NR_prlimit64, 0, 0);
  for (const int call : {__NR_kill, __NR_tgkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo})
    filter.allowOnly(call, 0, self);
  restrictClone(confinement.startsPrograms, filter);
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.install();
}

}  // namespace

Result<Unit> confine(const Confinement& confinement) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return unavailable("no_new_privs");
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const Result<Unit> files = restrictFiles(confinement);
  const Result<Unit> calls = restrictCalls(confinement);
  return files ? calls : files;
}

}  // namespace rx
