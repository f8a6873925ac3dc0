opt {} --passes "DeadCodeElimination(), Normalize()" --print-after Normalize -o /dev/null
