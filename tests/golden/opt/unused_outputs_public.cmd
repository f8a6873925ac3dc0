opt {} --passes "RemoveUnusedOutputs()"
