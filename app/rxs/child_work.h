// Work in a process of its own, which may die of it: what runs programs that nobody knows to be right.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace rx::cli {

/// What `body` gives, run in a child of this process. Of one that does not come to its end {"died": why in words}:
/// a signal, or that no process can be made. To be called where there is no thread that works beside the caller: the
/// child has the calling one alone. It ends with this process.
nlohmann::ordered_json workInChild(const std::function<nlohmann::ordered_json()>& body);

}  // namespace rx::cli
