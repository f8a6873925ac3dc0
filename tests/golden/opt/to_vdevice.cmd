opt {} --passes "LowerRuntimeBuiltin()"
