opt {} --passes "DecomposeOpsForTraining()"
