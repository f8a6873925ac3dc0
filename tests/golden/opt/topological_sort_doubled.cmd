opt {} --passes "TopologicalSort(order='breadth-first'), TopologicalSort(order='breadth-first', direction='from-outputs')"
