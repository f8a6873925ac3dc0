opt {} --passes "IPCAllReduceRewrite(allreduce_strategy=2)"
