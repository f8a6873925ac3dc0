opt {} --passes "Defunctionalization(), RemoveUnusedFunctions()"
