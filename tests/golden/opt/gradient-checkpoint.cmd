opt {} --passes "Gradient(func_name='main', require_grads=['x'], target_index=1)"
