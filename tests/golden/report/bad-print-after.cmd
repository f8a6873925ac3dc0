opt {} --passes "DeadCodeElimination(), LegalizeOps()" --print-after LegaliseOps
