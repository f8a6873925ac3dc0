// Profiles as `rxs run --profile-out` writes them.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace rx::views {

/// A binding of the imported module that a row belongs to.
struct ProfileSource {
  QString function;
  int binding = -1;
  QString variable;
  int line = 0;  // 0 when unknown
};

/// A tensor that a kernel is given.
struct ProfileArgument {
  QString type;               // "(1, 64, 56, 56) float32"
  std::vector<qint64> shape;  // the same extents
  bool written = false;
};

/// A kernel, or the calls of one binding; times and work are those of one run.
struct ProfileRow {
  QString name;
  QString callee;  // of a call: what is called
  bool kernel = false;
  qint64 calls = 0;
  double nanoseconds = 0;
  double first = 0;      // nanoseconds in the first run
  double onDevice = 0;   // nanoseconds that a device worked, by its own clock; 0: none did
  double occupancy = 0;  // the part of a unit of a device that the kernel fills; 0 where not known
  double share = 0;      // of all rows
  double flops = -1;     // -1 where they are not known
  double integers = 0;   // operations of whole numbers; 0 where they are not known
  double bytes = 0;
  double ofLimit = 0;  // of what the machine could do in that time; 0 where not known
  QString limitedBy;   // "compute", "memory", …; empty where not known
  std::vector<ProfileSource> sources;
  std::vector<ProfileSource> parts;  // of a kernel: all of the import that its first call does
  std::vector<ProfileArgument> arguments;
  std::map<QString, qint64> sizes;  // of a kernel: of its symbolic variables in the first call
  QStringList rules;                // that scheduled a kernel: "matmul: host.Products"
  QString noRule;                   // which conditions of rules failed
  bool parallel = false;            // runs on several threads
  bool weightsOnly = false;         // reads nothing but weights: what it makes is the same in each run
  std::vector<ProfileSource> only;  // of a kernel of which some calls count alone: what those do of the import

  // Nanoseconds that its work took: of a device's without what it takes to start it there and to wait.
  double working() const { return onDevice > 0 ? onDevice : nanoseconds; }
  // Operations of numbers of either kind; -1 where they are not known.
  double operations() const { return flops < 0 ? -1 : flops + integers; }
  // It computes with whole numbers more than with others.
  bool ofIntegers() const { return flops >= 0 && integers > flops; }
};

struct ProfileEvent {
  int row = 0;  // of Profile::calls
  double begin = 0;
  double nanoseconds = 0;
  int depth = 0;
};

struct Profile {
  QString function;
  int runs = 0;
  double wall = 0;  // nanoseconds of a run that nobody looked at
  double sum = 0;
  double first = 0;
  double spread = 0;
  std::vector<ProfileRow> kernels, calls;
  std::vector<ProfileEvent> flame;
  QString apart;        // where the rows and the wall clock are, what rxs says of it
  QString noOccupancy;  // why nobody knows how much of a device its kernels fill; empty where somebody does
  QString processor, measured;
  int threads = 1;                                 // of the processor
  int vectorBits = 0;                              // of its registers; 0 where not known
  double flopsLimit = 0, bytesLimit = 0;           // of one thread, a second
  double allFlopsLimit = 0, allBytesLimit = 0;     // of all
  double integersLimit = 0, allIntegersLimit = 0;  // operations of products of bytes; 0 where nobody knows
  double limitsBusy = 0;                           // the part of the processors' time that others took meanwhile
  double busy = 0;                                 // the same during the profile
};
using ProfilePtr = std::shared_ptr<const Profile>;

/// Above this part of the processors' time that other programs took, what was measured says so.
constexpr double kBusyMachine = 0.1;

/// Null where the text is no profile; `problem` says why then.
ProfilePtr readProfile(const QByteArray& json, QString* problem);

/// The kernels with those of their calls alone that belong to what is looked at, most time first; what belongs to it
/// and is no kernel is together at the end, without a name.
std::vector<ProfileRow> kernelsOf(const Profile& profile, const std::function<bool(const ProfileRow&)>& belongs);

/// A row for each layer, in the order of the program: the calls that `layerOf` says the same of. What comes from no
/// binding is together at the end, without a name. Limits are those of kernels: such rows have none.
std::vector<ProfileRow> layersOf(const Profile& profile, const std::function<QString(const ProfileSource&)>& layerOf);

/// The last run as Chrome's trace viewer reads it, an event a call; empty where the profile has no events.
QByteArray chromeTrace(const Profile& profile);

/// Billions of operations a second; 0 where the row has none.
double gigaflops(const ProfileRow& row);
/// Gigabytes a second; 0 where the row moves none.
double gigabytes(const ProfileRow& row);

}  // namespace rx::views
