// core/profile: where the time of a run goes. What this machine can do, measured; a profile of a run by instruction,
// with the work that each call does; and both as tables, JSON and Chrome's trace.
//
// Hardware: what bounds a kernel.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::profile {

using Json = nlohmann::ordered_json;

/// What some threads of the machine do together, at the most.
struct Limits {
  double flops = 0;     ///< multiplications and additions of fp32 a second
  double bytes = 0;     ///< read from memory a second
  double integers = 0;  ///< multiplications and additions of products of bytes a second; 0: not known
};

struct Cache {
  int level = 0;
  int64_t bytes = 0;
  int threads = 1;  ///< that share it
};

/// Caches of data of the first thread, by level.
std::vector<Cache> dataCaches();

struct Hardware {
  std::string processor;      ///< as the system names it
  int threads = 1;            ///< that run at a time
  int vectorBits = 128;       ///< of the widest registers that the measurement used
  std::vector<Cache> caches;  ///< of data, of the first thread, by level
  Limits one, all;            ///< of one thread, and of all of them
  std::string measured;       ///< the day, "2026-01-31"; empty: just now
  std::string device = {};    ///< whose limits both are, where that is no processor: "opencl:0"
  double busy = 0;            ///< the part of the processors' time that other programs took meanwhile
};

/// This machine as it was measured before, or measured now (half a second) and kept in `file`; an empty path keeps
/// nothing. What the file says is used only where it is of this processor and whole; `anew` does not look. What was
/// measured while others kept the machine busy is measured again each time until they do not, and what is larger kept.
Hardware hardwareOf(const std::string& file, bool anew, const CancelToken& cancel);
/// Where the measurement of this user is kept; empty where there is no such place.
std::string hardwareFile();

Json toJson(const Hardware& hardware);
/// Fails with profile.hardware where a field is missing or is not what can be.
Result<Hardware> hardwareFrom(const Json& json);
std::string hardwareText(const Hardware& hardware);

}  // namespace rx::profile
