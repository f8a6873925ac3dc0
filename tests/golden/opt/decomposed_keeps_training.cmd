opt {} --passes "DecomposeOpsForInference(keep_training=True)"
