opt {} --passes "Gradient(func_name='main', require_grads=['z'])"
