opt {} --passes "FuseTransposeMatmul()"
