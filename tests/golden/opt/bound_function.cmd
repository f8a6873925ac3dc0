opt {} --passes "BindParams(func_name='mian', params={'w': {'ndarray': [1.0], 'dtype': 'float32'}})"
