opt {} --passes "FuseTIR()"
