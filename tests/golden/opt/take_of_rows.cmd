opt {} --passes "ReorderTakeAfterMatmul()"
