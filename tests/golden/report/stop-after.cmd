opt {} --passes "DeadCodeElimination(), LegalizeOps()" --stop-after 1 --no-verify-each
