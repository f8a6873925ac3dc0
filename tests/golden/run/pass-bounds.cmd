run {} --passes "AttachVariableBounds(variable_bounds={'n': 3}), default" --seed 0 --symbol n=4
