// The recorded steps along a line, as a view asks for a part of it.
#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace rx::views {

/// A part of the line. Places are nanoseconds that steps took, or steps where all are to be alike; the oldest step that
/// is kept begins at 0.
struct TimelineQuery {
  double from = 0;
  std::optional<double> to;  // else to the end
  bool equal = false;
  int bars = 0;              // steps shorter than this part of it stand together; 0: no bars are asked for
  std::optional<int> state;  // whose place is asked for
};

/// A step, or neighbours that are too short to be seen.
struct TimelineBar {
  int first = 0;
  int last = 0;
  double begin = 0;  // places
  double end = 0;
  double microseconds = 0;  // that they ran
  int instruction = -1;     // of the step that took longest: of a kernel as soon as one is among them
  bool machine = true;      // no kernel among the steps
  bool bad = false;         // a step made a NaN or Inf
  bool holdsBad = false;    // a kernel among them wrote a NaN or Inf, wherever that came from
};

struct TimelinePart {
  QString error;
  int recorded = 0;
  int oldest = 0;           // the step at place 0: those before it were dropped
  double length = 0;        // of the whole line, as far as it is known
  double microseconds = 0;  // that all steps ran
  double compiled = 0;      // microseconds beside that, for the machine code of kernels
  double place = 0;         // of the state that was asked about
  double from = 0;          // as asked, on the line
  double to = 0;
  bool more = false;  // asking again tells more: there was no time to look at all steps
  std::vector<TimelineBar> bars;
};

}  // namespace rx::views
