#include "core/export/embedded.h"

#define RX_EMBEDDED(name) extern const char rxEmbedded##name[], rxEmbedded##name##End[];
extern "C" {
#include "core/export/embedded.def"
}

namespace rx::exporter {

using target::Architecture;

#define RX_BYTES(name) (std::string_view{rxEmbedded##name, rxEmbedded##name##End})

std::string_view runtimeObject(Architecture architecture) {
  return architecture == Architecture::Aarch64 ? RX_BYTES(RuntimeAarch64) : RX_BYTES(RuntimeX86);
}
std::string_view devicesObject(Architecture architecture) {
  return architecture == Architecture::Aarch64 ? RX_BYTES(DevicesAarch64) : RX_BYTES(DevicesX86);
}
std::string_view standInLibm(Architecture architecture) {
  return architecture == Architecture::Aarch64 ? RX_BYTES(LibmAarch64) : RX_BYTES(LibmX86);
}
std::string_view standInLibc(Architecture architecture) {
  return architecture == Architecture::Aarch64 ? RX_BYTES(LibcAarch64) : RX_BYTES(LibcX86);
}
std::string_view packageHeader() { return RX_BYTES(Header); }
std::string_view packageRunner() { return RX_BYTES(Runner); }

}  // namespace rx::exporter
