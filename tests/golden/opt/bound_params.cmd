opt {} --passes "BindParams(func_name='main', params={'w': {'ndarray': [[1.0, 2.0]], 'dtype': 'float32'}})"
