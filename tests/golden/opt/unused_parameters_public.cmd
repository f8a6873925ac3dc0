opt {} --passes "RemoveUnusedParameters()"
