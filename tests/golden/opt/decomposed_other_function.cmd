opt {} --passes "DecomposeOpsForInference(func_name='other')"
