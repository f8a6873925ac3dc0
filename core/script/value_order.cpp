#include "core/script/value_order.h"

#include <algorithm>
#include <cstdint>

namespace rx::script {

// Tarjan's strongly connected components, which come out behind those that they lead to; without recursion.
ValueOrder valueOrder(size_t count, std::span<const std::pair<size_t, size_t>> uses) {
  std::vector<std::vector<size_t>> used(count);
  for (const auto& [user, of] : uses) used[user].push_back(of);
  ValueOrder result;
  result.circular.resize(count);
  std::vector<size_t> number(count), lowest(count);  // from 1, 0 = not visited
  std::vector<bool> open(count);                     // of no finished component
  std::vector<size_t> component;
  struct Visit {
    size_t function, next;
  };
  std::vector<Visit> visits;
  size_t last = 0;
  auto enter = [&](size_t function) {
    number[function] = lowest[function] = ++last;
    open[function] = true;
    component.push_back(function);
    visits.push_back({function, 0});
  };
  for (size_t root = 0; root < count; ++root) {
    if (number[root]) continue;
    enter(root);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      const size_t at = visit.function;
      if (visit.next < used[at].size()) {
        const size_t to = used[at][visit.next++];
        if (!number[to]) {
          enter(to);
        } else if (open[to]) {
          lowest[at] = std::min(lowest[at], number[to]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) lowest[visits.back().function] = std::min(lowest[visits.back().function], lowest[at]);
      if (lowest[at] != number[at]) continue;
      const auto begin = std::find(component.begin(), component.end(), at);
      for (auto it = begin; it != component.end(); ++it) {
        open[*it] = false;
        result.circular[*it] = component.end() - begin > 1;
      }
      result.order.insert(result.order.end(), begin, component.end());
      component.erase(begin, component.end());
    }
  }
  return result;
}

}  // namespace rx::script
