opt {} --passes "ToMixedPrecision(mixed_precision_type='float16')"
