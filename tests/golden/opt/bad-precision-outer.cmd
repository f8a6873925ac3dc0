opt {} --passes "ToMixedPrecision()"
