opt {} --passes "ExpandMatmulOfSum()"
