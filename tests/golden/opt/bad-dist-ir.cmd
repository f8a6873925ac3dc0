opt {} --passes "LowerDistIR()"
