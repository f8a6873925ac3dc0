opt {} --passes "SimplifyInference()"
