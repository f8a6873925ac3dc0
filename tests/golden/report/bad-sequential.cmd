opt {} --passes "Sequential([Normalize(), DeadCodeElimination()"
