opt {} --passes "ToMixedPrecision()" --remarks -o /dev/null
