opt {} --passes "DeadCodeElimination(), LegalizeOps()" --stop-after 3
