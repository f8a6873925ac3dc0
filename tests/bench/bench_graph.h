// The rows of bench_window that are about the graph.
#pragma once

#include <QString>
#include <functional>

namespace rx::views {

/// Opens networks that it writes in a window of its own and prints its rows. `startWatch` begins a new search for the
/// longest event of the window's thread, `longest` gives its milliseconds and `who` its receiver.
void benchGraph(const std::function<void()>& startWatch, const std::function<double()>& longest,
                const std::function<QString()>& who);

}  // namespace rx::views
