#include "views/models/worker.h"

#include <sys/resource.h>

namespace rx::views {

void giveWay() {
  // Of two threads of which one is five steps nicer, the other gets three quarters of a processor.
  constexpr int kNicer = 5;
  thread_local bool gives = false;
  if (std::exchange(gives, true)) return;
  // On Linux this is about the calling thread alone.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNicer);
}

}  // namespace rx::views
