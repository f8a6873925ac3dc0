// What a profile says in sentences: of a run, of why a kernel takes the time that it takes, and of what makes the
// difference between two profiles.
#pragma once

#include <QStringList>

#include "views/models/profile.h"

namespace rx::views {

class ProfileBoard;

/// A time with its unit, of four digits: "49.83 µs".
QString profileTotal(double nanoseconds);
/// "231.2 MFLOP" or "1.86 GFLOP".
QString flopsText(double flops, int digits);
/// The same of operations of whole numbers: "2.15 GOP".
QString integersText(double operations, int digits);
/// What a limit ("memory", "its code") means for who wants a kernel to be faster; empty for none that is known.
QString meaningOf(const QString& limit);
/// "249 of 286 GFLOP/s, 87 %"; empty where it computes nothing that is known.
QString computeReached(const ProfileRow& row, const Profile& profile);
/// "12.3 of 38 GB/s, 32 %", or how many times as fast as memory.
QString bytesReached(const ProfileRow& row, const Profile& profile);
/// What keeps a kernel from being faster, a sentence each, what counts most first; none for what is no kernel.
QStringList whySlow(const ProfileRow& row, const Profile& profile);
/// What a row of a profile (B) does otherwise than those of another one (A) that do the same work, a sentence each.
QStringList whyDifferent(const ProfileRow& row, const Profile& profile, const Profile& other);
/// The nanoseconds that another profile takes for the work of a row: those of all calls that do any of it; -1 where it
/// has none that are known to.
double timeOfSameWork(const ProfileRow& row, const Profile& profile, const Profile& other);

/// "Other programs took 61 % of the processors' time during the profile"; empty where they took little.
QString busyWords(const Profile& profile);
/// How much of a run only makes weights ready, which a program that has them does once; empty where that is little.
QString readyWords(const Profile& profile);
/// What was profiled, how, and the machine's limits.
QString profileSummary(const ProfileBoard& board);
/// Where the difference between the two profiles was made, in a sentence; empty where one is shown alone.
QString profileDifference(const ProfileBoard& board);
/// "wall clock A 20.41 ms, B 15.71 ms: 99.6 % of it is in the table".
QString wallText(const ProfileBoard& board);

}  // namespace rx::views
