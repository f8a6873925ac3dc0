opt {} --passes "TopologicalSort(order='depth-first', direction='from-inputs')"
