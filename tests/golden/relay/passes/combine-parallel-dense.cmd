opt {} --passes "CombineParallelDense(min_num_branches=2)"
