opt {} --passes "InferType()"
