opt {} --passes "Gradient(func_name='main', target_index=2)"
