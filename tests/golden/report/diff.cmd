opt {} --passes "DeadCodeElimination(), LegalizeOps(), FuseOps()" --diff -o /dev/null
