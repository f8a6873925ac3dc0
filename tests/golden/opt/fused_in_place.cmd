opt {} --passes "FuseOps(), FuseTIR()"
