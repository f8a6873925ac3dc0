opt {} --passes "BindSymbolicVars(binding_map={'n': 16})"
