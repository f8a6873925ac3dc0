opt {} --passes "InferFragment()"
