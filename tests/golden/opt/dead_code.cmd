opt {} --passes "DeadCodeElimination()"
