opt {} --passes "BindParams(func_name='main', params={'v': {'ndarray': [1.0], 'dtype': 'float32'}})"
