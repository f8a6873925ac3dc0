// Work in a process of its own, which may die of it: what runs programs that nobody knows to be right.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/rxs/confined.h"

namespace rx::cli {

/// What `body` gives, run in a child of this process. Of one that does not come to its end {"died": why in words}:
/// a signal, or that no process can be made. To be called where there is no thread that works beside the caller: the
/// child has the calling one alone. It ends with this process. With `confined` it is held to these outputs.
nlohmann::ordered_json workInChild(const std::function<nlohmann::ordered_json()>& body,
                                   const std::optional<ConfinedOutputs>& confined = {});

}  // namespace rx::cli
