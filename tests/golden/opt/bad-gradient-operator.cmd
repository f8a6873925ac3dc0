opt {} --passes "Gradient(func_name='main')"
