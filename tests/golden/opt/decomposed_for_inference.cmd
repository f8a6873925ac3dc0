opt {} --passes "DecomposeOpsForInference()"
