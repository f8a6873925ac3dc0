opt {} --passes "AttachVariableBounds(variable_bounds={'n': 512}, lower_bounds={'n': 1})"
