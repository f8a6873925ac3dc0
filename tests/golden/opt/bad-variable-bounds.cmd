opt {} --passes "AttachVariableBounds(variable_bounds={'batch': 512})"
