opt {} --passes "Normalize(), DeadCodeElimination(), CanonicalizeBindings()" --print-changed -o /dev/null
