opt {} --passes "LegalizeOps(), BindSymbolicVars(binding_map={'k': 1}), FuseOps()"
