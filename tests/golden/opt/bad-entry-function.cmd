opt {} --passes "DeadCodeElimination(entry_functions=['mian'])"
