// The bodies of what RX_DAP_TYPE declares, for all messages.
#define RX_DAP_BODIES
#include "core/dap/kernel_requests.h"
