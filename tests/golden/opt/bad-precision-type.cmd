opt {} --passes "ToMixedPrecision(out_dtype='half')"
