opt {} --passes "LowerGlobalViewToLocalView(), LowerDistIR()"
