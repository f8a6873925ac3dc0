opt {} --passes "ToMixedPrecision(mixed_precision_type='int8')"
