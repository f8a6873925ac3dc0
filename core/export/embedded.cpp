#include "core/export/embedded.h"

extern "C" {
extern const char rxEmbeddedRuntime[], rxEmbeddedRuntimeEnd[];
extern const char rxEmbeddedHeader[], rxEmbeddedHeaderEnd[];
extern const char rxEmbeddedRunner[], rxEmbeddedRunnerEnd[];
}

namespace rx::exporter {

std::string_view runtimeObject() { return {rxEmbeddedRuntime, rxEmbeddedRuntimeEnd}; }
std::string_view packageHeader() { return {rxEmbeddedHeader, rxEmbeddedHeaderEnd}; }
std::string_view packageRunner() { return {rxEmbeddedRunner, rxEmbeddedRunnerEnd}; }

}  // namespace rx::exporter
