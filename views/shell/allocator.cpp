#include "views/shell/allocator.h"

// jemalloc reads this when it starts. Reading a module needs twice the memory that its window keeps.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace rx::views {

QString allocatorSettings() { return QString::fromLatin1(malloc_conf); }

}  // namespace rx::views
