opt {} --passes "TopologicalSort(order='breadth-first')"
opt {} --passes "TopologicalSort(order='depth-first', direction='from-outputs')"
