opt {} --passes "BindSymbolicVars(binding_map={'batch': 16})"
