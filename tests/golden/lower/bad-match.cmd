opt {} --passes "LowerMatchBuffer()"
