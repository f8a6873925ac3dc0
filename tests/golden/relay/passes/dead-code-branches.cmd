opt {} --passes "DeadCodeElimination(inline_once=True)"
