opt {} --passes "AdjustMatmulOrder()"
