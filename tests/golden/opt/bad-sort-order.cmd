opt {} --passes "TopologicalSort(order='depth')"
